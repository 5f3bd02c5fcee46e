'use strict'

const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const { send, serve } = require('../../lib/control')

const CONTROL = require.resolve('../../lib/control')
const uid = process.getuid?.() ?? -1
const isRoot = uid === 0

/** @param {import('node:test').TestContext} t */
function temporary (t) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'ew-control-'))
  t.after(() => fs.rmSync(directory, { recursive: true, force: true }))
  return directory
}

/**
 * Serves in this process, in a directory of its own.
 * @param {import('node:test').TestContext} t
 * @param {Record<string, (request: Record<string, any>) => any>} [handlers]
 */
function serving (t, handlers = { on: () => ({ recording: true }), status: () => ({ events: 7 }) }) {
  const base = temporary(t)
  const env = { XDG_RUNTIME_DIR: base }
  /** @type {string[]} */
  const problems = []
  const server = serve(handlers, { env, onProblem: (text) => problems.push(text) })
  t.after(() => server.close())
  return { base, directory: path.join(base, `edgewise-${uid}`), env, problems, server }
}

/**
 * A process that serves, and a function that ends it.
 * @param {import('node:test').TestContext} t
 * @param {string} source
 * @param {NodeJS.ProcessEnv} env
 * @param {import('node:child_process').SpawnOptions} [options]
 */
async function started (t, source, env, { node = process.execPath, ...options } = {}) {
  const child = spawn(node, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'], env, ...options })
  t.after(() => child.kill('SIGKILL'))
  const line = await new Promise((resolve, reject) => {
    child.stdout?.once('data', (data) => resolve(String(data).trim()))
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)))
  })
  return { child, line, pid: /** @type {number} */ (child.pid) }
}

const SERVER = `const { serve } = require(${JSON.stringify(CONTROL)})
const server = serve({ status: () => ({ pid: process.pid }), on: () => { throw new Error('the disk is full') } },
  { onProblem: (text) => console.log(text) })
if (server.path) console.log(server.path)
setInterval(() => {}, 1000)`

/**
 * @param {string} socketPath
 * @param {string} text
 */
function raw (socketPath, text) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(socketPath)
    let answer = ''
    socket.on('data', (data) => { answer += data })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
    socket.write(text)
  })
}

test('a command goes in, its handler\'s result comes back', async (t) => {
  const { env, server, problems } = serving(t, {
    on: () => ({ recording: true }),
    dump: async (request) => ({ asked: request.command }),
    off: () => undefined
  })
  assert.ok(server.path)
  assert.deepEqual(await send(process.pid, 'on', { env }), { recording: true })
  assert.deepEqual(await send(process.pid, 'dump', { env }), { asked: 'dump' })
  assert.deepEqual(await send(process.pid, 'off', { env }), {})
  assert.deepEqual(problems, [])
})

test('the socket is 0600 in a 0700 directory, and goes with close()', (t) => {
  const { directory, server } = serving(t)
  assert.equal(server.path, path.join(directory, `${process.pid}.sock`))
  assert.equal(fs.statSync(directory).mode & 0o777, 0o700)
  assert.equal(fs.statSync(/** @type {string} */ (server.path)).mode & 0o777, 0o600)
  server.close()
  assert.deepEqual(fs.readdirSync(directory), [])
})

test('a handler that throws is the command\'s error, and the server lives on', async (t) => {
  const { env } = serving(t, {
    on: () => { throw new Error('the disk is full') },
    off: async () => { throw new Error('later') },
    dump: () => ({ big: 1n }),
    status: () => ({ fine: true })
  })
  await assert.rejects(send(process.pid, 'on', { env }), { code: 'FAILED', message: `process ${process.pid}: the disk is full` })
  await assert.rejects(send(process.pid, 'off', { env }), { code: 'FAILED', message: `process ${process.pid}: later` })
  await assert.rejects(send(process.pid, 'dump', { env }), { code: 'FAILED' })
  assert.deepEqual(await send(process.pid, 'status', { env }), { fine: true })
})

test('an unknown command names what is allowed', async (t) => {
  const { env } = serving(t)
  for (const command of ['explode', 'toString', '__proto__', 'dump']) {
    await assert.rejects(send(process.pid, command, { env }), { code: 'FAILED', message: new RegExp(`"${command}" is not known: allowed is on, status`) })
  }
})

