'use strict'

// Whoever creates a function, it carries the event that was current, also when
// the code that creates it is optimized.

const assert = require('node:assert')
const { eventOf, setEvent, track, prepare, optimizeOnNextCall, deoptimize } = require('../natives')

const MAKERS = {
  arrow: () => () => 1,
  expression: () => function () {},
  'with a context': () => { let n = 0; return () => ++n },
  method: () => ({ m () {} }).m,
  getter: () => Object.getOwnPropertyDescriptor({ get g () { return 1 } }, 'g').get,
  setter: () => Object.getOwnPropertyDescriptor({ get s () { return 1 }, set s (_) {} }, 's').set,
  class: () => class {},
  'derived class': () => class extends Array { constructor () { super(); this.x = 1 } },
  'class method': () => (class { m () {} }).prototype.m,
  'static method': () => (class { static m () {} }).m,
  'field initializer': () => new (class { f = () => 1 })().f,
  async: () => async () => {},
  generator: () => function * () {},
  'async generator': () => async function * () {},
  'new Function': () => new Function('a', 'return a'), // eslint-disable-line no-new-func
  eval: () => (0, eval)('(function () {})'), // eslint-disable-line no-eval
  'promise resolve': () => { let f; new Promise(resolve => { f = resolve }); return f }, // eslint-disable-line no-new
  'promise reject': () => { let f; new Promise((_resolve, reject) => { f = reject }); return f }, // eslint-disable-line no-new
  'withResolvers by hand': () => { let f; const p = new Promise(resolve => { f = resolve }); return p && f },
  bound: () => MAKERS.arrow.bind(null, 1),
  'bound to a bound': () => MAKERS.arrow.bind(null).bind(null, 2),
  'bound slowly': () => Object.defineProperty(function () {}, 'length', { value: 1 }).bind(null),
  'Proxy.revocable': () => Proxy.revocable({}, {}).revoke,
  'Intl getter': () => new Intl.NumberFormat('en').format
}

// Before tracking: no event.
for (const [name, make] of Object.entries(MAKERS)) assert.strictEqual(eventOf(make()), 0, name)

assert.ok(track(true))
let id = 100
for (const [name, make] of Object.entries(MAKERS)) {
  prepare(make)
  for (const phase of ['cold', 'warm', 'warmer', 'optimized', 'optimized again', 'deoptimized']) {
    if (phase === 'optimized') optimizeOnNextCall(make)
    if (phase === 'deoptimized') deoptimize(make)
    setEvent(++id)
    const made = make()
    setEvent(0)
    assert.strictEqual(eventOf(made), id, `${name}, ${phase}`)
  }
}

// What escape analysis keeps from being allocated has its event when a
// deoptimization allocates it after all.
function escaping (give) {
  const inner = () => 1
  inner()
  return give ? [inner, deoptimize(escaping)][0] : undefined
}
prepare(escaping)
for (let i = 0; i < 3; i++) escaping(false)
optimizeOnNextCall(escaping)
setEvent(77)
escaping(false)
const materialized = escaping(true)
setEvent(0)
assert.strictEqual(eventOf(materialized), 77)

// The event is part of the function: it stays when the heap moves.
setEvent(78)
const kept = Array.from({ length: 1000 }, (_, index) => () => index)
setEvent(0)
for (let i = 0; i < 4; i++) global.gc({ type: i % 2 ? 'major' : 'minor' })
for (const each of kept) assert.strictEqual(eventOf(each), 78)
assert.strictEqual(kept[999](), 999)

assert.ok(track(false))
for (const [name, make] of Object.entries(MAKERS)) assert.strictEqual(eventOf(make()), 0, `${name}, off again`)
