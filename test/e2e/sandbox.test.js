'use strict'

// A sandbox that allows what the application does and refuses what edgewise
// does in its place, or beside it: the application answers as it does without.

const assert = require('node:assert/strict')
const http = require('node:http')
const { constants: { errno } } = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { inParallel, report, startApp, temporaryDirectory } = require('./recorded-app')
const { sandboxThatRefuses } = require('./surroundings')

const COUNT = 100
const LIMIT = { timeout: 60_000 }
const ERRNO = { ...errno, NONE: 0, KILL: 999 }

const IN_PLACE = ['recvmsg', 'recvfrom', 'sendto', 'sendmsg']
// SO_TIMESTAMPNS; libuv needs other options.
const STAMPS = 'setsockopt:35'
// MADV_POPULATE_WRITE; V8 needs other advice.
const POPULATE = 'madvise:23'
const BESIDE = [STAMPS, 'getsockopt', 'epoll_create1', 'eventfd2', 'process_vm_readv', 'pipe2', POPULATE, 'prctl', 'sched_setaffinity',
  'sched_getaffinity', 'clock_nanosleep', 'poll', 'epoll_wait', 'kill', 'lseek', 'ftruncate', 'fallocate']

/**
 * @param {any} t
 * @param {string[]} calls
 * @param {string} error
 * @param {NodeJS.ProcessEnv} [env]
 */
function startWithin (t, calls, error, env = {}) {
  const refused = calls.map((call) => `${call}=${ERRNO[error]}`).join(',')
  const sandbox = sandboxThatRefuses(refused)
  return startApp(t, 'http.js', { flags: sandbox.flags, env: { ...sandbox.env, ...env } })
}

/**
 * @param {number} port
 * @param {http.Agent} agent
 * @param {number} number
 */
async function exchange (port, agent, number) {
  const sizes = [[1, 2, 3], [900, 900], [5000, 1], [300_000, 20_000]][number % 4]
  const posts = number % 5 === 0
  const sent = posts ? Buffer.alloc(40_000 + number, 97 + number % 26) : Buffer.concat(sizes.map((size, i) => Buffer.alloc(size, 97 + i)))
  const got = await new Promise((resolve, reject) => {
    const asked = http.request({ port, host: '127.0.0.1', agent, path: posts ? '/echo' : `/parts/${sizes}`, method: posts ? 'POST' : 'GET' }, (response) => {
      /** @type {Buffer[]} */ const parts = []
      response.on('data', (part) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts))).on('error', reject)
    })
    asked.on('error', reject).end(posts ? sent : undefined)
  })
  assert.ok(sent.equals(got), `request ${number}: ${sent.length} bytes, not as ${got.length} that came`)
}

/** Every byte once, over connections that live on. */
async function answersAll (app, count = COUNT) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 })
  await inParallel(count, (number) => exchange(app.port, agent, number), 4)
  const used = Object.values(agent.freeSockets).flat().length
  assert.ok(used > 0 && used <= 4, `${used} connections are open`)
  agent.destroy()
}

// Not by a message: who refuses recvmsg refuses Node its messages. One more request.
async function leave (app) {
  http.get({ port: app.port, host: '127.0.0.1', path: '/exit' }, (response) => response.resume()).on('error', () => {})
  assert.deepEqual(await app.ended, { code: 3, signal: null }, app.stderr)
}

for (const call of [...IN_PLACE, ...BESIDE]) {
  for (const error of ['EPERM', 'ENOSYS']) {
    test(`${call} is refused by ${error}`, LIMIT, async (t) => {
      const app = await startWithin(t, [call], error)
      await answersAll(app)
      await leave(app)
      assert.ok(app.stderr.split('\n').filter(Boolean).length <= 1, app.stderr)
      const { requests, problems, warnings } = report(app.out)
      assert.deepEqual([requests.count, requests.lost, problems, warnings], [COUNT + 1, 0, [], []])
    })
  }
}

for (const error of ['EACCES', 'EINVAL', 'EBADF', 'ENOTSOCK', 'EOPNOTSUPP', 'EAGAIN', 'ECONNRESET', 'NONE']) {
  test(`all that stands in for another call is refused by ${error}`, LIMIT, async (t) => {
    const app = await startWithin(t, IN_PLACE, error)
    await answersAll(app)
    await leave(app)
    assert.equal(report(app.out).requests.count, COUNT + 1)
  })
}

