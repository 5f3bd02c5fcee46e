'use strict'

// What is switched on and off in a server, and how.

const { findPatchedNode } = require('../../lib/patched-node')
const { send } = require('../../lib/control')
const { TaskError } = require('../../scripts/tasks/step')
const { switched } = require('../boost/cost')
const { VARIANTS } = require('../overhead/variants')
const { buildTracking } = require('../patched/builds')
const { toggle, tracked } = require('../patched/servers')

/**
 * @typedef {object} Subject
 * @property {string} text what is switched
 * @property {(keyof typeof import('../overhead/cell').SERVERS)[]} servers
 * @property {() => Promise<import('../overhead/variants').Variant>} variant how a server is started in which it can be
 * @property {(running: { pid: number }, state: 'on' | 'off') => Promise<any>} turn called with each state in turn, first with `on`
 */

/** @type {Record<string, Subject>} */
const SUBJECTS = {
  recording: {
    text: 'recording, `promises`',
    servers: ['hello', 'express', 'fastify'],
    variant: async () => /** @type {any} */ (VARIANTS.find(({ name }) => name === 'loaded-off')),
    turn: ({ pid }, state) => send(pid, state)
  },
  boosting: {
    text: 'boosting, `gc,queue`, with nothing to boost',
    servers: ['hello', 'express', 'fastify'],
    variant: async () => switched(),
    turn: ({ pid }, state) => send(pid, state)
  },
  tracking: {
    text: "the patched Node's tracking, without a recorder",
    servers: ['hello', 'express', 'fastify'],
    variant: trackedVariant,
    turn: toggle
  }
}

async function trackedVariant () {
  const { built, file, howToBuild } = findPatchedNode()
  if (!built) throw new TaskError(`${file} is not built. Next step: ${howToBuild}, or leave it out: --subjects recording,boosting.`)
  return tracked('on', { node: file, addon: await buildTracking(file) })
}

module.exports = { SUBJECTS }
