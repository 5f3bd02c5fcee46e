'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { countRequests } = require('../../lib/instrument/servers/counted')
const { cpuList, cpusOf, parseCpus, processorNs, quotaOf, sharing } = require('../../lib/slow/cores')
const { cutsOf, parseCuts } = require('../../lib/slow/cuts')
const { measure, pauseNs, predicted, throughput } = require('../../lib/slow/model')
const { neighbourhoods } = require('../../lib/slow/poker')
const { render } = require('../../lib/slow/render')
const { against, asJson, whole } = require('../../lib/slow/result')
const { collect, parsePlace, parseService } = require('../../lib/slow/services')
const { packageCopy } = require('./package-copy')
const { tandem } = require('./slow-tandem')

/** @param {{ after: (fn: () => any) => void }} t */
function temporary (t) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'ew-slow-'))
  t.after(() => fs.rmSync(directory, { recursive: true, force: true }))
  return directory
}

const DEMANDS = { front: 200, target: 400, behind: 300 }

test('equation 9: services of known demands, the target faster by any part of its own', () => {
  for (const cut of [40, 100, 200, 390]) {
    const pause = pauseNs({ cutNs: cut * 1000, batch: 50, parallel: 1 }) / 1000
    const slowed = tandem(DEMANDS, { target: 'target', batch: 50, pauseUs: pause })
    const measured = /** @type {any} */ (measure(slowed))
    const faster = 1e6 / Math.max(200, 400 - cut, 300)
    const found = predicted(measured, measured.rounds * pause / 1e6)
    assert.ok(Math.abs(found / faster - 1) < 0.01, `cut by ${cut} µs: ${found} predicted, ${faster} known`)
    assert.ok(throughput(measured) < 1e6 / 400 * 1.01, String(throughput(measured)))
  }
})

test('equation 9: a target that limits nothing brings nothing', () => {
  const pause = pauseNs({ cutNs: 150_000, batch: 50, parallel: 1 }) / 1000
  const measured = /** @type {any} */ (measure(tandem(DEMANDS, { target: 'front', batch: 50, pauseUs: pause })))
  const found = predicted(measured, measured.rounds * pause / 1e6)
  assert.ok(Math.abs(found / 2500 - 1) < 0.01, String(found))
})

test('a target that is asked twice is faster by twice the cut, a request of a user', () => {
  assert.equal(pauseNs({ cutNs: 1000, batch: 50, parallel: 1 }), 50_000)
  assert.equal(pauseNs({ cutNs: 1000, batch: 50, parallel: 2 }), 25_000)
  assert.equal(pauseNs({ cutNs: 1000, batch: 50, parallel: 1, calls: 2.5 }), 125_000)
})

test('a window holds whole rounds, and is none with too few of them', () => {
  const counts = (/** @type {number} */ each, /** @type {number} */ everyMs) => Array.from({ length: 101 }, (_, i) => ({ atMs: i * everyMs, count: i * each }))
  const measured = measure({ front: counts(10, 4), rounds: counts(50, 35).slice(1, 12) })
  assert.deepEqual(measured, { seconds: 0.35, requests: 875, rounds: 10, calls: 500 })
  assert.equal(measure({ front: counts(10, 4), rounds: counts(50, 35).slice(0, 10) }), null)
  assert.equal(measure({ front: counts(10, 4).slice(0, 1), rounds: counts(50, 35) }), null)
  // What was not seen of the first service's requests is no part of it.
  assert.deepEqual(measure({ front: counts(10, 4).slice(20, 95), rounds: counts(50, 20) }), { seconds: 0.28, requests: 700, rounds: 14, calls: 700 })
})

test('processors: lists', () => {
  assert.equal(cpuList(parseCpus('4,0-2') ?? []), '0,1,2,4')
  for (const text of ['', 'x', '2-1', '1,', '99999']) assert.equal(parseCpus(text), null, text)
  assert.deepEqual([...cpusOf([process.pid])].length > 0, true)
  assert.ok(processorNs([process.pid]) > 0)
})

