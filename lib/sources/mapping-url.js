'use strict'

// The comment at the end of a script that says where its source map is.

const { MIB, MOST_BYTES, Unreadable } = require('./regular-file')

const FIRST_BYTES = 4096
const GROWTH = 16
const LONGEST_BEGINNING = 32 // Of the comment, before its URL.
const NOT_OF_A_URL = /[^!-\uffff]|['"`{}<>]/
const LINE_COMMENT = /\/\/[#@]\s*sourceMappingURL=([^\s'"`]+)$/
const BLOCK_COMMENT = /\/\*[#@]\s*sourceMappingURL=([^\s'"`]+?)\s*\*\/$/
const ONLY_COMMENT = /^(\/\/|\/\*.*\*\/$)/

/**
 * A script may have megabytes, and so may a map within it: the end is read, and
 * more of it only while a URL may go on.
 *
 * @param {import('./regular-file').Opened} script
 * @returns {string | null} as it is written there; null: it names none
 */
function mappingUrl ({ size, read }) {
  for (let length = FIRST_BYTES; ; length *= GROWTH) {
    if (Math.min(length, size) > MOST_BYTES) throw new Unreadable(`its last line is larger than ${Math.floor(MOST_BYTES / MIB)} MiB`)
    const from = Math.max(0, size - length)
    const found = lastUrl(read(from, size - from).toString('utf8'), from === 0)
    if (found !== undefined) return found
  }
}

/**
 * Comments and empty lines may follow; code may not: that the comment is in a
 * string of it is then more likely.
 *
 * @param {string} text an end of a script
 * @param {boolean} whole it is all of it
 * @returns {string | null | undefined} undefined: that is before the text
 */
function lastUrl (text, whole) {
  let end = text.length
  while (end > 0) {
    const begin = Math.max(text.lastIndexOf('\n', end - 1), text.lastIndexOf('\r', end - 1)) + 1
    const line = text.slice(begin, end).trim()
    const cut = begin === 0 && !whole
    if (cut && mayBeCut(line)) return undefined
    const [, url] = LINE_COMMENT.exec(line) ?? BLOCK_COMMENT.exec(line) ?? []
    if (url) return url
    if (line !== '' && (cut || !ONLY_COMMENT.test(line))) return null
    end = begin - 1
  }
  return whole ? null : undefined
}

/** @param {string} line an end of one @returns {boolean} all of it but a few characters may be a URL's */
function mayBeCut (line) {
  const comment = line.endsWith('*/') ? line.slice(0, -2).trimEnd() : line
  return !NOT_OF_A_URL.test(comment.slice(LONGEST_BEGINNING))
}

module.exports = { mappingUrl }
