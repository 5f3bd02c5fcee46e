'use strict'

// The thread's time is always in one bucket; what a bucket is for is in it.

const assert = require('node:assert')
const { PerformanceObserver } = require('node:perf_hooks')
const events = require(process.argv[2])

const BUCKETS = ['remainder', 'icMiss', 'parse', 'bytecode', 'baseline', 'optimize',
  'gcMinor', 'gcMajor', 'gcIncremental', 'gcSweep', 'gcSafepoint', 'gcCallbacks', 'gcOther']
const EDGES = 1
const TIMES = 2
const PAUSES = 4

// Node's own view of collections, which misses steps and the safepoint.
let observedNs = 0
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) observedNs += entry.duration * 1e6
}).observe({ entryTypes: ['gc'] })

assert.strictEqual(events.enable(0), -22)
assert.strictEqual(events.enable(EDGES | TIMES | PAUSES), 0)
const before = read()
const beganNs = process.hrtime.bigint()

const kept = []
let code = 0
while (Number(process.hrtime.bigint() - beganNs) < 1.5e9) {
  // New functions: parsed, compiled, their inline caches missed.
  const f = new Function('o', `return o.p${++code} + o.q + ${code}`) // eslint-disable-line no-new-func
  for (let i = 0; i < 200; i++) f({ ['p' + code]: i, q: i, ['r' + i % 7]: 1 })
  grow(code)
}
function grow (n) {
  for (let i = 0; i < 2000; i++) kept.push({ n, text: `${n} ${i}` })
  if (kept.length > 300_000) kept.length = 0
}

const after = read()
const elapsedNs = Number(process.hrtime.bigint() - beganNs)
const ticks = after.now - before.now
const nsPerTick = elapsedNs / ticks
const spent = Object.fromEntries(BUCKETS.map((name, index) => [name, (after.buckets[index] - before.buckets[index]) * nsPerTick]))
const sum = Object.values(spent).reduce((a, b) => a + b)
assert.ok(Math.abs(sum - elapsedNs) < elapsedNs * 0.001, `the sum is the time: ${sum} of ${elapsedNs} ns`)
for (const [name, ns] of Object.entries(spent)) assert.ok(ns >= 0, `${name}: ${ns} ns`)
for (const name of ['remainder', 'icMiss', 'parse', 'bytecode', 'gcMinor']) {
  assert.ok(spent[name] > 100_000, `${name}: ${spent[name]} ns`)
}
assert.strictEqual(after.open, 0, 'a function of an addon is no special work')

// A forced collection: its pause, with what it was for.
events.takePauses()
global.gc()
const pauses = events.takePauses()
const major = pauses.find(pause => pause.collector === 2)
assert.ok(major, JSON.stringify(pauses))
assert.ok(major.end > major.begin && major.safepoint <= major.end - major.begin)
const read2 = read()
const collected = read2.buckets.slice(6).reduce((a, b) => a + b) - after.buckets.slice(6).reduce((a, b) => a + b)
const inPauses = pauses.reduce((total, pause) => total + pause.end - pause.begin, 0)
assert.ok(Math.abs(collected - inPauses) < 0.02 * collected + 1000, `pauses are the buckets' time: ${inPauses} of ${collected}`)

setTimeout(() => {
  const gcNs = Object.entries(spent).filter(([name]) => name.startsWith('gc')).reduce((total, [, ns]) => total + ns, 0) +
    collected * nsPerTick
  assert.ok(gcNs > observedNs * 0.98, `collection, ${gcNs} ns, is at least what Node observes, ${observedNs} ns`)
  console.log(JSON.stringify({ elapsedNs, observedNs, gcNs, ...spent }))
  countMisses()
  events.disable()
}, 50)

// Few inline-cache misses are timed, and all count.
function countMisses () {
  const load = new Function('o', 'return o.x') // eslint-disable-line no-new-func
  // A map each, and more of them than the megamorphic cache remembers.
  const objects = Array.from({ length: 20_000 }, (_, i) => Object.create({ x: i }))
  const missing = () => objects.forEach(object => load(object))
  icShare(missing) // What such a miss takes is known from now on.
  const [miss, hit] = [icShare(missing), icShare(() => objects.forEach(() => load(objects[0])))]
  // Some 60 % where the processor is ours; a thousandth if only those that are timed counted.
  assert.ok(miss > 0.05, `of the time of loads that miss: ${miss}`)
  assert.ok(hit < 0.005, `of the time of loads that hit: ${hit}`)
  console.log(JSON.stringify({ miss, hit }))
}

function read () {
  return events.readTimes()
}

/** What part of the time of `run` are inline-cache misses. */
function icShare (/** @type {() => void} */ run) {
  const { now, buckets } = read()
  run()
  const end = read()
  return (end.buckets[1] - buckets[1]) / (end.now - now)
}
