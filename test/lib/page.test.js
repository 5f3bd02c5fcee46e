'use strict'

// What the page computes of its columns.

const assert = require('node:assert/strict')
const test = require('node:test')
const { readColumns } = require('../../lib/page/app/data/columns')
const { differencesOf, rowsWith } = require('../../lib/page/app/data/differences')
const { lanesOf, queueWithin, sliceAt, slicesWithin } = require('../../lib/page/app/data/lanes')
const { partsOf } = require('../../lib/page/app/data/parts')
const { MARK, chosen, requestsOf, slowestOf } = require('../../lib/page/app/data/requests')
const { treeOf } = require('../../lib/page/app/data/tree')
const { boxOf, selectedBy, selectionBox } = require('../../lib/page/app/kit/boxes')
const { hashOf, viewOf } = require('../../lib/page/app/kit/link')
const { duration, linear, logarithmic, logTicks, percent, signed, ticks } = require('../../lib/page/app/kit/scales')
const { windowQuery } = require('../../lib/page/app/sources/asked')
const { cellsOf } = require('../../lib/page/app/views/heat')
const { container, recorded } = require('./page-kit')

const MS = 1e6
const NONE = { parent: [], text: [] }

/** A hundred quick ones, each tenth of them behind a slow route. */
function blocked () {
  return requestsOf(readColumns(recorded(Array.from({ length: 100 }, (_, i) => i % 10 === 0
    ? { start: i * 10 * MS, exec: 2 * MS, waits: { redis: 3 * MS }, blocks: { 'GET /slow': 20 * MS, 'garbage collection': MS }, more: { queue_gc: MS, waiting: 5 } }
    : { start: i * 10 * MS, exec: 2 * MS, waits: { redis: 3 * MS }, more: { exec_gc: MS } }))))
}

test('columns are read as they were packed', () => {
  const { head, tables } = readColumns(container({ routes: ['a'] }, { one: { start: [0, 3, 70_000], big: [0, 2 ** 40, 1], none: [0, 0, 0] } }))
  assert.deepEqual(head.routes, ['a'])
  assert.deepEqual([...tables.one.start], [0, 3, 70_000])
  assert.deepEqual([...tables.one.big], [0, 2 ** 40, 1])
  assert.deepEqual([...tables.one.none], [0, 0, 0])
})

test('columns that are none, or cut off, or of another schema are an error', () => {
  const bytes = container({}, { one: { start: [1, 2, 3] } })
  assert.throws(() => readColumns(bytes.subarray(0, 3)), /no columns/)
  assert.throws(() => readColumns(Buffer.from('none at all')), /no columns/)
  assert.throws(() => readColumns(bytes.subarray(0, 20)), /head of the columns is cut off/)
  assert.throws(() => readColumns(bytes.subarray(0, -1)), /column start is cut off/)
  assert.throws(() => readColumns(container({ schema: 2 }, {})), /schema 2/)
})

test('a selection is a box, a band, a strip, or of one route', () => {
  const requests = blocked()
  const count = (/** @type {import('../../lib/page/app/data/requests').Selection} */ selection) => chosen(requests, selection).reduce((sum, mark) => sum + Number(mark === 1), 0)
  assert.equal(count({}), 100)
  assert.equal(count({ least: 20 * MS }), 10)
  assert.equal(count({ from: 100 * MS, to: 200 * MS }), 10)
  assert.equal(count({ from: 100 * MS, to: 200 * MS, least: 20 * MS }), 1)
  assert.equal(count({ least: 1, most: 5 * MS }), 90)
  assert.equal(count({ tail: true }), 100)
  assert.deepEqual([...new Set(chosen(requests, { route: 1 }))], [MARK.none])
})

test('the parts of a selection and of the rest sum to their latency', () => {
  const requests = blocked()
  const { selected, rest, parts } = partsOf(requests, chosen(requests, { least: 20 * MS }))
  assert.deepEqual([selected, rest], [{ count: 10, latency: 260 * MS }, { count: 90, latency: 450 * MS }])
  const sum = (/** @type {'selected' | 'rest'} */ of) => parts.reduce((all, part) => all + part[of], 0)
  assert.deepEqual([sum('selected'), sum('rest')], [260 * MS, 450 * MS])
  const of = Object.fromEntries(parts.map(({ text, selected, rest }) => [text, [selected / MS, rest / MS]]))
  assert.deepEqual(of, { redis: [30, 270], 'behind GET /slow': [200, 0], 'behind garbage collection': [10, 0], code: [20, 90], 'garbage collection': [0, 90] })
})

