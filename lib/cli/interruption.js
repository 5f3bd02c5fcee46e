'use strict'

// What runs has sessions of its own: none of these reaches it but through us.
const INTERRUPTED = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 }

/**
 * The first SIGINT, SIGTERM, SIGHUP or SIGQUIT aborts the signal; the second ends us at
 * once (children are killed as we exit).
 */
function interruption () {
  const controller = new AbortController()
  const names = /** @type {(keyof typeof INTERRUPTED)[]} */ (Object.keys(INTERRUPTED))
  const listeners = names.map((signal) => {
    const listener = () => {
      if (controller.signal.aborted) process.exit(INTERRUPTED[signal])
      controller.abort(signal)
    }
    process.on(signal, listener)
    return { signal, listener }
  })
  const release = () => listeners.forEach(({ signal, listener }) => process.removeListener(signal, listener))
  return { signal: controller.signal, release }
}

/**
 * @param {AbortSignal} signal
 * @param {AbortSignal} [until] when aborted, nobody waits any more
 * @returns {Promise<void>} settles when `signal` is aborted
 */
function aborted (signal, until) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true, signal: until })
  })
}

/** @param {AbortSignal} signal an aborted one @returns {number} the exit code that a shell would give */
function exitCodeAfter (signal) {
  return INTERRUPTED[/** @type {keyof typeof INTERRUPTED} */ (signal.reason)]
}

module.exports = { aborted, exitCodeAfter, interruption }
