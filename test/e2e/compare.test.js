'use strict'

// Comparisons of recorded servers whose difference is known.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { timedTest } = require('./attempts')
const { edgewise, request, startApp, temporaryDirectory } = require('./recorded-app')

const EVERY_MS = 10
const SECONDS = 12
/** A short recording is told in short blocks. */
const BLOCK = ['--block', '500ms']
/** So long that the latency of a busy machine does not remember half as much. */
const BUSY_BLOCK = '1500ms'

/**
 * Records servers at the same time, with the same load on each.
 * @param {any} t
 * @param {NodeJS.ProcessEnv[]} versions the environment of each
 * @param {{ shares?: number[], seconds?: number }} [load] of /works, on each
 * @returns {Promise<string[]>} the traces' directories
 */
async function recorded (t, versions, { shares = [], seconds = SECONDS } = {}) {
  const apps = []
  for (const env of versions) apps.push(await startApp(t, 'demands.js', { env }))
  const answers = []
  const ends = performance.now() + 1000 * seconds
  for (let i = 0; performance.now() < ends; i++) {
    for (const [k, app] of apps.entries()) answers.push(request(app.port, (i % 10) / 10 < (shares[k] ?? 0.3) ? '/works' : '/asks'))
    await sleep(EVERY_MS)
  }
  await Promise.all(answers)
  for (const app of apps) await app.stop()
  return apps.map(({ out }) => out)
}

/** @param {string[]} args */
async function compared (args) {
  const { status, stdout, stderr } = await edgewise(['compare', ...args, '--skip', '0', '--resamples', '2000', ...BLOCK, '--json'])
  assert.ok(stdout, stderr)
  return { status, found: JSON.parse(stdout) }
}

const sumOf = (/** @type {any[]} */ parts, /** @type {(part: any) => number} */ of) => parts.reduce((sum, part) => sum + of(part), 0)

timedTest('a dependency that is slower is found, and how much it is', async (t) => {
  const [a, b] = await recorded(t, [{}, { WAITS_MS: '30' }])
  const { found } = await compared([a, b])
  assert.equal(found.concurrent, true)
  assert.deepEqual(found.refused, [])
  const { p50, p90 } = found.percentiles
  // Most requests wait 10 ms, and run 2; then it is 30.
  for (const { change } of [p50, p90]) assert.ok(change.low > 0.5 && change.high < 2.5, JSON.stringify(change))
  const io = found.why.find(({ part }) => part === 'io')
  assert.ok(Math.abs(io.change_ns.value - 0.7 * 20e6) < 2e6, JSON.stringify(io))
  assert.equal(io.details[0].name, 'timer')
  for (const parts of [found.why, found.why_tail]) {
    for (const part of parts.filter(({ details }) => details.length > 0)) {
      assert.ok(Math.abs(sumOf(part.details, ({ change_ns: { value } }) => value) - part.change_ns.value) < 1e3 + 1e-3 * part.a_ns, JSON.stringify(part))
    }
  }
  const [asks, works] = found.routes
  assert.equal(asks.route, 'GET /asks')
  assert.ok(asks.chance < 0.01, JSON.stringify(asks))
  assert.ok(!(works.p50.low > 0.5), JSON.stringify(works))

  const { found: back } = await compared([b, a])
  assert.ok(back.percentiles.p50.change.high < 0, JSON.stringify(back.percentiles.p50))
})

timedTest('a budget: kept, exceeded, undecided, and refused', async (t) => {
  const [a, b] = await recorded(t, [{}, { WAITS_MS: '30' }])
  const told = async (/** @type {string[]} */ args) => {
    const { status, found } = await compared(args)
    return [status, found.budget.outcome]
  }
  assert.deepEqual(await told([a, b, '--budget', '+5 % p50']), [1, 'exceeded'])
  assert.deepEqual(await told([a, b, '--budget', '+400% p50']), [0, 'kept'])
  const { found: { percentiles: { p50: { change } } } } = await compared([a, b])
  assert.deepEqual(await told([a, b, '--budget', `+${(100 * change.value).toFixed(3)} % p50`]), [3, 'undecided'])
  assert.deepEqual(await told([a, b, '--budget', '+5 % p99.9']), [3, 'refused'])
})

