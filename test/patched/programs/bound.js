'use strict'

// A bound function carries the event that bound it: its target may have none.

const assert = require('node:assert')
const { eventOf, setEvent, track, takeEdges, prepare, optimizeOnNextCall } = require('../natives')

function moduleFunction (...args) { return [this, ...args] }
class ModuleClass { constructor (x) { this.x = x } }
const bind = (...args) => moduleFunction.bind('receiver', ...args)
const call = f => f(9)
let id = 0
const inEvent = (event, work) => {
  const previous = setEvent(event)
  try { return work() } finally { setEvent(previous) }
}

assert.ok(track(true))
prepare(bind)
prepare(call)
for (const phase of ['cold', 'warm', 'warmer', 'optimized', 'optimized again']) {
  if (phase === 'optimized') { optimizeOnNextCall(bind); optimizeOnNextCall(call) }
  for (const args of [[], [1], [1, 2, 3]]) {
    const source = ++id
    const bound = inEvent(source, () => bind(...args))
    assert.strictEqual(eventOf(bound), source)
    takeEdges()
    const result = inEvent(++id, () => { call(bound); return call(bound) })
    assert.deepStrictEqual(takeEdges(), [`${source}>${id} bound`], phase)
    assert.strictEqual(result.join(), ['receiver', ...args, 9].join())
  }
}

// new, apply, spread, and a bound function that is bound again.
const source = ++id
const Bound = inEvent(source, () => ModuleClass.bind(null, 5))
assert.strictEqual(inEvent(++id, () => new Bound().x), 5)
assert.deepStrictEqual(takeEdges(), [`${source}>${id} bound`])
assert.strictEqual(inEvent(++id, () => Reflect.construct(Bound, []).x), 5)
assert.deepStrictEqual(takeEdges(), [`${source}>${id} bound`])
const inner = inEvent(++id, () => moduleFunction.bind('receiver', 1))
const outer = inEvent(++id, () => inner.bind(null, 2))
assert.strictEqual(inEvent(++id, () => outer(...[3, 4])).join(), 'receiver,1,2,3,4')
assert.deepStrictEqual(takeEdges().sort(), [`${id - 1}>${id} bound`, `${id - 2}>${id} bound`].sort())
assert.ok(track(false))
