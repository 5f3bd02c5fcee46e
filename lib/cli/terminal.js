'use strict'

/**
 * @param {NodeJS.WriteStream} stream
 * @returns {boolean} whether it shows colours, and the user wants them
 */
function colorOf (stream) {
  const { NO_COLOR, TERM } = process.env
  return Boolean(stream.isTTY) && !NO_COLOR && TERM !== 'dumb'
}

module.exports = { colorOf }
