'use strict'

// The frameworks whose routes are known by what is asked here. Express leaves
// its routes on Node's request (express.js), Fastify has its own way in
// (../fastify.js); NestJS and Restify are known by these.

const { meetModules } = require('../wrapping/modules')
const { forgetCurrent } = require('../servers/named')
const { now } = require('../wrapping/now')

/**
 * @param {string} name
 * @param {RegExp} file of it
 * @param {() => { meet: (exported: any) => void }} load what meets it: only then, for a start of a process that has nothing of it
 * @param {string[]} [functions]
 * @returns {import('../wrapping/modules').Met}
 */
function known (name, file, load, functions) {
  return { name, file, meet: (exported) => load().meet(exported), functions }
}

/** @type {import('../wrapping/modules').Met[]} */
const FRAMEWORKS = [
  known('BullMQ', /\/bullmq\/dist\/(cjs|esm)\/classes\/worker\.js$/, () => require('./bullmq')),
  known('Engine.IO', /\/engine\.io\/build\/transports\/polling\.js$/, () => require('./engine-io')),
  known('GraphQL', /\/graphql\/execution\/execute\.m?js$/, () => require('./graphql').executed('execute'), ['execute']),
  known('GraphQL', /\/@graphql-tools\/executor\/(cjs|esm)\/execution\/normalizedExecutor\.js$/,
    () => require('./graphql').executed('normalizedExecutor'), ['normalizedExecutor']),
  known('Hapi', /\/@hapi\/hapi\/lib\/request\.js$/, () => require('./hapi')),
  known('Hono', /\/hono\/dist\/(cjs\/)?router\/[a-z-]+\/(prepared-)?router\.js$/, () => require('./hono')),
  known('KafkaJS', /\/kafkajs\/src\/consumer\/runner\.js$/, () => require('./kafkajs')),
  require('./koa'),
  require('./next').next,
  known('Polka', /\/polka[^/]*\/(build|index)\.m?js$/, () => require('./polka')),
  known('Socket.IO', /\/socket\.io\/dist\/socket\.js$/, () => require('./socket-io')),
  known('undici', /\/undici\/lib\/(dispatcher\/)?dispatcher-base\.js$/, () => require('../clients/undici')),
  known('workerpool', /\/workerpool\/src\/Promise\.js$/, () => require('./workerpool')),
  known('ws', /\/ws\/lib\/websocket-server\.js$/, () => require('./ws').server),
  known('ws', /\/ws\/lib\/websocket\.js$/, () => require('./ws').webSocket)
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