test('processors: none may be shared with the target; others may share, and that is said', () => {
  const placed = (/** @type {Record<string, string>} */ all) => Object.entries(all).map(([name, cpus]) => ({ name, cpus: /** @type {Set<number>} */ (parseCpus(cpus)) }))
  assert.deepEqual(sharing(placed({ front: '1', users: '0', orders: '2' }), 'users'), { refused: null, shared: [] })
  assert.deepEqual(sharing(placed({ front: '1', users: '0', orders: '1' }), 'users'), { refused: null, shared: ['front', 'orders'] })
  const { refused } = sharing(placed({ front: '0-1', users: '0', orders: '2' }), 'users')
  assert.match(refused ?? '', /^users and front may both run on processor 0: .*--cpus users=0 --cpus front=1, .*taskset/)
})

test('a quota of processor time is found, of the service or of what it is in', (t) => {
  const directory = temporary(t)
  const put = (/** @type {string} */ name, /** @type {string} */ text) => {
    fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true })
    fs.writeFileSync(path.join(directory, name), text)
  }
  const quota = () => quotaOf(7, path.join(directory, 'cgroups'), path.join(directory, 'proc'))
  put('proc/7/cgroup', '0::/app/web\n')
  assert.equal(quota(), null)
  put('cgroups/app/web/cpu.max', 'max 100000\n')
  assert.equal(quota(), null)
  put('cgroups/app/cpu.max', '50000 100000\n')
  assert.equal(quota(), path.join(directory, 'cgroups/app/cpu.max'))
  put('proc/7/cgroup', '3:memory:/x\n2:cpu,cpuacct:/app\n')
  put('cgroups/cpu,cpuacct/app/cpu.cfs_quota_us', '-1\n')
  assert.equal(quota(), null)
  put('cgroups/cpu,cpuacct/app/cpu.cfs_quota_us', '50000\n')
  assert.equal(quota(), path.join(directory, 'cgroups/cpu,cpuacct/app/cpu.cfs_quota_us'))
})

test('cuts: times and shares of what a request takes', () => {
  assert.deepEqual(parseCuts('200us,1.5ms,50%'), [{ ns: 200_000 }, { ns: 1_500_000 }, { share: 0.5 }])
  assert.deepEqual(parseCuts('-20%'), [{ share: 0.2 }])
  for (const text of ['', '5', '0ms', '101%', '1ms,', 'fast']) assert.equal(parseCuts(text), null, text)
  assert.deepEqual(cutsOf([{ ns: 200_000 }, { share: 0.5 }], 600_000), [{ name: '200 µs', ns: 200_000 }, { name: '50 % (300 µs)', ns: 300_000 }])
})

