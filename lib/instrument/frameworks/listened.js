'use strict'

// Messages that an emitter hands to its listeners: each that somebody listens to
// is a request, which ends when its listeners have returned and the promises
// that they returned have settled.

const { begun } = require('../custom-requests')
const { now } = require('../now')
const { OUTCOME } = require('../requests')
const { unseen } = require('../unseen')
const { insert } = require('../wrap')

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
    if (typeof listener !== 'function' || standing.has(listener)) return
    const wrapper = Object.assign(unseen().given(listener, result), { listener: listener.listener ?? listener })
    standing.add(wrapper)
    if (Array.isArray(present)) present[i] = wrapper
    else emitter._events[event] = wrapper
  })
}

/**
 * @param {any} prototype of emitters
 * @param {string} emit its method that calls listeners
 * @param {(emitter: any, event: any) => string | undefined} nameOf what a request is called; undefined: it is none
 */
function emitRequests (prototype, emit, nameOf) {
  /** @type {(self: any, event: any) => (() => void) | undefined} */
  const around = (emitter, event) => {
    const name = now.recording === null || emitter.listenerCount(event) === 0 ? undefined : nameOf(emitter, event)
    if (name === undefined) return undefined
    stand(emitter, event)
    const before = current
    const message = current = new Message(name)
    return (/** @type {boolean} */ threw = false) => {
      current = before
      message.settle(threw ? OUTCOME.failed : OUTCOME.finished)
    }
  }
  insert(prototype, [emit], (parent, name) => unseen().within(parent[name], around))
}

module.exports = { emitRequests }