test('what is not named shares a row, and nothing is lost', () => {
  const waits = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`dependency ${i}`, (i + 1) * MS]))
  const requests = requestsOf(readColumns(recorded([{ start: 0, exec: 0, waits }])))
  const { selected, parts } = partsOf(requests, chosen(requests, {}))
  assert.equal(parts.length, 9)
  assert.equal(parts.at(-1)?.text, '12 others')
  assert.equal(parts.reduce((all, part) => all + part.selected, 0), selected.latency)
})

test('what is different is ranked by shares, however many there are of each', () => {
  const requests = blocked()
  const found = differencesOf(requests, chosen(requests, { least: 20 * MS }))
  const whole = found.filter(({ selected, rest }) => Math.abs(selected - rest) === 1).map(({ attribute, value, selected }) => `${attribute}: ${value} ${selected}`)
  assert.deepEqual(whole, ['queued most behind: GET /slow 1', 'waiting when it came: 4 to 7 1', 'queued most behind: nothing 0', 'waiting when it came: 0 0'])
  assert.deepEqual(found.map(({ selected, rest }) => Math.abs(selected - rest)), found.map(({ selected, rest }) => Math.abs(selected - rest)).sort((a, b) => b - a))
  assert.deepEqual(differencesOf(requests, chosen(requests, {})), [])
  assert.equal(rowsWith(requests, { attribute: 'waiting when it came', value: '4 to 7' }).reduce((sum, mark) => sum + mark, 0), 10)
})

test('a row of many requests counts as many', () => {
  const requests = requestsOf(readColumns(recorded([
    { start: 0, exec: 30 * MS, more: { count: 10, waiting: 20 } },
    { start: 1, exec: 30 * MS, waits: { redis: 10 * MS } }
  ])))
  assert.deepEqual([...requests.mean], [3 * MS, 40 * MS])
  const marks = chosen(requests, { least: 20 * MS })
  const { selected, rest } = partsOf(requests, marks)
  assert.deepEqual([selected.count, rest.count, rest.latency], [1, 10, 30 * MS])
  assert.deepEqual(slowestOf(requests, chosen(requests, {}), 5), [1])
  assert.equal(treeOf(requests, marks, NONE).rest, 3 * MS)
  assert.equal(differencesOf(requests, marks).find(({ attribute, value }) => attribute === 'waiting when it came' && value === '2')?.rest, 1)
})

test('the folded paths of a selection sum to its mean latency', () => {
  const requests = blocked()
  const marks = chosen(requests, { least: 20 * MS })
  const tree = treeOf(requests, marks, NONE)
  assert.deepEqual([tree.selected, tree.rest], [26 * MS, 5 * MS])
  const [route] = tree.children
  assert.deepEqual(route.children.map(({ text, selected }) => [text, selected / MS]), [['queued', 21], ['waited', 3], ['ran', 2]])
  assert.deepEqual(route.children[0].children.map(({ text, selected, rest }) => [text, selected / MS, rest]), [['behind GET /slow', 20, 0], ['behind garbage collection', 1, 0]])
})

test('functions that were sampled are told below what they ran in', () => {
  const requests = requestsOf(readColumns(recorded([
    { start: 0, exec: 4 * MS, blocks: { 'GET /slow': 20 * MS }, frames: [[0, 2, 15 * MS], [0, 3, 5 * MS], [1, 1, 3 * MS], [1, 0, MS]] },
    { start: 1, exec: MS }
  ], { blockers: [{ what: 'GET /slow', kind: 'request', route: 'GET /slow' }, { what: '(itself)', kind: 'own' }] })))
  const tree = treeOf(requests, chosen(requests, { least: 20 * MS }), { parent: [0, 0, 1, 1], text: ['unknown', 'outer', 'inner', 'other'] })
  const [queued, ran] = tree.children[0].children
  assert.deepEqual(queued.children[0].children.map(({ text, selected, children }) => [text, selected / MS, children.map((child) => `${child.text} ${child.selected / MS}`)]), [['outer', 20, ['inner 15', 'other 5']]])
  assert.deepEqual(ran.children[0].children.map(({ text, selected }) => [text, selected / MS]), [['outer', 3], ['unknown', 1]])
})

