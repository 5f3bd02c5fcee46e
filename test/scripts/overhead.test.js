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
const { summarizeSwitching } = require('../../benchmarks/overhead/summary')
const { ORDERS, blockOf } = require('../../benchmarks/overhead/switching')

const about = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-9, `${value} is not ${expected}`)

// The second process is a third slower, and the machine slows down meanwhile;
// recording costs a tenth.
const windows = (order) => order.map((who, i) => {
  const speed = 1 + i / 10
  return { who, us: [10 * speed * (who === 'first' ? 1.1 : 1), 13 * speed * (who === 'second' ? 1.1 : 1)] }
})

test('how two servers differ, and how fast the machine is, cancels out', () => {
  for (const order of ORDERS) {
    const block = blockOf(windows(order))
    about(block.on, 1.1)
    about(block.aa, 1)
    assert.ok(block.offUs > 10 && block.offUs < 16)
  }
})

test('each state follows each other one; the first is on before the second as often as after it', () => {
  for (const order of ORDERS) assert.deepEqual([...order].sort(), ['first', 'none', 'none', 'second'])
  const follows = ORDERS.flatMap((order) => order.slice(1).map((who, i) => `${order[i]} ${who}`)).filter((each) => each !== 'none none')
  assert.equal(new Set(follows).size, 6)
  const begins = ORDERS.map((order) => order.indexOf('first') < order.indexOf('second'))
  assert.equal(begins.filter(Boolean).length, ORDERS.length / 2)
})

test('a pair is one number; the interval is over pairs', () => {
  const block = (on) => ({ offUs: 10, aa: 1, on })
  const one = { server: 'hello', variant: 'promises' }
  const switching = [{ ...one, blocks: [block(1.1), block(1.3)] }, { ...one, variant: 'shared', blocks: [block(3)] }, { ...one, blocks: [block(1.2)] }]
  const [row, other] = summarizeSwitching({ switching })
  assert.deepEqual([row.variant, other.variant, other.pairs], ['promises', 'shared', 1])
  assert.equal(row.pairs, 2)
  about(row.on.ratio, Math.sqrt(Math.sqrt(1.1 * 1.3) * 1.2))
  assert.equal(row.on.runs, 2)
  assert.equal(row.aa.ratio, 1)
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
  const ours = `JS:*end ${path.join(__dirname, '../../lib')}/instrument/http.js`
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
    require(${JSON.stringify(path.join(__dirname, '../../benchmarks/overhead/load'))})
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
