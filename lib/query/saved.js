'use strict'

// Questions that have a name: the *.sql files beside this one. The comment that
// a file begins with says what it asks.

const fs = require('node:fs')
const path = require('node:path')

const NAME = /^[a-z][a-z0-9-]*$/

/** @returns {{ name: string, about: string }[]} by name */
function saved () {
  return fs.readdirSync(__dirname).filter((file) => file.endsWith('.sql')).sort().map((file) => {
    const lines = fs.readFileSync(path.join(__dirname, file), 'utf8').split('\n')
    const comment = lines.slice(0, lines.findIndex((line) => !line.startsWith('--')))
    return { name: path.basename(file, '.sql'), about: comment.map((line) => line.slice(2).trim()).join(' ') }
  })
}

/** @param {string} asked @returns {string | undefined} the SQL of that name; undefined: it is none */
function savedQuery (asked) {
  if (!NAME.test(asked) || !saved().some(({ name }) => name === asked)) return undefined
  return fs.readFileSync(path.join(__dirname, `${asked}.sql`), 'utf8')
}

module.exports = { saved, savedQuery }
