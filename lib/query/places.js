'use strict'

// Where the tables are that a question is about.

const fs = require('node:fs')
const path = require('node:path')
const { TABLES } = require('../export/layout')

/** Of what lies between a directory and the tables in it: app, host, date, recording. */
const DEEPEST = 6
const PARTITIONED = /(?:^|\/)app=[^/]+\/host=[^/]+\/date=[^/]+\/[^/]+$/

/**
 * @param {string} directory
 * @returns {string[]} absolute paths of directories with tables, in order
 * @throws {Error} one of them lacks a table, or cannot be read
 */
function tablesIn (directory) {
  const found = /** @type {string[]} */ ([])
  const look = (/** @type {string} */ at, /** @type {number} */ depth) => {
    const entries = fs.readdirSync(at, { withFileTypes: true })
    if (entries.some(({ name }) => name === 'meta.parquet')) {
      const missing = TABLES.filter((table) => !entries.some(({ name }) => name === `${table}.parquet`))
      if (missing.length > 0) throw new Error(`${at} lacks ${missing.map((table) => `${table}.parquet`).join(', ')}: export its trace again`)
      found.push(at)
    } else if (depth < DEEPEST) {
      for (const entry of entries) {
        if (entry.isDirectory() && !entry.name.startsWith('.')) look(path.join(at, entry.name), depth + 1)
      }
    }
  }
  look(path.resolve(directory), 0)
  return found.sort()
}

/** @param {string[]} places @returns {boolean} whether their paths say of which app, host and date they are */
function arePartitioned (places) {
  return places.every((place) => PARTITIONED.test(place))
}

module.exports = { arePartitioned, tablesIn }
