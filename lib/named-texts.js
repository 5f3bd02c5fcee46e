'use strict'

// Files that have a name and say in their first comment what they are for.

const fs = require('node:fs')
const path = require('node:path')

const NAME = /^[a-z][a-z0-9-]*$/

/**
 * @param {string} directory
 * @param {string} extension '.sql'
 * @param {string} comment what begins a line that is one
 */
function namedTexts (directory, extension, comment) {
  const read = (/** @type {string} */ name) => fs.readFileSync(path.join(directory, name + extension), 'utf8')

  /** @returns {{ name: string, about: string }[]} by name */
  function all () {
    const files = fs.readdirSync(directory).filter((file) => file.endsWith(extension)).sort()
    return files.map((file) => {
      const name = path.basename(file, extension)
      const lines = read(name).split('\n')
      const about = lines.slice(0, lines.findIndex((line) => !line.startsWith(comment)))
      return { name, about: about.map((line) => line.slice(comment.length).trim()).join(' ') }
    })
  }

  /** @param {string} asked @returns {string | undefined} the text of that name; undefined: it is none */
  function find (asked) {
    return NAME.test(asked) && all().some(({ name }) => name === asked) ? read(asked) : undefined
  }

  return { all, find }
}

/** @param {{ name: string, about: string }[]} texts @returns {string} a line each */
function listed (texts) {
  const width = Math.max(...texts.map(({ name }) => name.length))
  return texts.map(({ name, about }) => `${name.padEnd(width)}  ${about}\n`).join('')
}

module.exports = { listed, namedTexts }
