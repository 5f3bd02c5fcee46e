'use strict'

// The frameworks whose routes are known by what is asked here. Express leaves
// its routes on Node's request (express.js), Fastify has its own way in
// (../fastify.js); NestJS and Restify are known by these.

const { meetModules } = require('../modules')
const { now } = require('../now')

/** @type {import('../modules').Met[]} */
const FRAMEWORKS = [
  require('./hapi'),
  require('./hono'),
  require('./koa'),
  require('./polka')
]

/**
 * @param {import('../requests').Recording} recording
 * @returns {() => void} undoes it
 */
function instrumentFrameworks (recording) {
  now.recording = recording
  const undo = [() => { now.recording = null }]
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
