'use strict'

// What runs the applications: services, installation, interruption, one run.

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { after, before, describe, it } = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')

const { NAMES, findApp } = require('../../benchmarks/apps/app')
const { calibrate, runApp } = require('../../benchmarks/apps/run')
const { freePort, plainEnvironment, startService, withService } = require('../../benchmarks/apps/service')
const fixture = require('./fixture-app')

const APPS = path.join(__dirname, '../../benchmarks/apps')
const SERVER = path.join(__dirname, 'fixture-server.js')
const LOAD = process.env.EDGEWISE_LOAD // undefined: the project's build

/** @type {string} */
let folder

before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-apps-test-'))
  process.env.TMPDIR = folder // What another run left in the system's, killed, is not ours.
})
after(() => fs.rmSync(folder, { recursive: true, force: true }))

/**
 * Stopped at the test's end, also when it fails.
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} [env]
 * @param {object} [more]
 */
async function start (t, env = {}, more = {}) {
  const service = await startService({
    name: 'the fixture',
    log: path.join(folder, `service-${fs.readdirSync(folder).length}.log`),
    launch: port => ({ command: process.execPath, args: [SERVER], env: { ...process.env, PORT: String(port), ...env } }),
    ...more
  })
  t.after(() => service.stop())
  return service
}

