'use strict'

/**
 * Calls `take` for each whole line of a stream.
 * @param {NodeJS.ReadableStream} stream
 * @param {(line: string) => void} take
 */
function eachLine (stream, take) {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (/** @type {string} */ text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(take)
  })
}

module.exports = { eachLine }