test('a loop shows what ran in a stretch of time, and who waited', () => {
  const columns = readColumns(container({ windows: [{ from_ns: 0, to_ns: 100, thread: 1 }] }, {
    slices: { begin: [10, 20, 40], length: [10, 15, 5], thread: [1, 1, 1], blocker: [0, 1, 0], off: [0, 0, 1] },
    queues: { at: [0, 12, 30], thread: [1, 1, 1], length: [0, 2, 1] }
  }))
  const [lane] = lanesOf(columns)
  assert.deepEqual(lane.windows, [{ from: 0, to: 100 }])
  assert.deepEqual(slicesWithin(lane, 15, 40).map(({ begin }) => begin), [10, 20])
  assert.deepEqual(queueWithin(lane, 13, 35).map(({ length }) => length), [2, 1])
  assert.equal(sliceAt(lane, 34)?.blocker, 1)
  assert.equal(sliceAt(lane, 36), undefined)
})

test('a server is asked for more of the loop than is seen, and not at each small move', () => {
  const asked = (/** @type {number} */ from, /** @type {number} */ to) => Object.fromEntries([...new URLSearchParams(windowQuery({ from, to }).split('?')[1])].map(([name, value]) => [name, Number(value)]))
  for (let length = 1000; length < 1e12; length *= 7) {
    const questions = new Set()
    for (let i = 0; i < 100; i++) {
      const from = Math.round(5e9 + i * length / 20)
      const { from: first, to, least } = asked(from, from + length)
      assert.ok(first <= from && to >= from + length, `${from} ${length}`)
      assert.ok(least <= length / 1000)
      questions.add(first)
    }
    assert.ok(questions.size <= 7, String(questions.size))
  }
})

test('a click takes what is as slow and slower, a drag a box, a band or a strip', () => {
  const time = linear(0, 1000, 0, 100)
  const latency = logarithmic(1, 1000, 90, 0)
  const size = { width: 100, height: 90 }
  assert.deepEqual(Object.keys(selectedBy({ x: 50, y: 30, toX: 52, toY: 31 }, time, latency)), ['least'])
  assert.deepEqual(selectedBy({ x: 20, y: 30, toX: 60, toY: 31 }, time, latency), { from: 200, to: 600 })
  const band = selectedBy({ x: 20, y: 60, toX: 21, toY: 30 }, time, latency)
  assert.deepEqual([Math.round(Number(band.least)), Math.round(Number(band.most))], [10, 100])
  assert.deepEqual(boxOf({ x: 20, y: 30, toX: 60, toY: 31 }, size), { left: '20px', width: '40px', top: '0px', height: '90px' })
  assert.deepEqual(selectionBox({ from: 200, to: 600 }, time, latency, size), { left: '20px', width: '40px', top: '0px', height: '90px' })
  assert.equal(selectionBox({ route: 1 }, time, latency, size), null)
})

test('the slowest of a selection are listed, slowest first', () => {
  const requests = requestsOf(readColumns(recorded([3, 9, 7, 8].map((exec, i) => ({ start: i, exec })))))
  assert.deepEqual(slowestOf(requests, chosen(requests, { most: 8 }), 2), [3, 2])
})

test('the heat map counts each request once, and what is lit', () => {
  const requests = blocked()
  const marks = chosen(requests, {})
  const lit = chosen(requests, { least: 20 * MS })
  const { counts, lit: lights, most } = cellsOf(requests, marks, linear(0, requests.head.span_ns, 0, 50), logarithmic(MS, 100 * MS, 0, 20), 50, 20, lit)
  assert.equal(counts.reduce((sum, count) => sum + count, 0), 100)
  assert.equal(lights.reduce((sum, count) => sum + count, 0), 10)
  assert.ok(most >= 2)
})

test('an address says what is chosen', () => {
  const view = { from: 3_200, to: 3_900, least: 10, route: 2, request: 7, window: { from: 5, to: 9 } }
  assert.deepEqual(viewOf(hashOf(view)), view)
  assert.deepEqual(viewOf('#t=1-2&l=x-&route=-1&r=a&w=9-5'), { from: 1, to: 2 })
  assert.deepEqual(viewOf(''), {})
})

test('durations, shares and ticks are read by people', () => {
  assert.deepEqual([0, 1, 999, 1234, 56_700, 9.99e5, 1e6, 12.3e6, 123.4e6, 1.5e9, 75e9].map(duration), ['0', '1 ns', '999 ns', '1.23 µs', '56.7 µs', '999 µs', '1.00 ms', '12.3 ms', '123 ms', '1.50 s', '75.0 s'])
  assert.deepEqual([0, 0.0001, 0.05, 0.5, 1].map(percent), ['0.0 %', '<0.1 %', '5.0 %', '50 %', '100 %'])
  assert.deepEqual([1500, -1500, 0].map(signed), ['+1.50 µs', '−1.50 µs', '0'])
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10])
  assert.deepEqual(logTicks(1e6, 1e8), [1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8])
})