test('services: by options, by a file, and what is wrong with them', (t) => {
  assert.deepEqual(parseService('users=node users.js'), { name: 'users', command: ['node users.js'], shell: true })
  assert.deepEqual(parseService('users=4711'), { name: 'users', pid: 4711 })
  assert.deepEqual([parseService('users'), parseService('=x'), parseService('users= ')], [null, null, null])
  assert.deepEqual([parsePlace('users=0-1'), parsePlace('users=x'), parsePlace('users')], [{ name: 'users', cpus: '0-1' }, null, null])

  const file = path.join(temporary(t), 'services.json')
  const given = (/** @type {any} */ services) => {
    fs.writeFileSync(file, JSON.stringify({ services }))
    return () => collect({ services: file, command: [], target: 'users' })
  }
  assert.deepEqual(given([{ name: 'front', command: ['node', 'front.js'], cpus: '1', env: { PORT: '1' } }, { name: 'users', command: 'node users.js' }])(), [
    { name: 'front', command: ['node', 'front.js'], cpus: '1', env: { PORT: '1' } },
    { name: 'users', command: ['node users.js'], shell: true }
  ])
  /** @type {[any, RegExp][]} */
  const wrong = [
    [{}, /"services" must be a list/],
    [[{ name: 'users', comand: 'x' }], /services\[0\]\.comand is not known: allowed are name, command/],
    [[{ command: 'x' }], /services\[0\]\.name is missing/],
    [[{ name: 'users' }], /services\[0\]: give it either a command or a pid/],
    [[{ name: 'users', pid: 'x' }], /services\[0\]\.pid is "x": allowed is a process id/],
    [[{ name: 'users', pid: 7, cpus: 'x' }], /services\[0\]\.cpus is "x": allowed is a list/],
    [[{ name: 'users', command: [] }], /services\[0\]\.command is \[\]: allowed is/],
    [[{ name: 'front', pid: 7 }], /--target users: no such service; there are front/],
    [[{ name: 'users', pid: 7 }], /users is the only service/],
    [[{ name: 'users', pid: 7 }, { name: 'users', pid: 8 }], /two services are named users/]
  ]
  for (const [services, message] of wrong) assert.throws(given(services), message)
  const common = { service: [{ name: 'users', pid: 7 }], command: ['node', 'front.js'], target: 'users' }
  assert.deepEqual(collect({ ...common, cpus: [{ name: 'front', cpus: '1' }] })[0], { name: 'front', command: ['node', 'front.js'], cpus: '1' })
  assert.throws(() => collect({ ...common, cpus: [{ name: 'users', cpus: '1' }] }), /process 7 runs already; place it with: taskset -a -p -c 1 7/)
  assert.throws(() => collect({ ...common, cpus: [{ name: 'orders', cpus: '1' }] }), /--cpus orders=1: no such service; there are front, users/)
})

test('word of a round comes to each poker once, and none tells many', () => {
  for (const count of [1, 2, 5, 6, 30]) {
    const sockets = Array.from({ length: count }, (_, i) => `${i}`)
    const told = neighbourhoods(sockets)
    assert.deepEqual(told.flat().sort(), sockets.slice(1).sort())
    for (const [i, each] of told.entries()) {
      assert.ok(each.length <= 4)
      assert.ok(each.every((other) => Number(other) > i))
    }
  }
})

const RUNS = [
  [1, null, 1000, 1000], [1, 'idle', 990, 1000], [1, '50 %', 800, 1200],
  [2, null, 1010, 1010], [2, 'idle', 1000, 1010], [2, '50 %', 820, 1250],
  [3, null, 990, 990]
].map(([repetition, cut, seen, wanted]) => ({ repetition, cut, throughput: seen, predicted: wanted, rounds: 100, pausedNs: 1, processorNs: [] }))

test('a repetition that was interrupted counts for nothing; gains are those of each repetition', () => {
  const runs = whole(/** @type {any} */ (RUNS))
  assert.deepEqual(new Set(runs.map(({ repetition }) => repetition)), new Set([1, 2]))
  const { gain: [gain, low, high], throughput: each } = asJson(against(runs, '50 %'))
  assert.deepEqual(each, [1200, 1250])
  assert.ok(Math.abs(gain - (Math.sqrt(1.2 * 1250 / 1010) - 1)) < 1e-12)
  assert.ok(low < gain && gain < /** @type {number} */ (high))
})

