'use strict'

/**
 * @param {string} word
 * @returns {string} as a shell takes it for one word, whatever is in it
 */
function quoted (word) {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

module.exports = { quoted }