for (const error of ['EPERM', 'ENOSYS', 'EACCES', 'EINVAL', 'EBADF']) {
  test(`the sandbox is entered while connections are open: ${error}`, LIMIT, async (t) => {
    const app = await startWithin(t, IN_PLACE, error, { REFUSED_LATER: '1' })
    const agent = new http.Agent({ keepAlive: true, maxSockets: 4 })
    await inParallel(20, (number) => exchange(app.port, agent, number), 4)
    await new Promise((resolve, reject) => http.get({ port: app.port, host: '127.0.0.1', agent, path: '/sandbox' }, (response) => response.resume().on('end', resolve)).on('error', reject))
    await inParallel(60, (number) => exchange(app.port, agent, number), 4)
    agent.destroy()
    await leave(app)
    assert.equal(report(app.out).requests.count, 82)
  })
}

// What these kernels do not know yet, as the filter of a container on a newer one answers, too.
const SINCE_5_5 = ['close_range', 'openat2', 'pidfd_getfd', 'faccessat2', 'epoll_pwait2', 'process_madvise', POPULATE]
const SINCE_5_1 = ['io_uring_setup', 'pidfd_open', 'clone3']
for (const [kernel, calls] of /** @type {[string, string[]][]} */ ([['5.4', SINCE_5_5], ['4.18', [...SINCE_5_5, ...SINCE_5_1]]])) {
  for (const more of [[], ['perf_event_open']]) {
    test(`the calls of Linux ${[kernel, ...more].join(', without ')}`, LIMIT, async (t) => {
      const app = await startWithin(t, [...calls, ...more], 'ENOSYS')
      await answersAll(app)
      await leave(app)
      assert.equal(app.stderr, '')
      const { requests, problems, warnings } = report(app.out)
      assert.deepEqual([requests.count, requests.lost, problems, warnings], [COUNT + 1, 0, [], []])
    })
  }
}

// NETLINK_SOCK_DIAG; the application's own sockets are of other protocols.
const DIAG = 'socket:4'
for (const error of ['EPERM', 'EAFNOSUPPORT', 'KILL']) {
  test(`who is at the other end of a Unix socket is not told: ${error}`, LIMIT, async (t) => {
    const socketPath = path.join(temporaryDirectory(t), 'http.sock')
    const sandbox = sandboxThatRefuses(`${DIAG}=${ERRNO[error]}`)
    const app = await startApp(t, 'chained.js', { flags: sandbox.flags, env: { ...sandbox.env, SOCKET: socketPath } })
    for (let i = 0; i < 20; i++) {
      const status = await new Promise((resolve, reject) => http.get({ socketPath, path: '/' }, (response) => response.resume().on('end', () => resolve(response.statusCode))).on('error', reject))
      assert.equal(status, 200)
    }
    await app.stop()
    assert.equal(app.stderr, '')
    assert.equal(report(app.out).requests.count, 20)
  })
}

test('a signal that cannot be raised again ends the process as ever', LIMIT, async (t) => {
  for (const [calls, when] of /** @type {[string[], object][]} */ ([[['kill'], {}], [['kill'], { REFUSED_LATER: '1' }]])) {
    const app = await startWithin(t, calls, 'EPERM', when)
    await answersAll(app, 20)
    if ('REFUSED_LATER' in when) await new Promise((resolve) => http.get({ port: app.port, host: '127.0.0.1', path: '/sandbox' }, (response) => response.resume().on('end', resolve)))
    app.child.kill('SIGTERM')
    const { code, signal } = await app.ended
    assert.deepEqual([code, signal], [null, 'SIGTERM'])
  }
})

test('where nothing reads memory, the lost causality is said', LIMIT, async (t) => {
  const app = await startWithin(t, ['process_vm_readv', 'pread64', 'pipe2'], 'EPERM')
  await answersAll(app)
  await leave(app)
  assert.match(app.stderr, /^edgewise: causality is lost, [^\n]*process_vm_readv[^\n]*\n$/)
  const { requests, warnings } = report(app.out)
  assert.equal(requests.count, COUNT + 1)
  assert.match(warnings[0], /^causality is lost: .*process_vm_readv/)
})

for (const refused of [['process_vm_readv'], ['process_vm_readv', 'pread64'], ['process_vm_readv', 'pipe2']]) {
  test(`async ids are found without ${refused.join(' and ')}`, LIMIT, async (t) => {
    const app = await startWithin(t, refused, 'EPERM')
    await answersAll(app)
    await leave(app)
    assert.equal(app.stderr, '')
    assert.deepEqual(report(app.out).warnings, [])
  })
}
