'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { say } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')

/**
 * Where a benchmark's page goes: the published one never comes from a part of
 * the measurement.
 * @param {{ page?: string, whole: boolean }} options page: what the user wants
 * @param {string} published
 * @returns {string | undefined} undefined: nowhere, which is said
 */
function pageFile ({ page, whole }, published) {
  const file = page ?? (whole ? published : undefined)
  if (!file) say(`${path.relative(ROOT, published)} is left as it is: this was not the whole measurement (--page FILE writes one)`)
  return file
}

/**
 * Prints a page, and writes it where it goes.
 * @param {string} text
 * @param {{ page?: string, whole: boolean }} options
 * @param {string} published
 */
function publish (text, options, published) {
  process.stdout.write(text)
  const file = pageFile(options, published)
  if (!file) return
  fs.writeFileSync(file, text)
  say(`written: ${path.relative('', file)}`)
}

module.exports = { pageFile, publish }
