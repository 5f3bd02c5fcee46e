'use strict'

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

module.exports = { pageFile }
