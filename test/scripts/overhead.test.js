'use strict'

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { test } = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { codeOf, countsOf } = require('../../benchmarks/overhead/callgrind')
const { differences, partsOf } = require('../../benchmarks/overhead/instructions')
const { change, table } = require('../../benchmarks/overhead/page')
const { pairOf } = require('../../benchmarks/overhead/pairs')
const { summarizePairs } = require('../../benchmarks/overhead/summary')

const about = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-9, `${value} is not ${expected}`)

test('the bare server may be either of a pair', () => {
  const window = (mainUs, ratePerS, p999) => /** @type {any} */ ({ mainUs, ratePerS, latencyUs: { p999 } })
  const windows = {
    saturated: [[window(10, 500, 0), window(11, 400, 0)], [window(20, 250, 0), window(24, 250, 0)]],
    open: [[window(0, 0, 300), window(0, 0, 600)]]
  }
  about(pairOf(windows, 0).mainUs.ratio, Math.sqrt(1.1 * 1.2))
  about(pairOf(windows, 0).mainUs.off, Math.sqrt(10 * 20))
  about(pairOf(windows, 0).ratePerS.ratio, Math.sqrt(0.8 * 1))
  about(pairOf(windows, 0).p999Us?.ratio, 2)
  about(pairOf(windows, 1).mainUs.ratio, 1 / Math.sqrt(1.1 * 1.2))
  about(pairOf(windows, 1).mainUs.off, Math.sqrt(11 * 24))
  about(pairOf(windows, 1).ratePerS.off, Math.sqrt(400 * 250))
  about(pairOf(windows, 1).p999Us?.off, 600)
  assert.ok(!('p999Us' in pairOf({ ...windows, open: [] }, 0)), 'not every variant has open windows')
})

test('a pair is one number; the interval is over pairs', () => {
  const of = (variant, ratio, off) => ({
    server: 'hello',
    variant,
    mainUs: { off, ratio },
    ratePerS: { off: 1000, ratio: 1 / ratio },
    ...variant === 'promises' && { p999Us: { off: 300, ratio: 1 } }
  })
  const [row, other] = summarizePairs({ pairs: [of('promises', 1.1, 10), of('shared', 3, 10), of('promises', 1.2, 12)] })
  const { mainUs, ratePerS, p999Us } = /** @type {Required<typeof row.measures>} */ (row.measures)
  assert.deepEqual([row.variant, row.pairs, mainUs.off, ratePerS.off, p999Us.off], ['promises', 2, 11, 1000, 300])
  about(mainUs.ratio.ratio, Math.sqrt(1.1 * 1.2))
  about(ratePerS.ratio.ratio, 1 / Math.sqrt(1.1 * 1.2))
  assert.ok(mainUs.ratio.low < 1.1 && mainUs.ratio.high > 1.2)
  assert.deepEqual([other.variant, other.measures.mainUs?.ratio.high, other.measures.p999Us], ['shared', Infinity, undefined])
  about(other.measures.mainUs.ratio.ratio, 3)
})

test('a measure is of the pairs that have it, and the page says of how many', () => {
  const of = (more) => ({ server: 'hello', variant: 'loaded-off', mainUs: { off: 10, ratio: 1 }, ratePerS: { off: 100, ratio: 1 }, ...more })
  const rows = summarizePairs({ pairs: [of({}), of({ p999Us: { off: 300, ratio: 1.1 } }), of({ p999Us: { off: 500, ratio: 1.1 } })] })
  const [{ pairs, measures: { mainUs, p999Us } }] = rows
  assert.deepEqual([pairs, mainUs?.ratio.runs, p999Us?.ratio.runs, p999Us?.off], [3, 3, 2, 400])
  const told = table([], rows).split('\n').find((line) => line.includes('loaded-off'))
  assert.match(told ?? '', /│ \+0\.0 % \[\+0\.0, \+0\.0\] +│ 100 .*│ 400 +│ \+10\.0 % \[\+10\.0, \+10\.0\] \(2 pairs\) │/)
})

test('what is twice as much or more is told as so many times', () => {
  const of = (ratio, low, high) => change({ ratio, low, high, runs: 5 })
  assert.equal(of(0.995, 0.9901, 1.001), ' -0.5 % [-1.0, +0.1]')
  assert.equal(of(1.999, 1.5, 2.5), ' +99.9 % [+50.0, +150.0]')
  assert.equal(of(2, 1.5, 2.54), ' x 2 [1.5, 2.5]')
  assert.equal(of(4222.2613, 1016.449, 17539.023), ' x 4200 [1000, 18000]')
})

test('instructions are counted by function: of V8\'s own code what was last at its address', () => {
  const map = ['1000 100 JS:^f a.js:1:2', '1000 80 JS:*f a.js:1:2', '2000 10 JS:*g b.js:3:4'].join('\n')
  const annotated = `
Ir
40,001 (80.0%)  ???:0x0000000000001004 [???]
5 ( 0.0%)  ???:0x0000000000001090 [???]
7 ( 0.0%)  ???:0x0000000000003000 [???]
300 ( 0.1%)  ???:edgewise::Close(unsigned long) [/build/edgewise.node]
2 ( 0.0%)  ???:edgewise::Close(unsigned long)'2 [/build/edgewise.node]
50,315 (100.0%)  PROGRAM TOTALS`
  const counts = countsOf(annotated, codeOf(map))
  assert.deepEqual([...counts], [['JS:*f a.js', 40_001], ['JS:^f a.js', 5], ['JS: (unknown)', 7], ['edgewise::Close(unsigned long)', 302]])
})

test('what recording adds is told by part and by function', () => {
  const ours = `JS:*end ${path.join(__dirname, '../../lib')}/instrument/servers/http.js`
  const off = new Map([['read', 21], ['f', 500]])
  const on = new Map([['f', 510], [ours, 200], ['void edgewise::Enter<int>(long)', 90]])
  assert.deepEqual(differences(off, on).map(({ name, off, on }) => [name, on - off]),
    [[ours, 200], ['void edgewise::Enter<int>(long)', 90], ['read', -21], ['f', 10]])
  assert.deepEqual(partsOf(differences(off, on)).map(({ off, on }) => on - off), [90, 200, -11, 279])
})

test('the load does not outlive the benchmark', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-overhead-test-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  const [generator, file] = ['generator', 'pid'].map((name) => path.join(folder, name))
  fs.writeFileSync(generator, `#!/bin/sh\necho $$ > ${file}.part && mv ${file}.part ${file}\nexec sleep 60\n`, { mode: 0o755 })
  const program = `process.once('SIGINT', () => process.exit(130))
    require(${JSON.stringify(path.join(__dirname, '../../benchmarks/shared/load'))})
      .runLoad('http://127.0.0.1:1', [], { cpus: '0', generator: ${JSON.stringify(generator)} })`
  const benchmark = spawn(process.execPath, ['-e', program], { stdio: 'inherit' })
  while (!fs.existsSync(file)) await sleep(10)
  const pid = Number(fs.readFileSync(file, 'utf8'))
  benchmark.kill('SIGINT')
  assert.deepEqual(await once(benchmark, 'close'), [130, null])
  for (let i = 0; i < 100 && runs(pid); i++) await sleep(10)
  assert.ok(!runs(pid))
})

/** @param {number} pid @returns {boolean} false also of one whose parent has not yet asked how it ended */
function runs (pid) {
  return fs.existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
}
