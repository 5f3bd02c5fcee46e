'use strict'

// How many requests this process has begun to answer, told to who follows it
// (`edgewise slow`), recorded or not: those that Node announces.

const channels = require('node:diagnostics_channel')

/** HTTP/1.1 and HTTPS; HTTP/2 where Node has the channel (24). */
const BEGINS = ['http.server.request.start', 'http2.server.stream.start']

/**
 * @param {Record<string, any>} request every: whenever so many more have begun, it is told how many that are since now, and when: CLOCK_MONOTONIC, ns
 * @param {(line: string) => void} tell
 * @returns {() => void} ends it
 * @throws {Error}
 */
function countRequests ({ every = 1 }, tell) {
  if (!Number.isSafeInteger(every) || every < 1) throw new Error(`count: every is ${JSON.stringify(every)}: allowed is a whole number above 0`)
  let count = 0
  const onBegin = () => {
    if (++count % every === 0) tell(`${count} ${process.hrtime.bigint()}`)
  }
  for (const name of BEGINS) channels.subscribe(name, onBegin)
  return () => {
    for (const name of BEGINS) channels.unsubscribe(name, onBegin)
  }
}

module.exports = { countRequests }