test('nonsense on the socket is answered or dropped, never thrown', async (t) => {
  const { env, server } = serving(t)
  const socketPath = /** @type {string} */ (server.path)
  for (const text of ['{}\n', 'null\n', '[]\n', '{"command": 1}\n', 'GET / HTTP/1.1\n', '\0\n', '\n']) {
    assert.equal(JSON.parse(String(await raw(socketPath, text))).ok, false, JSON.stringify(text))
  }
  assert.match(String(await raw(socketPath, 'x'.repeat(5000))), /longer than 4096 bytes/)
  assert.match(String(await raw(socketPath, `{"command": "${'x'.repeat(4096)}"}\n`)), /longer than 4096 bytes/)
  assert.equal(await raw(socketPath, '{"command"'), '') // Dropped after a second.
  assert.deepEqual(await send(process.pid, 'status', { env }), { events: 7 })
})

test('a second server in the process is refused, the first stays', async (t) => {
  const { env } = serving(t)
  /** @type {string[]} */
  const problems = []
  const second = serve({}, { env, onProblem: (text) => problems.push(text) })
  assert.equal(second.path, null)
  assert.match(problems[0], /already answers/)
  second.close()
  assert.deepEqual(await send(process.pid, 'status', { env }), { events: 7 })
})

test('a directory that others can reach is not used', (t) => {
  const base = temporary(t)
  const directory = path.join(base, `edgewise-${uid}`)
  const refused = () => {
    /** @type {string[]} */
    const problems = []
    const server = serve({}, { env: { XDG_RUNTIME_DIR: base }, onProblem: (text) => problems.push(text) })
    server.close()
    assert.equal(server.path, null)
    assert.equal(problems.length, 1)
    return problems[0]
  }
  fs.mkdirSync(directory)
  fs.chmodSync(directory, 0o755)
  assert.match(refused(), /has mode 0755, not 0700/)
  fs.rmdirSync(directory)

  fs.mkdirSync(path.join(base, 'elsewhere'), { mode: 0o700 })
  fs.symlinkSync(path.join(base, 'elsewhere'), directory)
  assert.match(refused(), /is a symbolic link/)
  fs.unlinkSync(directory)

  fs.writeFileSync(directory, '')
  assert.match(refused(), /is not a directory/)
  fs.unlinkSync(directory)

  const long = path.join(base, 'x'.repeat(100))
  fs.mkdirSync(long)
  const problems = [('')]
  assert.equal(serve({}, { env: { XDG_RUNTIME_DIR: long }, onProblem: (text) => { problems[0] = text } }).path, null)
  assert.match(problems[0], /longer than the 107 bytes/)
})

test('a directory of another user is not used, on either side', { skip: !isRoot && 'needs root' }, async (t) => {
  const base = temporary(t)
  const directory = path.join(base, `edgewise-${uid}`)
  fs.mkdirSync(directory, { mode: 0o700 })
  fs.chownSync(directory, 65534, 65534)
  /** @type {string[]} */
  const problems = []
  assert.equal(serve({}, { env: { XDG_RUNTIME_DIR: base }, onProblem: (text) => problems.push(text) }).path, null)
  assert.match(problems[0], /belongs to user 65534, not 0/)

  // Somebody waits there for our commands.
  const trap = net.createServer().listen(path.join(directory, `${process.pid}.sock`))
  t.after(() => trap.close())
  await assert.rejects(send(process.pid, 'on', { env: { XDG_RUNTIME_DIR: base } }), { code: 'DENIED', message: /belongs to user 65534/ })
})

test('a runtime directory that is gone: the temporary one is used', (t) => {
  const base = temporary(t)
  const server = serve({}, { env: { XDG_RUNTIME_DIR: path.join(base, 'gone'), TMPDIR: base }, onProblem: assert.fail })
  t.after(() => server.close())
  assert.equal(server.path, path.join(base, `edgewise-${uid}`, `${process.pid}.sock`))
})

test('sockets of dead processes are removed, those of living ones are not', async (t) => {
  const base = temporary(t)
  const directory = path.join(base, `edgewise-${uid}`)
  const first = await started(t, SERVER, { XDG_RUNTIME_DIR: base })
  first.child.kill('SIGKILL')
  await new Promise((resolve) => first.child.once('exit', resolve))
  const living = await started(t, SERVER, { XDG_RUNTIME_DIR: base })
  fs.writeFileSync(path.join(directory, 'notes.txt'), '')
  for (let i = 0; i < 500 && fs.existsSync(first.line); i++) await sleep(10)
  assert.ok(!fs.existsSync(first.line), 'left by a killed process')
  const server = serve({}, { env: { XDG_RUNTIME_DIR: base } })
  t.after(() => server.close())
  assert.deepEqual(fs.readdirSync(directory).sort(), [`${process.pid}.sock`, `${living.pid}.sock`, 'notes.txt'].sort())
})

