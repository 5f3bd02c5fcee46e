'use strict'

// GraphQL's requests go by their operations. Servers call what executes one
// with the parsed document: graphql-js, or, in Yoga, an executor of its own.

const { addDetail, currentRequest, followCurrent } = require('../servers/named')
const { now, whileRecording } = require('../wrapping/now')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

const note = whileRecording((/** @type {any} */ _, /** @type {any} */ args) => {
  const request = requestOf(args?.contextValue) ?? currentRequest()
  const operation = operationOf(args?.document, args?.operationName)
  if (request !== undefined && operation !== undefined) addDetail(request, operation)
})

// Yoga, and most applications, keep Node's request in the context.
function requestOf (/** @type {any} */ context) {
  const request = context?.req?.raw ?? context?.req
  return typeof request?.socket === 'object' && typeof request.method === 'string' ? request : undefined
}

/** @returns {string | undefined} kind and name */
function operationOf (/** @type {any} */ document, /** @type {any} */ name) {
  const operations = document.definitions.filter((/** @type {any} */ { kind }) => kind === 'OperationDefinition')
  const operation = name ? operations.find((/** @type {any} */ each) => each.name?.value === name) : operations[0]
  return operation && `${operation.operation} ${operation.name?.value ?? ''}`.trim()
}

/** @param {string} name of what executes */
const executed = (name) => ({
  meet (/** @type {any} */ exported) {
    if (now.recording !== null) followCurrent()
    wrap([exported], name, (execute) => unseen().before(execute, note))
  }
})

module.exports = { executed }
