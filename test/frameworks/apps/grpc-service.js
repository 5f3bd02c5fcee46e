'use strict'

// A service with a method of each kind, for server and client. Messages are text.

const text = { serialize: (/** @type {string} */ value) => Buffer.from(value), deserialize: String }
const method = (/** @type {string} */ name, requestStream = false, responseStream = false) => ({
  path: `/shop.Orders/${name}`,
  requestStream,
  responseStream,
  requestSerialize: text.serialize,
  requestDeserialize: text.deserialize,
  responseSerialize: text.serialize,
  responseDeserialize: text.deserialize
})
const service = {
  get: method('Get'),
  fail: method('Fail'),
  list: method('List', false, true),
  sum: method('Sum', true),
  talk: method('Talk', true, true)
}

module.exports = { service }
