'use strict'

// What a microtask runs belongs to the event that registered it, whoever
// resolves the promise and whatever function handles it.

const assert = require('node:assert')
const { setEvent, track, takeEdges, eventOf, runMicrotasks } = require('../natives')

// V8 numbers the events that microtasks begin from 1; ours are far from those.
let id = 1_000_000
const inEvent = (event, work) => {
  const previous = setEvent(event)
  try { return work() } finally { setEvent(previous) }
}
const moduleFunction = () => { seen.push(eventOf(() => {})) }
let seen = []

/**
 * Registers in one event, settles in a second, and checks the edges of each
 * continuation: from the event that registered it, and as a part of the second.
 */
function check (what, register, continuations, rejected = false) {
  let settle
  const promise = new Promise((resolve, reject) => { settle = rejected ? reject : resolve })
  promise.catch(() => {})
  runMicrotasks()
  takeEdges()
  seen = []
  const registrar = ++id
  const settler = ++id
  inEvent(registrar, () => register(promise))
  inEvent(registrar, runMicrotasks)
  takeEdges()
  inEvent(settler, () => { settle(new Error('expected')); runMicrotasks() })
  const edges = takeEdges().filter(edge => /reaction|resumed/.test(edge))
  const begun = edges.filter(edge => edge.startsWith(`${registrar}>`) && edge.endsWith('reaction'))
  assert.strictEqual(begun.length, continuations, `${what}: ${edges}`)
  for (const edge of begun) {
    const [, part] = />(\d+)/.exec(edge)
    assert.ok(edges.some(each => each.endsWith(`>${part} resumed`)), `${what}: ${part} is a part of another: ${edges}`)
  }
  // The functions made in a continuation are its event's.
  for (const event of seen) assert.ok(begun.some(edge => edge.includes(`>${event} `)), `${what}: ${event} ${begun}`)
  assert.ok(seen.length > 0, what)
}

assert.ok(track(true))
check('then(moduleFunction)', promise => { promise.then(moduleFunction) }, 1)
check('then twice', promise => { promise.then(moduleFunction); promise.then(moduleFunction) }, 2)
check('catch', promise => { promise.catch(moduleFunction) }, 1, true)
check('then with two handlers, rejected', promise => { promise.then(undefined, moduleFunction) }, 1, true)
check('finally', promise => { promise.finally(moduleFunction) }, 1)
check('await', async promise => { await promise; moduleFunction() }, 1)
check('await, rejected', async promise => { try { await promise } catch { moduleFunction() } }, 1, true)
check('Promise.all', promise => { Promise.all([promise]).then(moduleFunction) }, 2)
check('Promise.race', promise => { Promise.race([promise]).then(moduleFunction) }, 2)
check('Promise.allSettled', promise => { Promise.allSettled([promise]).then(moduleFunction) }, 2)
check('Promise.any', promise => { Promise.any([promise]).then(moduleFunction) }, 2)
check('for await', async promise => { for await (const value of [promise]) moduleFunction(value) }, 2)

// Three events wait for one promise: each continues in an event of its own,
// and what continues from there stays in it.
let release
const awaited = new Promise(resolve => { release = resolve })
const waiting = [++id, ++id, ++id]
const results = []
const wait = async name => {
  await awaited
  const first = eventOf(() => {})
  await null
  results.push([name, first, eventOf(() => {})])
}
for (const event of waiting) inEvent(event, () => { wait(event) })
takeEdges()
inEvent(++id, () => { release(); runMicrotasks() })
const edges = takeEdges()
for (const [name, first, second] of results) {
  assert.ok(edges.includes(`${name}>${first} reaction`), `${name}: ${edges}`)
  assert.ok(edges.includes(`${first}>${second} reaction`) || first === second, `${name}: ${edges}`)
}
assert.strictEqual(new Set(results.map(([, first]) => first)).size, 3)
assert.strictEqual(new Set(results.map(([, , second]) => second)).size, 3)

// A promise that is already resolved; a thenable; a queued function.
for (const [what, use] of Object.entries({
  'resolved already': () => { Promise.resolve().then(moduleFunction) },
  'a promise resolved with a promise': () => { new Promise(resolve => resolve(Promise.resolve())).then(moduleFunction) },
  queueMicrotask: () => { queueMicrotask(moduleFunction) }
})) {
  const event = ++id
  takeEdges()
  seen = []
  inEvent(event, use)
  inEvent(++id, runMicrotasks)
  let [found] = seen
  const made = takeEdges()
  // Back from the function's event, over the continuations between, to ours.
  for (let hops = 0; hops < 5 && found !== event; hops++) {
    found = Number(made.find(edge => edge.endsWith(`>${found} reaction`))?.split('>')[0])
  }
  assert.strictEqual(found, event, `${what}: ${made}`)
}
assert.ok(track(false))
