'use strict'

// Predictions from a recorded server.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const test = require('node:test')
const { timedTest } = require('./attempts')
const { edgewise, request, startApp, temporaryDirectory } = require('./recorded-app')

const COUNT = 600
const EVERY_MS = 6 // some 40 % busy

/** @param {any} t @param {string[]} [flags] of Node.js @returns {Promise<string>} the trace's directory */
async function recorded (t, flags = []) {
  const app = await startApp(t, 'demands.js', { flags })
  const answers = []
  for (let i = 0; i < COUNT; i++) {
    answers.push(request(app.port, i % 3 === 0 ? '/works' : '/asks'))
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
  await Promise.all(answers)
  await app.stop()
  return app.out
}

const whatif = (/** @type {string[]} */ args) => edgewise(['whatif', ...args])

async function predicted (args) {
  const { status, stdout, stderr } = await whatif([...args, '--skip', '0', '--json'])
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

timedTest('the recording is reproduced, and changes do what they must', async (t) => {
  const out = await recorded(t)
  const { fit, ranking } = await predicted([out])
  assert.equal(fit.requests, COUNT)
  assert.equal(fit.left_out, 0)
  assert.deepEqual(fit.routes.map(({ route, requests }) => [route, requests]).sort(), [[null, COUNT], ['GET /asks', COUNT * 2 / 3], ['GET /works', COUNT / 3]].sort())
  const [{ percentiles: { p50, p90 } }] = fit.routes
  for (const each of [p50, p90]) assert.ok(Math.abs(each.simulated_ns / each.recorded_ns - 1) < 0.15, JSON.stringify(fit.routes[0]))
  assert.ok(ranking.some(({ name }) => name === 'half the wait for timer'), JSON.stringify(ranking.map(({ name }) => name)))

  const { scenarios: [works] } = await predicted([out, '--route', 'GET /works', '--cpu', '-50%'])
  // Of 7 ms that three requests take the loop, 1.5 go.
  const capacity = works.capacity[1] / works.capacity[0]
  assert.ok(capacity > 1.15 && capacity < 1.35, String(capacity))
  const own = works.routes.find(({ route }) => route === 'GET /works').percentiles.p50
  assert.ok(own.gain[0] < -0.4 && own.gain[0] > -0.6, JSON.stringify(own))

  const { scenarios: [later] } = await predicted([out, '--route', 'GET /asks', '--dependency', 'timer', '--add', '20ms'])
  const asks = later.routes.find(({ route }) => route === 'GET /asks').percentiles.p50
  assert.ok(Math.abs(asks.after_ns[0] - asks.recorded_ns - 20e6) < 2e6, JSON.stringify(asks))
  assert.deepEqual(later.assumed, ['whoever is asked does not queue more for it'])
})

test('each kind of change is taken, and says what it assumed', async (t) => {
  const out = await recorded(t)
  const tier = path.join(temporaryDirectory(t), 'tier')
  fs.writeFileSync(tier, '# ms\n1\n2.5\n')
  const file = path.join(temporaryDirectory(t), 'scenarios.json')
  fs.writeFileSync(file, JSON.stringify([{ name: 'one', changes: [{ kind: 'load', scale: 0.5 }] }, { name: 'other', changes: [{ kind: 'wait', scale: 0 }] }]))
  /** @type {[string[], number, RegExp][]} */
  const cases = [
    [['--dependency', 'timer', '--scale', '0.5'], 1, /^GET|^timer: waits x 0.5/],
    [['--dependency', 'timer', '--tier', tier], 1, /^timer: waits as in/],
    [['--load', '0.5'], 1, /^load x 0.5/],
    [['--cpu', '0.7'], 1, /^0.7 of a processor/],
    [['--neighbour', '20%'], 1, /^a neighbour of 20%/],
    [['--lose-replica', '3', '--retry', '200ms'], 1, /^one of 3 servers lost/],
    [['--route', 'GET /works', '--offload', '1'], 1, /^GET \/works: offloaded/],
    [['--gc', '-50%'], 1, /^garbage collections -50%/],
    [['--workers', '2'], 1, /^2 processes/],
    [['--route', 'GET /works', '--cpu', '-50%', '--curve'], 3, /^10 % of GET \/works: execution -50%/],
    [['--scenarios', file], 2, /^one/]
  ]
  for (const [args, count, name] of cases) {
    const { scenarios, ranking } = await predicted([out, ...args, '--replications', '2'])
    assert.equal(scenarios.length, count, args.join(' '))
    assert.match(scenarios[0].name, name)
    assert.equal(ranking, undefined)
    assert.ok(scenarios[0].utilisation.every(Number.isFinite), args.join(' '))
  }
})

timedTest('larger requests take as much longer as they did in the recording; a larger semi-space means fewer collections', async (t) => {
  const app = await startApp(t, 'sized.js', { flags: ['--max-semi-space-size=1'] })
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const SIZES = 800
  for (let i = 0; i < SIZES; i++) {
    const size = 1000 + (i * 7919) % 4000
    await new Promise((resolve, reject) => {
      http.request({ port: app.port, host: '127.0.0.1', method: 'POST', agent }, (response) => response.resume().on('end', resolve)).on('error', reject).end(Buffer.alloc(size))
    })
  }
  agent.destroy()
  await app.stop()
  const { scenarios: [larger] } = await predicted([app.out, '--input', '2'])
  assert.deepEqual(larger.refused.filter((/** @type {string} */ why) => /cannot be told/.test(why)), [])
  // Of a request of 3000 bytes the work and the garbage are nearly all.
  const [before, after] = larger.capacity
  assert.ok(before / after > 1.6 && before / after < 2.2, `${before} ${after}`)
  const { fit, scenarios: [roomier] } = await predicted([app.out, '--gc', 'semi-space=16'])
  assert.ok(fit.loops[0].collections >= 20)
  assert.deepEqual(roomier.refused.filter((/** @type {string} */ why) => /collections/.test(why)), [])
  assert.ok(roomier.capacity[1] > roomier.capacity[0], JSON.stringify(roomier.capacity))
})

test('services that are recorded at the same time are told together', async (t) => {
  const out = await recorded(t)
  const { together } = await predicted([out, out, '--route', 'GET /works', '--cpu', '-50%', '--processors', '1', '--replications', '2'])
  assert.deepEqual(together.services.map(({ calls }) => calls), [1, 1])
  assert.ok(together.throughput[1] > together.throughput[0])
  assert.deepEqual(together.limited_by, [null, null])
  assert.ok(Math.abs(together.throughput[0] / together.services[0].capacity[0] - 0.5) < 1e-6)
  const nowhere = await whatif([out, out, '--skip', '0', '--route', 'GET /nowhere', '--cpu', '-50%'])
  assert.equal(nowhere.status, 1)
  assert.match(nowhere.stderr, /no request of route GET \/nowhere/)
})

test('what cannot be told is refused, in the text too', async (t) => {
  const out = await recorded(t, ['--min-semi-space-size=64', '--max-semi-space-size=64'])
  const busy = await whatif([out, '--skip', '0', '--load', '10'])
  assert.equal(busy.status, 0)
  assert.match(busy.stdout, /! the loop would be busy for \d+ % of the time: beyond 95 % no latency can be told/)
  assert.match(busy.stdout, /! p99 needs 1000 requests, and there are 600/)
  assert.match(busy.stdout, /assumed: users do not wait for answers/)
  const larger = await whatif([out, '--skip', '0', '--input', '2'])
  assert.equal(larger.status, 0)
  assert.match(larger.stdout, /^requests x 2 as large\n {2}! what the size of requests of any route costs cannot be told/m)
  const roomier = await whatif([out, '--skip', '0', '--gc', 'semi-space=64'])
  assert.match(roomier.stdout, /^semi-space of 64 MB\n {2}! the recording tells of \d+ collections what survived; at least 20 are needed/m)
  const checked = await whatif([out, '--skip', '0', '--load', '1', '--check', out])
  assert.match(checked.stdout, /Predicted, and what really came \(600 requests\):\n.*\n\s+p50 .* yes\n/)
  const goal = await whatif([out, '--skip', '0', '--slo', 'p90=60ms'])
  assert.match(goal.stdout, /Up to [\d.]+ times the recorded load keeps p90 of 60.0 ms: \d+ requests\/s/)
})

test('bad input is named, with what is allowed', async (t) => {
  const out = await recorded(t)
  const broken = path.join(temporaryDirectory(t), 'broken.json')
  fs.writeFileSync(broken, '[{"name": "x", "changes": [{"kind": "magic"}]}]')
  /** @type {[string[], number, RegExp][]} */
  const cases = [
    [[out, '--route', 'GET /nowhere', '--cpu', '-50%'], 1, /no request of route GET \/nowhere/],
    [[out, '--dependency', 'mongodb', '--add', '2ms'], 1, /no request of any route waits for mongodb/],
    [[out, '--route', 'GET /asks', '--parallel', '1,7'], 1, /waits for wait 1 and then for wait 7/],
    [[out, '--skip', '3600'], 1, /all came in the first seconds/],
    [['/nowhere'], 1, /\/nowhere does not exist/],
    [[out, '--cpu', '-150%'], 2, /'-150%' is invalid. Allowed is a change such as -50%/],
    [[out, '--cpu', '1.5'], 2, /at most 100%/],
    [[out, '--add', '2'], 2, /Allowed is a time such as 2ms/],
    [[out, '--retry', '2ms'], 2, /It belongs after --lose-replica/],
    [[out, '--parallel', '2,1'], 2, /Allowed are two numbers of waits/],
    [[out, '--slo', 'p42=1ms'], 2, /Allowed is a goal such as p99=50ms, of p50, p90, p99, p99.9/],
    [[out, '--lose-replica', '1'], 2, /of 1 servers none can be lost/],
    [[out, '--replications', '1', '--load', '2'], 2, /replications 1 is not between 2 and 1000/],
    [[out, '--processors', '2', '--load', '2'], 2, /--processors: give the directories of several services/],
    [[out, '--check', out], 2, /--check: give the one change/],
    [[out, '--gc', 'semi-space=0'], 2, /Allowed are 1 to 512 MB, such as semi-space=64/],
    [[out, '--input', '0'], 2, /Allowed is a number above 0/],
    [[out, '--scenarios', broken], 2, /\[0\].changes\[0\].kind: allowed are cpu, wait/],
    [[out, '--tier', broken], 2, /is no latency in ms/]
  ]
  for (const [args, status, message] of cases) {
    const found = await whatif(['--skip', '0', ...args])
    assert.equal(found.status, status, `${args.join(' ')}: ${found.stderr}`)
    assert.match(found.stderr, message)
    assert.equal(found.stderr.trim().split('\n').length, 1, found.stderr)
  }
})