test('text: the finding, what pausing costs, each repetition; one repetition has no interval', () => {
  const runs = whole(/** @type {any} */ (RUNS))
  const result = {
    target: 'users',
    throughput: 1005,
    cuts: [{ name: '50 %', ns: 1, ...asJson(against(runs, '50 %')) }],
    idle: { name: 'idle', ...asJson(against(runs, 'idle')) },
    services: [{ name: 'front', cpus: '1', busy: 0.5 }, { name: 'users', cpus: '0', busy: 0.97 }],
    notes: ['something to know'],
    runs
  }
  const text = render(result)
  assert.match(text, /^users faster by 50 % a request: 1,005 -> 1,225 requests\/s, \+21\.9 % \[.*\]$/m)
  assert.match(text, /what pausing costs by itself: \+0\.0 % \[/)
  assert.match(text, /^! something to know$/m)
  assert.match(text, /^ {2}users +0 +0\.97 {2}the target$/m)
  assert.match(text, /^ {2}2 +1,010 +1,010 +820 +1,250$/m)
  const one = runs.filter(({ repetition }) => repetition === 1)
  const once = { ...result, runs: one, cuts: [{ name: '50 %', ns: 1, ...asJson(against(one, '50 %')) }], idle: { name: 'idle', ...asJson(against(one, 'idle')) } }
  assert.match(render(once), /\+20\.0 % \(one repetition has no interval\)/)
})

test('command line: what is missing or wrong exits with 2 and says what is allowed', (t) => {
  const { run } = packageCopy(t)
  const asked = (/** @type {string[]} */ ...args) => run(['slow', ...args, '--', 'node', 'front.js'])
  /** @type {[string[], RegExp][]} */
  const cases = [
    [['--by', '1ms'], /required option '--target <NAME>' not specified/],
    [['--target', 'a'], /required option '--by <LIST>' not specified/],
    [['--target', 'a', '--by', '1'], /'1' is invalid. Allowed are times such as 200us/],
    [['--target', 'a', '--by', '1ms', '--service', 'a'], /'a' is invalid. Allowed is a name and a command/],
    [['--target', 'a', '--by', '1ms', '--cpus', 'a'], /'a' is invalid. Allowed is a name and a list/],
    [['--target', 'a', '--by', '1ms', '--load-cpus', 'a'], /'a' is invalid. Allowed is a list of processors/],
    [['--target', 'a', '--by', '1ms', '--batch', '0'], /'0' is invalid. Allowed is a whole number above 0/],
    [['--target', 'a', '--by', '1ms', '--calls', '-1'], /'-1' is invalid. Allowed is a number above 0/],
    [['--target', 'a', '--by', '1ms', '--service', 'a=x'], /there is no load: give --url, --mix or --load/],
    [['--target', 'a', '--by', '1ms', '--url', '/', '--load', 'x'], /cannot be used with option/],
    [['--target', 'b', '--by', '1ms', '--url', '/', '--service', 'a=x'], /--target b: no such service; there are front, a/]
  ]
  for (const [args, message] of cases) {
    const { status, stdout, stderr } = asked(...args)
    assert.equal(status, 2, stderr)
    assert.equal(stdout, '')
    assert.match(stderr, message)
    assert.match(stderr, /^edgewise: .+\n$/)
  }
})

test('command line: without its program it says what to do', (t) => {
  const { run } = packageCopy(t)
  const { status, stderr } = run(['slow', '--target', 'a', '--by', '1ms', '--url', '/', '--service', 'a=x', '--', 'node', 'front.js'])
  assert.equal(status, 1)
  assert.match(stderr, /^edgewise: edgewise-poker is not built for Node v.*; next step: .*\n$/)
})

test('requests are counted as they begin, while somebody follows', async (t) => {
  const server = http.createServer((request, response) => response.end())
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  t.after(() => server.close())
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const ask = () => new Promise((resolve) => http.get({ port, host: '127.0.0.1' }, (response) => response.resume().once('end', resolve)))
  /** @type {string[]} */
  const told = []
  const end = countRequests({ every: 2 }, (line) => told.push(line))
  for (let i = 0; i < 5; i++) await ask()
  end()
  for (let i = 0; i < 5; i++) await ask()
  assert.deepEqual(told.map((line) => line.split(' ')[0]), ['2', '4'])
  const times = told.map((line) => BigInt(line.split(' ')[1]))
  assert.ok(times[0] < times[1] && times[1] < process.hrtime.bigint())
  assert.throws(() => countRequests({ every: 0 }, () => {}), /every is 0: allowed is a whole number above 0/)
})
