'use strict'

/**
 * @param {any[]} head of texts
 * @param {any[][]} rows of texts
 * @returns {string[]} the lines of a Markdown table
 */
function markdown (head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}

module.exports = { markdown }
