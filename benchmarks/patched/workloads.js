'use strict'

// Micro workloads, each of what the patches add something to. `prepare` gets
// event(), which begins another event, and returns what is timed: it does its
// work `count` times.

const EARLIER = 8

/** @type {{ item: any }} */
const sink = { item: null }

// V8 does not compile the same text twice.
let made = 0

// Objects of as many maps as there are.
const shapes = Array.from({ length: EARLIER }, (_, i) => ({ [`p${i}`]: i, value: i }))

/**
 * @typedef {object} Workload
 * @property {string} text
 * @property {number} count of one sample, some milliseconds
 * @property {(event: () => void) => (count: number) => void | Promise<void>} prepare
 */

/** @type {Record<string, Workload>} */
const WORKLOADS = {
  'create-closure': {
    text: 'create a closure',
    count: 400_000,
    prepare: () => (count) => {
      for (let i = 0; i < count; i++) sink.item = () => i
    }
  },
  'call-inlined': {
    text: 'call a trivial closure that TurboFan inlines',
    count: 4_000_000,
    prepare () {
      const add = (a, b) => a + b
      return (count) => {
        let sum = 0
        for (let i = 0; i < count; i++) sum = add(sum, i) | 0
        sink.item = sum
      }
    }
  },
  'call-own': {
    text: 'call closures of the running event, not inlined',
    count: 1_000_000,
    prepare: () => callAll(Array.from({ length: EARLIER }, makeClosure))
  },
  'call-earlier': {
    text: 'call closures of one earlier event, not inlined',
    count: 1_000_000,
    prepare (event) {
      const closures = Array.from({ length: EARLIER }, makeClosure)
      event()
      return callAll(closures)
    }
  },
  'call-many-earlier': {
    text: 'call closures of eight earlier events in turn, not inlined',
    count: 500_000,
    prepare (event) {
      const closures = Array.from({ length: EARLIER }, (_, i) => {
        event()
        return makeClosure(_, i)
      })
      event()
      return callAll(closures)
    }
  },
  'call-method': {
    text: 'call a method of a class',
    count: 4_000_000,
    prepare () {
      const counter = new Counter()
      return (count) => {
        for (let i = 0; i < count; i++) counter.add(i)
        sink.item = counter
      }
    }
  },
  'for-each': {
    text: 'forEach with a closure, 100 items',
    count: 20_000,
    prepare () {
      const items = Array.from({ length: 100 }, (_, i) => i)
      return (count) => {
        let sum = 0
        for (let i = 0; i < count; i++) items.forEach((item) => { sum = (sum + item) | 0 })
        sink.item = sum
      }
    }
  },
  bind: {
    text: 'bind a function and call it',
    count: 100_000,
    prepare () {
      const counter = new Counter()
      return (count) => {
        for (let i = 0; i < count; i++) {
          sink.item = counter.add.bind(counter, i)
          sink.item()
        }
      }
    }
  },
  then: {
    text: 'a promise and then()',
    count: 30_000,
    prepare: () => async (count) => {
      let last
      for (let i = 0; i < count; i++) last = Promise.resolve(i).then((value) => { sink.item = value })
      await last
    }
  },
  await: {
    text: 'await an async function that awaits',
    count: 20_000,
    prepare () {
      const inner = async (/** @type {number} */ i) => await i
      return async (count) => {
        let sum = 0
        for (let i = 0; i < count; i++) sum = (sum + await inner(i)) | 0
        sink.item = sum
      }
    }
  },
  generator: {
    text: 'a step of a generator',
    count: 300_000,
    prepare: () => (count) => {
      let sum = 0
      for (const i of upTo(count)) sum = (sum + i) | 0
      sink.item = sum
    }
  },
  allocate: {
    text: 'allocate ten objects, of which one stays a while',
    count: 20_000,
    prepare () {
      const kept = new Array(10_000)
      return (count) => {
        for (let i = 0; i < count; i++) {
          for (let k = 0; k < 10; k++) sink.item = { i, k, text: 'kept' }
          kept[i % kept.length] = sink.item
        }
      }
    }
  },
  'miss-caches': {
    text: 'compile a function and run it: parser, bytecode, inline-cache misses',
    count: 60,
    prepare: () => (count) => {
      for (let i = 0; i < count; i++) {
        const f = new Function('shapes', `let sum = ${made++}; for (const each of shapes) sum += each.value; return sum`) // eslint-disable-line no-new-func
        sink.item = f(shapes)
      }
    }
  }
}

class Counter {
  constructor () {
    this.sum = 0
  }

  add (/** @type {number} */ i) {
    this.sum = (this.sum + i) | 0
  }
}

function * upTo (/** @type {number} */ count) {
  for (let i = 0; i < count; i++) yield i
}

function makeClosure (/** @type {unknown} */ _, /** @type {number} */ i) {
  // Functions of their own: each its own feedback.
  return new Function('i', `return (value) => (value + i + ${i}) | 0`)(i) // eslint-disable-line no-new-func
}

function callAll (/** @type {((value: number) => number)[]} */ closures) {
  return (/** @type {number} */ count) => {
    let sum = 0
    for (let i = 0; i < count; i++) sum = closures[i % EARLIER](sum)
    sink.item = sum
  }
}

module.exports = { WORKLOADS }
