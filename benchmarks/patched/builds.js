'use strict'

// The two Nodes that are compared, of one tree and one compiler, and the addon
// that switches tracking.

const { findPatchedNode } = require('../../lib/native/patched-node')
const { TaskError } = require('../../scripts/tasks/step')
const { buildAddon } = require('../../test/build-addon')

/**
 * @typedef {object} Builds
 * @property {string} unpatched
 * @property {string} patched
 * @property {string} addon one file serves both
 */

/**
 * @returns {Promise<Builds>}
 * @throws {TaskError} with the next step, when one is not built
 */
async function findBuilds () {
  const patched = findPatchedNode()
  const unpatched = findPatchedNode({ variant: 'unpatched' })
  for (const { built, file, howToBuild } of [patched, unpatched]) {
    if (!built) throw new TaskError(`${file} is not built. Next step: ${howToBuild}.`)
  }
  const addon = await buildAddon('benchmarks/patched/tracking.cc', patched.file, ['src/hooks/event_api.h'])
  return { unpatched: unpatched.file, patched: patched.file, addon }
}

module.exports = { findBuilds }
