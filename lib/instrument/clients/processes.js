'use strict'

// Which program a child process runs, and which pipes lead to it: what comes on
// them, and its end, is what a request waits for. A call for the process and
// one for each pipe.

const { ChildProcess } = require('node:child_process')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

/**
 * @param {import('../servers/requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentProcesses ({ calls }) {
  const began = (/** @type {any} */ child, /** @type {number} */ error) => {
    if (error || typeof child.spawnfile !== 'string') return
    const id = child._handle?.getAsyncId?.()
    if (typeof id !== 'number') return
    calls.process(id, -1, child.spawnfile)
    for (const end of [...child.stdio ?? [], child.channel]) {
      const fd = end?._handle?.fd ?? end?.fd
      if (Number.isInteger(fd) && fd >= 0) calls.process(id, fd, child.spawnfile)
    }
  }
  return wrap([ChildProcess.prototype], 'spawn', (spawn) => unseen().after(spawn, began))
}

module.exports = { instrumentProcesses }
