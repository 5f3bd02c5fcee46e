'use strict'

// What a request's caller says of itself: the headers `traceparent` (W3C Trace
// Context) and `x-request-id`, which the recorder reads.

const TRACEPARENT = 'traceparent'
const REQUEST_ID = 'x-request-id'

/**
 * Node makes an object of the headers only when somebody asks for it: here
 * nobody does.
 * @param {import('./requests').Recording['calls']} calls
 * @param {number} id of the request
 * @param {string[]} rawHeaders names and values in turn
 */
function noteContext (calls, id, rawHeaders) {
  let traceparent
  let requestId
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name.length === TRACEPARENT.length) {
      if (name === TRACEPARENT || name.toLowerCase() === TRACEPARENT) traceparent = rawHeaders[i + 1]
    } else if (name.length === REQUEST_ID.length) {
      if (name === REQUEST_ID || name.toLowerCase() === REQUEST_ID) requestId = rawHeaders[i + 1]
    }
  }
  if (traceparent !== undefined || requestId !== undefined) calls.requestContext(id, traceparent, requestId)
}

module.exports = { REQUEST_ID, TRACEPARENT, noteContext }