test('a socket on which somebody listens is not removed, though no process here has its number', async (t) => {
  const base = temporary(t)
  const [other, dead] = [2 ** 22 + 1, 2 ** 22 + 2] // pids of another container, which has the directory too
  const directory = path.join(base, `edgewise-${uid}`)
  fs.mkdirSync(directory, { mode: 0o700 })
  const theirs = net.createServer((socket) => socket.destroy()).listen(path.join(directory, `${other}.sock`))
  t.after(() => theirs.close())
  await once(theirs, 'listening')
  const left = await started(t, SERVER, { XDG_RUNTIME_DIR: base })
  left.child.kill('SIGKILL')
  await once(left.child, 'exit')
  fs.renameSync(left.line, path.join(directory, `${dead}.sock`))
  const server = serve({}, { env: { XDG_RUNTIME_DIR: base } })
  t.after(() => server.close())
  for (let i = 0; i < 500 && fs.readdirSync(directory).length > 2; i++) await sleep(10)
  assert.deepEqual(fs.readdirSync(directory).sort(), [`${process.pid}.sock`, `${other}.sock`].sort())
})

test('clients that have their answer and do not hang up keep nobody out', async (t) => {
  const { env, server } = serving(t)
  const clients = Array.from({ length: 8 }, () => {
    const client = net.connect({ path: /** @type {string} */ (server.path), allowHalfOpen: true })
    t.after(() => client.destroy())
    client.write('{"command":"status"}\n')
    return client
  })
  for (const client of clients) assert.match(String(await new Promise((resolve) => client.once('data', resolve))), /"ok":true/)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  assert.deepEqual(await send(process.pid, 'status', { env }), { events: 7 })
})

test('the socket goes at exit; an idle process is not kept alive', (t) => {
  const base = temporary(t)
  const source = `require(${JSON.stringify(CONTROL)}).serve({}, { onProblem: console.log })`
  const { status, stdout } = spawnSync(process.execPath, ['-e', source], { env: { XDG_RUNTIME_DIR: base }, timeout: 10_000, encoding: 'utf8' })
  assert.equal(stdout, '')
  assert.equal(status, 0)
  assert.deepEqual(fs.readdirSync(path.join(base, `edgewise-${uid}`)), [])
})

test('another process is reached, also with another environment', async (t) => {
  const base = temporary(t)
  const { pid } = await started(t, SERVER, { XDG_RUNTIME_DIR: base })
  assert.deepEqual(await send(pid, 'status', { env: {} }), { pid })
  await assert.rejects(send(pid, 'on', { env: {} }), { message: `process ${pid}: the disk is full` })
})

