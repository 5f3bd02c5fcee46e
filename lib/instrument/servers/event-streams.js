'use strict'

// Event streams last for as long as somebody listens, and long polls until there
// is something to tell: that they take long says nothing. Both have it said
// after their routes, by which a report leaves them out (src/analysis/stream/route_filter.h).

const EVENT_STREAM = '(event stream)'
const LONG_POLL = '(long poll)'

const HEADER = /^content-type: *text\/event-stream/im

/** @returns {boolean} whether a response of HTTP/1.1 is one: by its head, where its length was not known when that was written */
function answersByEvents (/** @type {any} */ response) {
  return (response.chunkedEncoding || response._last) && typeof response._header === 'string' && HEADER.test(response._header)
}

/** @param {unknown} type a header content-type */
function isEventStream (type) {
  return typeof type === 'string' && type.startsWith('text/event-stream')
}

module.exports = { EVENT_STREAM, LONG_POLL, answersByEvents, isEventStream }