timedTest('the same is not said to be slower, nor to be equal', async (t) => {
  const [a, b] = await recorded(t, [{}, {}])
  const { found } = await compared([a, b])
  const { change } = found.percentiles.p50
  assert.ok(change.low < 0.03 && change.high > -0.03, JSON.stringify(change))
  const { stdout } = await edgewise(['compare', a, b, '--skip', '0', ...BLOCK, '--percentile', 'p50', '--resamples', '400'])
  if (change.low < 0 && change.high > 0) assert.match(stdout, /^B's p50 is within \[-[\d.]+ %, \+?[\d.]+ %\] of A's; A\/A/)
  assert.match(stdout, /latency remembers/)
})

test('what cannot be told is refused, with the reason', async (t) => {
  const [a, b] = await recorded(t, [{}, { EDGEWISE_CAUSALITY: 'events' }], { seconds: 3 })
  const other = await compared([a, b])
  assert.ok(other.found.refused.some((why) => /^A was recorded with causality promises.*B with causality events/.test(why)), JSON.stringify(other.found.refused))
  assert.equal(other.status, 0)
  const { stdout } = await edgewise(['compare', a, b, '--skip', '0', ...BLOCK])
  assert.match(stdout, /^No verdict: A was recorded with/)

  const few = await compared([a, a])
  assert.ok(few.found.refused.some((why) => /blocks of .* are too few, 20 a side are needed: record 10 s/.test(why)), JSON.stringify(few.found.refused))

  // Another mixture, at another time.
  const [later] = await recorded(t, [{}], { shares: [0.8], seconds: 3 })
  const mixed = await compared([a, later])
  assert.equal(mixed.found.concurrent, false)
  assert.ok(mixed.found.refused.some((why) => /^the share of a route differs by/.test(why)), JSON.stringify(mixed.found.refused))
})

timedTest('one recording is split by its processes, and by Node.js', async (t) => {
  const [a, b] = await recorded(t, [{}, { WAITS_MS: '30' }])
  const both = path.join(temporaryDirectory(t), 'both')
  fs.mkdirSync(both)
  for (const directory of [a, b]) {
    for (const name of fs.readdirSync(directory).filter((name) => name.endsWith('.ewt'))) fs.copyFileSync(path.join(directory, name), path.join(both, name))
  }
  const { found } = await compared([both, '--by', 'process'])
  assert.equal(found.values.length, 2)
  const [fast, slow] = found.values.map(({ percentiles }) => percentiles.p50.change).sort((one, other) => one.value - other.value)
  assert.ok(fast.high < 0 && slow.low > 0, JSON.stringify([fast, slow]))
  assert.match((await edgewise(['compare', both, '--by', 'process', '--skip', '0', ...BLOCK, '--resamples', '400'])).stdout, /^Each against all others: 2 values/)
  const same = await edgewise(['compare', both, '--by', 'node', '--skip', '0'])
  assert.equal(same.status, 1)
  assert.match(same.stderr, /there is nothing to compare: all requests are of Node\.js v/)
})

test('--watch waits for what is not there yet, but not longer than it may', async (t) => {
  const [a, b] = [temporaryDirectory(t), temporaryDirectory(t)]
  const { status, stderr } = await edgewise(['compare', a, b, '--watch', '--for', '1'])
  assert.equal(status, 1)
  assert.match(stderr, /no trace in .*\n.*there is nothing to compare yet: both must have answered requests\n$/)
})

timedTest('--watch looks while both are recorded, until there is a verdict', async (t) => {
  const apps = [await startApp(t, 'demands.js'), await startApp(t, 'demands.js', { env: { WAITS_MS: '20' } })]
  const load = setInterval(() => {
    for (const app of apps) request(app.port, '/asks').catch(() => {})
  }, EVERY_MS)
  t.after(() => clearInterval(load))
  await sleep(1000)
  const { status, stderr, stdout } = await edgewise(['compare', ...apps.map(({ out }) => out), '--watch', '--for', '150', '--budget', '+20 % p50', '--skip', '0', '--resamples', '1000', '--block', BUSY_BLOCK])
  clearInterval(load)
  assert.equal(status, 1, stderr + stdout)
  assert.match(stderr, /blocks of .* are too few/, 'the first look')
  assert.match(stderr, /exceeded/)
  for (const app of apps) await app.stop()
})