test('cluster workers have their own sockets', async (t) => {
  const base = temporary(t)
  const script = path.join(base, 'cluster.js')
  fs.writeFileSync(script, `${SERVER}\nconst cluster = require('node:cluster')\nif (cluster.isPrimary) cluster.fork()`)
  const { child } = await started(t, `process.argv[1] = ${JSON.stringify(script)}; require('node:module').runMain()`, { XDG_RUNTIME_DIR: base })
  const directory = path.join(base, `edgewise-${uid}`)
  const deadline = Date.now() + 5000
  while (fs.readdirSync(directory).length < 2 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
  const pids = fs.readdirSync(directory).map((name) => parseInt(name))
  assert.equal(pids.length, 2)
  assert.ok(pids.includes(/** @type {number} */ (child.pid)))
  for (const pid of pids) assert.deepEqual(await send(pid, 'status', { env: { XDG_RUNTIME_DIR: base } }), { pid })
})

test('worker threads leave it to their process', async () => {
  const worker = new Worker(`const { parentPort } = require('node:worker_threads')
parentPort.postMessage(require(${JSON.stringify(CONTROL)}).serve({}).path)`, { eval: true })
  assert.equal(await new Promise((resolve) => worker.once('message', resolve)), null)
  await worker.terminate()
})

test('errors of send: no process, not recorded, blocked', async (t) => {
  const base = temporary(t)
  const env = { XDG_RUNTIME_DIR: base }
  await assert.rejects(send(2 ** 22 + 1, 'on', { env }), { code: 'NO_PROCESS', message: /there is no process 4194305/ })
  await assert.rejects(send(process.pid, 'on', { env }), { code: 'NOT_RECORDING', message: /is not recorded by edgewise: start it with/ })

  // Killed, and another process has its id now: the socket file is there, nobody listens.
  const stale = path.join(base, `edgewise-${uid}`, `${process.pid}.sock`)
  const before = await started(t, SERVER, { XDG_RUNTIME_DIR: base })
  before.child.kill('SIGKILL')
  await new Promise((resolve) => before.child.once('exit', resolve))
  fs.renameSync(before.line, stale)
  await assert.rejects(send(process.pid, 'on', { env }), { code: 'NOT_RECORDING', message: /left by an earlier process/ })

  const blocked = await started(t, SERVER.replace('setInterval(() => {}, 1000)', 'setTimeout(() => { for (;;); }, 50)'), env)
  await new Promise((resolve) => setTimeout(resolve, 200))
  await assert.rejects(send(blocked.pid, 'status', { env, timeoutMs: 300 }), { code: 'TIMEOUT', message: /did not answer within 0.3 s/ })
})

test('another user is refused, root is not', { skip: !isRoot && 'needs root' }, async (t) => {
  const base = temporary(t)
  fs.chmodSync(base, 0o777)
  // The other user may not be able to read this checkout, nor the Node that runs this.
  const node = path.join(base, 'node')
  fs.copyFileSync(process.execPath, node)
  const copy = path.join(base, 'index.js')
  for (const name of ['index.js', 'control-directory.js']) fs.copyFileSync(path.join(path.dirname(CONTROL), name), path.join(base, name))
  const mine = await started(t, SERVER, { XDG_RUNTIME_DIR: base })
  const ask = `require(${JSON.stringify(copy)}).send(${mine.pid}, 'status', { env: { XDG_RUNTIME_DIR: ${JSON.stringify(base)} } })
  .then(() => console.log('reached'), (error) => console.log(error.code, error.message))`
  const { stdout } = spawnSync(node, ['-e', ask], { uid: 65534, gid: 65534, cwd: base, encoding: 'utf8' })
  assert.match(stdout, /^DENIED process \d+: permission denied: it belongs to user 0; run this command as that user or as root/)

  const theirs = await started(t, SERVER.replace(CONTROL, copy), { XDG_RUNTIME_DIR: base }, { node, uid: 65534, gid: 65534, cwd: base })
  assert.equal(theirs.line, path.join(base, 'edgewise-65534', `${theirs.pid}.sock`))
  assert.deepEqual(await send(theirs.pid, 'status', { env: { XDG_RUNTIME_DIR: base } }), { pid: theirs.pid })
})

/** @param {() => boolean} holds */
async function until (holds) {
  while (!holds()) await sleep(5)
}

test('a command that is followed: lines come until the caller hangs up; its error comes as any other', async (t) => {
  const env = { XDG_RUNTIME_DIR: temporary(t) }
  let ended = 0
  /** @type {(line: string) => void} */
  let tell = () => {}
  const followed = {
    count: (/** @type {Record<string, any>} */ { every }, /** @type {(line: string) => void} */ say) => {
      if (every < 1) throw new Error('every is too small')
      tell = say
      return () => { ended++ }
    }
  }
  const server = serve({ on: () => ({}) }, { env, followed })
  t.after(() => server.close())
  const path = /** @type {string} */ (server.path)
  assert.deepEqual(JSON.parse(await raw(path, '{"command":"count","every":0}\n')), { ok: false, error: 'every is too small' })
  assert.match(await raw(path, '{"command":"cuont"}\n'), /allowed is on, count/)

  const caller = net.connect(path)
  caller.setEncoding('utf8')
  let heard = ''
  caller.on('data', (text) => { heard += text })
  caller.write('{"command":"count","every":5}\n')
  await until(() => heard !== '')
  tell('5 1')
  tell('10 2')
  await until(() => heard.split('\n').length >= 4)
  assert.equal(heard, '{"ok":true,"result":{}}\n5 1\n10 2\n')
  assert.equal(ended, 0)
  caller.destroy()
  await until(() => ended > 0)
  tell('15 3') // Nobody listens: no error.
})

test('a caller that follows and does not read is hung up on', async (t) => {
  const env = { XDG_RUNTIME_DIR: temporary(t) }
  let ended = false
  const flood = (/** @type {any} */ _, /** @type {(line: string) => void} */ tell) => {
    const telling = setInterval(() => { for (let i = 0; i < 100; i++) tell('x'.repeat(1000)) }, 1)
    return () => {
      clearInterval(telling)
      ended = true
    }
  }
  const server = serve({}, { env, followed: { flood } })
  t.after(() => server.close())
  const caller = net.connect(/** @type {string} */ (server.path))
  t.after(() => caller.destroy())
  caller.on('error', () => {})
  caller.write('{"command":"flood"}\n')
  caller.pause()
  await until(() => ended)
})
