'use strict'

// What a request's caller says of itself: the header `traceparent` (W3C Trace
// Context), which the recorder reads.

const NAME = 'traceparent'

/**
 * Node makes an object of the headers only when somebody asks for it: here
 * nobody does.
 * @param {import('./requests').Recording['calls']} calls
 * @param {number} id of the request
 * @param {string[]} rawHeaders names and values in turn
 */
function noteContext (calls, id, rawHeaders) {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name.length === NAME.length && (name === NAME || name.toLowerCase() === NAME)) return calls.requestContext(id, rawHeaders[i + 1])
  }
}

module.exports = { noteContext }
