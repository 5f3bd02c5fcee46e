'use strict'

// What a page of the documentation holds: its fenced blocks, its code, its links.

const fs = require('node:fs')
const path = require('node:path')

const ROOT = path.join(__dirname, '../..')
const FENCE = /^```(\w*)\s*$/
const INDENTED = /^ {4}(?! *[-*|\d])(.*)$/
// The paragraph before a block that the reader saves.
const SAVE_AS = /\bas `([\w.-]+)`:?\s*$/

/** @typedef {{ line: number, language: string, text: string, saveAs?: string }} Block */
/** @typedef {{ line: number, text: string }} Piece */

/** @returns {string[]} README.md and every page of docs/, relative to the root */
function pages () {
  const docs = fs.readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md')).sort()
  return ['README.md', ...docs.map((name) => `docs/${name}`)]
}

/** @param {string} page @returns {string} */
const read = (page) => fs.readFileSync(path.join(ROOT, page), 'utf8')

/** @param {string} text @returns {Block[]} fenced blocks, in their order */
function blocks (text) {
  /** @type {Block[]} */
  const found = []
  /** @type {Block | null} */
  let open = null
  let before = ''
  text.split('\n').forEach((line, index) => {
    const fence = FENCE.exec(line)
    if (!fence) {
      if (open) open.text += `${line}\n`
      else if (line.trim() !== '') before = line
    } else if (open) {
      open = null
    } else {
      open = { line: index + 2, language: fence[1], text: '', saveAs: SAVE_AS.exec(before)?.[1] }
      found.push(open)
    }
  })
  return found
}

/** @param {string} text @returns {Piece[]} the commands of its `sh` blocks, one each, in their order */
function commands (text) {
  return blocks(text).filter(({ language }) => language === 'sh').flatMap(commandsOf)
}

/** @param {Block} block @returns {Piece[]} */
function commandsOf ({ text, line }) {
  return text.split('\n')
    .map((command, index) => ({ line: line + index, text: command.replace(/\s+# .*$/, '').trim() }))
    .filter(({ text: command }) => command !== '')
}

/** @param {string} text @returns {Piece[]} all that stands in code: blocks line by line, indented lines, inline */
function code (text) {
  /** @type {Piece[]} */
  const pieces = []
  let fenced = false
  text.split('\n').forEach((line, index) => {
    const at = index + 1
    if (FENCE.test(line)) {
      fenced = !fenced
      return
    }
    const indented = INDENTED.exec(line)
    if (fenced || indented) pieces.push({ line: at, text: indented?.[1] ?? line })
    else for (const [, inline] of line.matchAll(/`([^`]+)`/g)) pieces.push({ line: at, text: inline })
  })
  return pieces
}

/** @param {string} text @returns {Piece[]} where its links and pictures lead */
function links (text) {
  return text.split('\n').flatMap((line, index) =>
    Array.from(line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g), ([, target]) => ({ line: index + 1, text: target })))
}

/** @param {string} text @returns {Set<string>} what `#...` may name */
function anchors (text) {
  const titles = text.split('\n').flatMap((line) => /^#{1,6}\s+(.*)$/.exec(line)?.[1] ?? [])
  return new Set(titles.map((title) => title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-')))
}

module.exports = { ROOT, anchors, blocks, code, commands, links, pages, read }
