'use strict'

// When the timer of a promise was due: of those that timers/promises gives, and
// of those that wait for one.

const { Given } = require('../wrapping/given')

let some = false

class Due extends Given {
  #ms
  #signal

  /**
   * @param {Promise<any>} promise
   * @param {number} ms on the loop's clock
   * @param {AbortSignal | undefined} signal of what may end it before
   */
  constructor (promise, ms, signal) {
    super(promise)
    this.#ms = ms
    this.#signal = signal
    some = true
  }

  /** @param {any} promise @returns {number | undefined} */
  static of (promise) {
    return some && #ms in promise && !promise.#signal?.aborted ? promise.#ms : undefined
  }

  /** `promise` waits for `source`, as far as there is one. */
  static inherit (promise, source) {
    if (some && source !== undefined && #ms in source) Due.mark(promise, source.#ms, source.#signal)
  }

  static mark (promise, ms, signal) {
    if (!(#ms in promise)) new Due(promise, ms, signal) // eslint-disable-line no-new
  }
}

module.exports = { Due }
