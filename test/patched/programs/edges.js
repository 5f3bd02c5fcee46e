'use strict'

// An edge for each pair of events, once, whatever tier runs the callee.

const assert = require('node:assert')
const { setEvent, track, takeEdges, prepare, optimizeOnNextCall } = require('../natives')

const makeCallback = () => { let n = 0; return () => ++n }
const moduleFunction = () => 1
const call = f => f()
const each = (array, f) => array.forEach(f)

assert.ok(track(true))
const inEvent = (id, work) => {
  const previous = setEvent(id)
  try { return work() } finally { setEvent(previous) }
}
let id = 0

// No event, the same event: no edge.
inEvent(++id, () => { moduleFunction(); call(moduleFunction); call(makeCallback()) })
assert.deepStrictEqual(takeEdges(), [])

// Another event: one edge, however often it is called.
function once (phase) {
  const source = ++id
  const callback = inEvent(source, makeCallback)
  const sink = ++id
  inEvent(sink, () => { for (let i = 0; i < 10; i++) call(callback) })
  assert.deepStrictEqual(takeEdges(), [`${source}>${sink} closure`], phase)
  inEvent(sink, () => call(callback))
  assert.deepStrictEqual(takeEdges(), [], `${phase}, the same pair again`)
  const later = ++id
  inEvent(later, () => call(callback))
  assert.deepStrictEqual(takeEdges(), [`${source}>${later} closure`], `${phase}, the next event`)
}
prepare(call)
prepare(makeCallback)
for (let i = 0; i < 20; i++) once('cold')
optimizeOnNextCall(call)
for (let i = 0; i < 20; i++) once('the caller optimized')
optimizeOnNextCall(makeCallback)
for (let i = 0; i < 20; i++) once('the creator optimized')

// The callee optimized by itself.
const hot = inEvent(++id, () => x => x + 1)
const hotSource = id
prepare(hot)
hot(1)
hot(2)
optimizeOnNextCall(hot)
hot(3)
takeEdges()
inEvent(++id, () => { hot(1); hot(2) })
assert.deepStrictEqual(takeEdges(), [`${hotSource}>${id} closure`], 'the callee optimized')

// A callback that is inlined into forEach and into its caller.
const source = ++id
let sum = 0
const add = inEvent(source, () => x => { sum += x })
prepare(each)
prepare(add)
for (let i = 0; i < 5; i++) each([1, 2, 3], add)
optimizeOnNextCall(each)
each([1, 2, 3], add)
takeEdges()
inEvent(++id, () => each([1, 2, 3], add))
assert.deepStrictEqual(takeEdges(), [`${source}>${id} closure`], 'inlined')
assert.strictEqual(sum, 7 * 6)

// Several sources in turn: each pair once.
const sources = [++id, ++id, ++id]
const callbacks = sources.map(event => inEvent(event, makeCallback))
inEvent(++id, () => { for (let i = 0; i < 30; i++) callbacks[i % 3]() })
assert.deepStrictEqual(takeEdges().sort(), sources.map(event => `${event}>${id} closure`).sort())

// Constructors, getters, generators that are resumed, tail positions.
const parts = inEvent(++id, () => ({
  Class: class { constructor () { this.x = 1 } },
  object: { get g () { return 1 } },
  * generate () { yield 1; yield 2 },
  spread: (...args) => args.length
}))
const partSource = id
for (const use of [
  () => new parts.Class(),
  () => parts.object.g,
  () => [...parts.generate()],
  () => parts.spread(...[1, 2]),
  () => Reflect.apply(parts.spread, null, [1]),
  () => [2, 1].sort(parts.spread),
  () => 'a'.replace(/a/, parts.spread)
]) {
  inEvent(++id, use)
  assert.deepStrictEqual(takeEdges(), [`${partSource}>${id} closure`], String(use))
}

// A generator is resumed in another event than it was begun in.
const iterator = inEvent(++id, () => (function * () { yield 1; yield 2; yield 3 })())
const begun = id
inEvent(++id, () => iterator.next())
inEvent(++id, () => iterator.next())
assert.deepStrictEqual(takeEdges(), [`${begun}>${id - 1} closure`, `${begun}>${id} closure`])

// Outside of all events nothing is noted.
call(callbacks[0])
assert.deepStrictEqual(takeEdges(), [])
