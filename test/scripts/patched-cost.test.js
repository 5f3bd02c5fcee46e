'use strict'

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const path = require('node:path')
const test = require('node:test')
const { inOrder } = require('../../benchmarks/shared/rounds')
const { layOut } = require('../../benchmarks/patched/layouts')
const { page } = require('../../benchmarks/patched/page')
const { summarize, summarizePairs } = require('../../benchmarks/patched/summary')
const { ORDER } = require('../../benchmarks/patched/turns')
const { temporaryTree } = require('./temporary-tree')

const cells = (round, factor = 1) => [
  { name: 'await', variant: 'unpatched', round, first: 10 * factor, off: [], on: [] },
  { name: 'await', variant: 'aa', round, first: 10 * factor, off: [], on: [] },
  { name: 'await', variant: 'patched', round, first: 11 * factor, off: [12 * factor, 12 * factor], on: [12 * factor, 24 * factor, 12 * factor] }
]

test('off is compared with the unpatched Node of its round, on with off of its process', () => {
  const [row] = summarize([...cells(0), ...cells(1, 3)])
  assert.equal(row.processes, 2)
  assert.equal(row.base, 20)
  assert.equal(row.aa.ratio, 1)
  assert.ok(Math.abs(row.off.ratio - 1.1) < 1e-9)
  assert.ok(Math.abs(row.on.ratio - 2 ** (1 / 3)) < 1e-9)
})

test('a round that lacks a variant does not count; none that is whole, no row', () => {
  const [first, ...others] = cells(1)
  assert.equal(summarize([...cells(0), ...others])[0].processes, 1)
  assert.deepEqual(summarize([first]), [])
})

test('of two servers at once the windows of each are compared, a round at a time', () => {
  const pairs = (round, factor) => [
    { name: 'hello', variant: 'aa', round, base: [10 * factor, 10 * factor], compared: [10 * factor, 10 * factor] },
    { name: 'hello', variant: 'off', round, base: [10 * factor, 20 * factor], compared: [11 * factor, 22 * factor] },
    { name: 'hello', variant: 'on', round, base: [10, 10], compared: [12, 10] }
  ]
  const [row] = summarizePairs([...pairs(0, 1), ...pairs(1, 2)])
  assert.equal(row.processes, 2)
  assert.equal(row.base, 15)
  assert.equal(row.aa.ratio, 1)
  assert.ok(Math.abs(row.off.ratio - 1.1) < 1e-9)
  assert.ok(Math.abs(row.on.ratio - Math.sqrt(1.2)) < 1e-9)
  assert.deepEqual(summarizePairs(pairs(0, 1).slice(1)), [])
})

test('on and off take turns around the same middle; each variant comes first as often', () => {
  const middle = (state) => {
    const at = ORDER.flatMap((each, i) => each === state ? [i] : [])
    return at.reduce((sum, i) => sum + i, 0) / at.length
  }
  assert.equal(middle('on'), middle('off'))
  assert.ok(ORDER.every((state, i) => state !== (i === 0 ? 'off' : ORDER[i - 1])), 'each block comes after a switch')
  const firsts = Array.from({ length: 6 }, (_, round) => inOrder(['a', 'b', 'c'], round)[0])
  assert.deepEqual([...firsts].sort(), ['a', 'a', 'b', 'b', 'c', 'c'])
})

test('the page names each workload, and what was not measured has no section', () => {
  const machine = { cpu: 'one', cpus: 2, memoryGb: 4, kernel: '6' }
  const text = page({ plan: { built: 'abc', blockMs: 200 }, machine, micro: cells(0), servers: [] })
  assert.match(text, /\| await an async function that awaits \| 10\.00 \| \+0\.0 % \| \+10\.0 % /)
  assert.doesNotMatch(text, /µs a request/)
})

test('the object files of both builds come in one order, those of A/A in another, and none is lost', async t => {
  const parts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const sources = Object.fromEntries(parts.map(name => [`${name}.cc`, `extern "C" int ${name}() { return 1; }`]))
  const main = `extern "C" int ${parts.join('(), ')}(); int main() { return ${parts.join('() + ')}() - ${parts.length}; }`
  const root = temporaryTree(t, { ...sources, 'main.cc': main })
  execFileSync('g++', ['-c', ...parts.map(name => `${name}.cc`), 'main.cc'], { cwd: root })
  execFileSync('ar', ['rcT', 'parts.a', ...parts.map(name => `${name}.o`)], { cwd: root })
  const command = 'g++ -Wl,--whole-archive parts.a -Wl,--no-whole-archive -o node main.o'
  const link = { directory: root, command, objects: parts.map(name => `${name}.o`) }
  const orderOf = (program) => execFileSync('nm', ['--numeric-sort', program], { encoding: 'utf8' }).match(/(?<= T )[a-h]$/gm)
  for (const round of [0, 1]) {
    const programs = await layOut({ unpatched: link, patched: link }, round, root)
    for (const program of Object.values(programs)) execFileSync(program)
    assert.equal(programs.aa, path.join(root, 'aa'))
    const [unpatched, patched, aa] = [programs.unpatched, programs.patched, programs.aa].map(orderOf)
    assert.deepEqual(patched, unpatched)
    assert.notDeepEqual(aa, unpatched)
    assert.deepEqual([...new Set(aa)].sort(), parts)
  }
})
