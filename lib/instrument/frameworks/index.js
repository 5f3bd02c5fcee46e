'use strict'

// The frameworks whose routes are known by what is asked here. Express leaves
// its routes on Node's request (express.js), Fastify has its own way in
// (../fastify.js); NestJS and Restify are known by these.

const { meetModules } = require('../wrapping/modules')
const { forgetCurrent } = require('../servers/named')
const { now } = require('../wrapping/now')

/** @type {import('../wrapping/modules').Met[]} */
const FRAMEWORKS = [
  ...require('./graphql'),
  ...require('./ws'),
  require('./bullmq'),
  require('./engine-io'),
  require('./hapi'),
  require('./hono'),
  require('./kafkajs'),
  require('./koa'),
  require('./next').next,
  require('./polka'),
  require('./socket-io'),
  require('./workerpool')
]

/**
 * @param {import('../servers/requests').Recording} recording
 * @param {boolean} promises whether their causality is followed in JavaScript
 * @returns {() => void} undoes it
 */
function instrumentFrameworks (recording, promises) {
  Object.assign(now, { recording, promises })
  const undo = [forgetCurrent, () => { now.recording = null }]
  try {
    for (const { instrument } of FRAMEWORKS) if (instrument) undo.push(instrument())
    undo.push(meetModules(FRAMEWORKS))
  } catch (error) {
    for (const step of undo) step()
    throw error
  }
  return () => { for (const step of undo) step() }
}

module.exports = { instrumentFrameworks }
