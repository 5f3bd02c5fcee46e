'use strict'

// On and off at run time, in the middle of a compilation on another thread, and
// per worker.

const assert = require('node:assert')
const { Worker, isMainThread, parentPort } = require('node:worker_threads')
const {
  eventOf, setEvent, track, takeEdges, prepare, optimizeConcurrently, optimizeOnNextCall, finalizeOptimization, isOptimized
} = require('../natives')

const make = () => () => 1
const call = f => f()

function edgesOf (source, sink) {
  setEvent(source)
  const f = make()
  setEvent(sink)
  call(f)
  setEvent(0)
  return takeEdges()
}

assert.strictEqual(eventOf(make()), 0)
if (isMainThread) {
  for (let round = 0; round < 5; round++) {
    for (const f of [make, call]) {
      prepare(f)
      f(make)
      optimizeConcurrently(f)
      f(make)
    }
    assert.ok(track(true), 'switched on while code without checks is compiled')
    finalizeOptimization()
    assert.deepStrictEqual(edgesOf(1, 2), ['1>2 closure'])
    assert.strictEqual(track(true), false, 'on already')
    for (const f of [make, call]) {
      prepare(f)
      f(make)
      optimizeConcurrently(f)
      f(make)
    }
    assert.ok(track(false), 'switched off while code with checks is compiled')
    finalizeOptimization()
    assert.deepStrictEqual(edgesOf(1, 2), [])
    assert.strictEqual(eventOf(make()), 0, 'no event is current after that')
  }
  // Switched on inside a function that is optimized and goes on.
  const inside = f => {
    if (f === undefined) track(true)
    setEvent(5)
    const made = make()
    setEvent(6)
    call(made)
    setEvent(0)
    return takeEdges()
  }
  prepare(inside)
  inside(1)
  inside(1)
  optimizeOnNextCall(inside)
  inside(1)
  assert.deepStrictEqual(inside(), ['5>6 closure'])
  assert.ok(track(false))
  assert.ok(isOptimized(call) === false, 'code with checks does not stay')

  let left = 4
  for (let i = 0; i < left; i++) {
    const worker = new Worker(__filename)
    worker.on('error', error => { throw error })
    worker.on('message', edges => {
      assert.deepStrictEqual(edges, ['1>2 closure'])
      assert.deepStrictEqual(edgesOf(1, 2), [], 'another thread tracks')
      if (--left % 2) worker.terminate()
    })
  }
  process.on('exit', () => assert.strictEqual(left, 0))
} else {
  track(true)
  parentPort.postMessage(edgesOf(1, 2))
  // Its rings are freed with the isolate: by itself, or because it is terminated.
  setTimeout(() => {}, 50)
}
