'use strict'

// Messages and jobs as requests: each ends when who handles it has returned, and
// the promises that were returned have settled.

const { begun } = require('../servers/custom-requests')
const { now } = require('../wrapping/now')
const { OUTCOME } = require('../servers/requests')
const { unseen } = require('../wrapping/unseen')
const { insert } = require('../wrapping/wrap')

const active = () => now.recording

/** A request whose listeners are being called, or whose promises are waited for. */
class Message {
  #end
  #waiting = 1 // For the listeners to return.
  #outcome = OUTCOME.finished

  constructor (/** @type {string} */ name) {
    this.#end = begun(active, name)
  }

  wait () { this.#waiting++ }

  settle (outcome = OUTCOME.finished) {
    if (outcome !== OUTCOME.finished) this.#outcome = outcome
    if (--this.#waiting === 0) this.#end(this.#outcome)
  }
}

/** @type {Message | null} whose listeners are called now */
let current = null

/** @type {WeakSet<Function>} ours, which stand in the place of listeners */
const standing = new WeakSet()

// What a listener returns is waited for as edgewise.request() does.
function result (/** @type {any} */ value) {
  const message = current
  if (message === null || typeof value?.then !== 'function') return value
  message.wait()
  return value.then((/** @type {any} */ given) => {
    message.settle()
    return given
  }, (/** @type {any} */ error) => {
    message.settle(OUTCOME.failed)
    throw error
  })
}

// As once() does, what stands in a listener's place goes by the name of that.
function stand (/** @type {any} */ emitter, /** @type {any} */ event) {
  const present = emitter._events?.[event]
  const all = Array.isArray(present) ? present : [present]
  all.forEach((listener, i) => {
    if (typeof listener !== 'function' || standing.has(listener) || listener.listener !== undefined) return // Not in that of once(): it goes.
    const wrapper = Object.assign(unseen().given(listener, result), { listener })
    standing.add(wrapper)
    if (Array.isArray(present)) present[i] = wrapper
    else emitter._events[event] = wrapper
  })
}

/** @typedef {(self: any, first: any) => string | undefined} NameOf what a request is called, by what its handler is given; undefined: it is none */

/** @param {NameOf} nameOf @returns {(self: any, first: any) => ((threw: boolean) => void) | undefined} */
const beginning = (nameOf) => (self, first) => {
  const name = now.recording === null ? undefined : nameOf(self, first)
  if (name === undefined) return undefined
  const before = current
  const message = current = new Message(name)
  return (threw) => {
    current = before
    message.settle(threw ? OUTCOME.failed : OUTCOME.finished)
  }
}

/**
 * Each event that somebody listens to is a request.
 * @param {any} prototype of emitters
 * @param {string} emit its method that calls listeners
 * @param {NameOf} nameOf
 */
function emitRequests (prototype, emit, nameOf) {
  const begin = beginning((emitter, event) => {
    const name = nameOf(emitter, event)
    if (name === undefined || emitter.listenerCount(event) === 0) return undefined
    stand(emitter, event)
    return name
  })
  insert(prototype, [emit], (parent, name) => unseen().within(parent[name], begin))
}

/** @param {any} handle @param {NameOf} nameOf @returns {any} the same, each call of it a request */
function callsAsRequests (handle, nameOf) {
  return unseen().within(unseen().given(handle, result), beginning(nameOf))
}

module.exports = { callsAsRequests, emitRequests }
