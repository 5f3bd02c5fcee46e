'use strict'

// workerpool has promises of its own, in callbacks that V8 knows nothing of:
// what they resume was caused where they were made.

const { now } = require('../wrapping/now')
const { WORD } = require('../servers/requests')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

function deferred (/** @type {any} */ _, /** @type {any} */ resolver) {
  const { recording, promises } = now
  if (recording === null || !promises) return
  const { calls, words } = recording
  const cause = words[WORD.sequence]
  const begin = () => {
    const before = words[WORD.sequence]
    if (now.recording !== recording || before === cause) return undefined
    calls.slice(cause)
    return () => calls.slice(before)
  }
  for (const name of ['resolve', 'reject']) resolver[name] = unseen().within(resolver[name], begin)
}

module.exports = {
  meet (exported) {
    wrap([exported.Promise ?? exported], 'defer', (defer) => unseen().after(defer, deferred))
  }
}