/** @param {number} pid @returns {boolean} whether it runs; a zombie does not */
function alive (pid) {
  try {
    return !/^State:\s+[ZX]/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('service', () => {
  it('serves when it is started and is gone when it is stopped', async (t) => {
    const service = await start(t)
    const response = await fetch(`http://127.0.0.1:${service.port}/x`)
    assert.strictEqual(await response.text(), 'saw /x')
    assert.deepStrictEqual(await service.stop(), { code: 0, signal: null, killed: false })
    assert.strictEqual(alive(service.pid), false)
    assert.deepStrictEqual(await service.stop(), { code: 0, signal: null, killed: false }, 'again')
    assert.strictEqual(await service.ended, 'ended with code 0')
  })

  it('shows the last lines of one that does not come up', async (t) => {
    const launch = () => ({ command: process.execPath, args: ['-e', 'console.log("no licence"); process.exit(7)'] })
    await assert.rejects(start(t, {}, { launch }), error => {
      assert.match(error.message, /^the fixture did not come up on port \d+: it ended with code 7\.\n/)
      assert.match(error.message, /\n {2}no licence$/)
      return true
    })
    await assert.rejects(start(t, {}, { launch: () => ({ command: '/nowhere/server', args: [] }) }),
      /it did not start: .*\/nowhere\/server ENOENT/)
  })

  it('takes another port when one was taken meanwhile', async (t) => {
    const taken = net.createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const ports = []
    const service = await start(t, {}, {
      launch: port => {
        ports.push(port)
        const { port: busy } = /** @type {net.AddressInfo} */ (taken.address())
        const env = { ...process.env, PORT: String(ports.length === 1 ? busy : port) }
        return { command: process.execPath, args: [SERVER], env }
      }
    })
    taken.close()
    assert.strictEqual(ports.length, 2)
    assert.strictEqual(service.port, ports[1])
    await service.stop()
  })

  it('kills one that does not listen to SIGTERM', async (t) => {
    const service = await start(t, { DEAF: '1' }, { stopWithinMs: 300 })
    assert.deepStrictEqual(await service.stop(), { code: null, signal: 'SIGKILL', killed: true })
  })

  it('ends with the service it needs, and stops both', async (t) => {
    const [app, needed] = [await start(t), await start(t)]
    const both = withService(app, needed)
    // One that answers has printed: it accepts connections before that.
    await (await fetch(`http://127.0.0.1:${needed.port}/`)).text()
    process.kill(needed.pid, 'SIGKILL')
    assert.strictEqual(await both.ended, 'lost the fixture, which ended by SIGKILL')
    assert.match(both.logTail(), /^ {2}mark/)
    await both.stop()
    assert.strictEqual(alive(app.pid), false)
  })

  it('does not let a service record itself', () => {
    process.env.EDGEWISE_TEST = '1'
    process.env.NODE_OPTIONS = '--no-warnings'
    const environment = plainEnvironment()
    delete process.env.EDGEWISE_TEST
    delete process.env.NODE_OPTIONS
    assert.strictEqual(environment.EDGEWISE_TEST, undefined)
    assert.strictEqual(environment.NODE_OPTIONS, undefined)
    assert.strictEqual(environment.PATH, process.env.PATH)
  })

  it('finds ports that are free, and that the kernel gives to nobody else', async () => {
    const port = await freePort()
    const [first] = fs.readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split('\t').map(Number)
    assert.ok(port >= 10_000 && port < first, `${port}`)
    const server = net.createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    server.close()
  })
})

describe('interruption', () => {
  const script = `
    const { interruptible } = require(${JSON.stringify(path.join(APPS, 'run.js'))})
    const { startService } = require(${JSON.stringify(path.join(APPS, 'service.js'))})
    const { main } = require(${JSON.stringify(path.join(APPS, '../../scripts/tasks/step'))})
    const { setTimeout: sleep } = require('node:timers/promises')
    main(() => interruptible(async signal => {
      const service = await startService({
        name: 'x', log: process.argv[1], signal,
        launch: port => ({ command: process.execPath, args: [${JSON.stringify(SERVER)}], env: { ...process.env, PORT: String(port) } })
      })
      console.log(service.pid)
      if (process.argv[2] === 'throw') setTimeout(() => { throw new Error('a bug') })
      try {
        await sleep(60_000, null, { signal }).catch(() => {})
        signal.throwIfAborted()
      } finally {
        await service.stop()
      }
    }))`

  /** @param {string} how @param {(child: import('node:child_process').ChildProcess) => void} act */
  async function run (how, act, env = {}) {
    const child = spawn(process.execPath, ['-e', script, path.join(folder, `${how}.log`), how],
      { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } })
    const [pid] = await once(child.stdout, 'data')
    act(child)
    const [code] = await once(child, 'close')
    return { code, pid: Number(pid) }
  }

  for (const [signal, code] of /** @type {const} */ ([['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]])) {
    it(`stops what was started on ${signal}`, async () => {
      const ended = await run(signal, child => child.kill(signal))
      assert.strictEqual(ended.code, code)
      assert.strictEqual(alive(ended.pid), false)
    })
  }

  it('does not wait when it is interrupted twice', async () => {
    const began = Date.now()
    const ended = await run('twice', child => {
      child.kill('SIGINT')
      setTimeout(() => child.kill('SIGINT'), 500)
    }, { DEAF: '1' })
    assert.strictEqual(ended.code, 130)
    assert.ok(Date.now() - began < 10_000)
    await sleep(100)
    assert.strictEqual(alive(ended.pid), false)
  })

  it('leaves no load behind when it is interrupted twice', async () => {
    const generator = path.join(folder, 'generator')
    fs.writeFileSync(generator, '#!/bin/sh\necho $$ >&2\nexec sleep 60\n', { mode: 0o755 })
    // The handler comes first: the generator may be heard before spawn() returns.
    const load = `
      process.once('SIGINT', () => process.exit(130))
      require(${JSON.stringify(path.join(APPS, 'load.js'))}).runLoad({ binary: ${JSON.stringify(generator)}, url: '', mix: {}, args: [],
        folder: ${JSON.stringify(folder)}, signal: new AbortController().signal, progress: true })`
    const child = spawn(process.execPath, ['-e', load], { stdio: ['ignore', 'ignore', 'pipe'] })
    const [pid] = await once(child.stderr, 'data')
    child.kill('SIGINT')
    assert.deepStrictEqual(await once(child, 'exit'), [130, null])
    for (let i = 0; i < 100 && alive(Number(pid)); i++) await sleep(10)
    assert.strictEqual(alive(Number(pid)), false)
  })

  it('stops what was started when it fails', async () => {
    const ended = await run('throw', () => {})
    assert.notStrictEqual(ended.code, 0)
    await sleep(100)
    assert.strictEqual(alive(ended.pid), false)
  })
})

describe('runApp', () => {
  const runFolders = () => fs.readdirSync(folder).filter(name => name.startsWith('edgewise-fixture-'))

  it('sends the started process the requests of the load and no others', async () => {
    const counts = path.join(folder, 'counts')
    const samples = path.join(folder, 'samples.csv')
    const said = []
    let log = ''
    const result = await runApp(fixture, {
      rate: 200,
      warmupS: 0.5,
      durationS: 1,
      nodeArgs: ['--no-warnings'],
      env: { COUNTS: counts, MARK: 'given', EDGEWISE_OUT: '/x' },
      load: LOAD,
      samples,
      say: text => said.push(text),
      // It accepts connections before it has printed; loaded, it has.
      onLoaded: running => {
        log = running.logTail()
        assert.strictEqual(runFolders().length, 1)
      }
    })
    assert.match(log, /mark given, edgewise \/x, arguments --no-warnings/)
    assert.strictEqual(result.load.errors, 0, result.load.first_error)
    assert.strictEqual(result.load.unexpected, 0)
    assert.strictEqual(Number(fs.readFileSync(counts, 'utf8')), result.load.sent_total)
    assert.strictEqual(fs.readFileSync(samples, 'utf8').trim().split('\n').length - 1, result.load.sent_total)
    assert.ok(result.load.count < result.load.sent_total)
    assert.deepStrictEqual(result.ended, { code: 0, signal: null, killed: false })
    assert.strictEqual(result.saturation_per_s, null)
    assert.strictEqual(alive(result.pid), false)
    assert.deepStrictEqual(said, ['fixture: 200 requests/s for 0.5 s of warm-up and 1 s'])
    assert.deepStrictEqual(runFolders(), [])
  })

  it('finds the saturation throughput with a bare process', async () => {
    const counts = path.join(folder, 'bare')
    const saturation = await calibrate(fixture, { load: LOAD, env: { COUNTS: counts } })
    assert.ok(saturation > 200, `${saturation}/s`)
    assert.strictEqual(fs.existsSync(counts), false, 'it got the environment of the recorded process')
  })

  it('says how an application that dies under load ended', async () => {
    const began = Date.now()
    await assert.rejects(runApp(fixture, { rate: 200, durationS: 30, load: LOAD, env: { DIE_AFTER: '50' }, say: () => {} }),
      error => {
        assert.match(error.message, /^fixture did not survive the load: it ended with code 3\./)
        assert.match(error.message, /\n {2}the last words$/)
        return true
      })
    assert.ok(Date.now() - began < 15_000, 'the load went on')
  })

  it('stops at a signal', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('enough')), 1500)
    await assert.rejects(runApp(fixture, { rate: 50, durationS: 60, load: LOAD, signal: controller.signal, say: () => {} }), /enough/)
  })

  it('says what is missing when the load generator is', async () => {
    await assert.rejects(runApp(fixture, { rate: 50, load: '/nowhere/edgewise-load', say: () => {} }),
      /\/nowhere\/edgewise-load is missing: run scripts\/setup/)
  })
})

describe('the applications', () => {
  for (const name of NAMES) {
    it(`${name} pins its packages, without addresses`, () => {
      const app = findApp(name)
      assert.strictEqual(app.name, name)
      const manifest = JSON.parse(fs.readFileSync(path.join(APPS, name, 'package.json'), 'utf8'))
      for (const version of Object.values(manifest.dependencies)) assert.match(version, /^\d+\.\d+\.\d+$/)
      const lock = fs.readFileSync(path.join(APPS, name, 'package-lock.json'), 'utf8')
      assert.doesNotMatch(lock, /"resolved"/)
    })
  }

  const usage = [
    [['nosuch'], /no application "nosuch"; there are etherpad, todo, blog, chat, contacts/],
    [[], /one application is expected/],
    [['todo', '--rate', 'fast'], /--rate fast: must be a number from/],
    [['todo', '--duration', '0'], /--duration 0: must be a number from/],
    [['todo', '--env', 'X'], /--env X: must be NAME=VALUE/],
    [['blog', '--workers', '2', '--rate', '1'], /blog cannot run with 2 workers; allowed: 1/],
    [['todo', '--fast'], /--fast/]
  ]
  for (const [args, message] of usage) {
    it(`refuses ${args.join(' ') || 'nothing'}`, async () => {
      const child = spawn(process.execPath, [path.join(APPS, 'run.js'), ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
      let stderr = ''
      child.stderr.on('data', chunk => { stderr += chunk })
      const [code] = await once(child, 'close')
      assert.strictEqual(code, 2)
      assert.match(stderr, /** @type {RegExp} */ (message))
    })
  }
})
