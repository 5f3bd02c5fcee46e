'use strict'

// A process with 10,000 functions and 150 MB of heap, whose loop is busy for 1
// ms each turn. In one turn a sampler is switched on; how long did the turns
// take, at most, before and from then on?

const vm = require('node:vm')

const FUNCTIONS = 10_000
const HEAP_BYTES = 150e6
const BEFORE_MS = 300
const AFTER_MS = 700

const { start } = require(String(process.env.STACKS_SAMPLER))

/** Each has run, so that V8 has code of it. */
function compiled () {
  const kept = []
  for (let i = 0; i < FUNCTIONS; i++) {
    const one = new vm.Script(`(function made${i} (x) { return x * ${i} + 1 })`, { filename: `made-${i}.js` }).runInThisContext()
    one(i)
    kept.push(one)
  }
  return kept
}

function filled () {
  const kept = []
  while (process.memoryUsage().heapUsed < HEAP_BYTES) for (let i = 0; i < 20_000; i++) kept.push({ i, next: [i] })
  return kept
}

const kept = [compiled(), filled()]
let longestMs = 0
let last = performance.now()
const began = last
let beforeMs = 0
let on = false

function turn () {
  const now = performance.now()
  longestMs = Math.max(longestMs, now - last)
  last = now
  if (!on && now - began > BEFORE_MS) {
    beforeMs = longestMs
    longestMs = 0
    on = true
    start()
  } else {
    while (performance.now() - now < 1);
  }
  if (now - began < BEFORE_MS + AFTER_MS) setImmediate(turn)
  else console.log(JSON.stringify({ beforeMs, pauseMs: longestMs, kept: kept.length }))
}
setImmediate(turn)
process.once('beforeExit', () => process.exit(0))
