'use strict'

// What a page of the documentation names: is it there?

const fs = require('node:fs')
const path = require('node:path')
const { program } = require('../../lib/cli')
const { VARIABLES } = require('../../lib/config')
const { walk } = require('../../scripts/tasks/tree')
const { ROOT, anchors, code, links, read } = require('./markdown')

const PLACES = ['.ci', 'benchmarks', 'bin', 'docs', 'lib', 'patches', 'scripts', 'src', 'test']
const SOURCES = ['benchmarks', 'bin', 'lib', 'scripts', 'src', 'test/node-own', 'test/random', 'CMakeLists.txt', 'package.json']
/** Of other programs than ours and Node.js. */
const FOREIGN = ['--save-dev', '--ignore-scripts', '--foreground-scripts', '--sourceMap', '--sourcemap', '--cap-add', '--read-only', '--target',
  '--single-threaded-gc', '--trace-gc', '--trace-gc-nvp', '--help', '--version', '--tmpfs', '--init', '--volume', '--omit', '--as-pid-1']
const OPTION = /(?<![\w-])--[a-zA-Z][\w-]*/g
const COMMAND = /(?:^|\s)(?<!import )edgewise ([a-z][a-z-]*)((?: [^|&;#]*)?)/
const PATHLIKE = /^(\.?[\w-]+)(\/[\w.:-]+)+\/?$/
const PLACEHOLDER = /[<>*{}…]|\b[A-Z]{3,}\b/

const nodeFlags = process.allowedNodeEnvironmentFlags
const command = program()

/** @returns {string} all text in which an option may be defined */
function sources () {
  const files = Array.from(walk(SOURCES)).filter(({ stat }) => stat.isFile())
  return files.map(({ file }) => fs.readFileSync(file, 'utf8')).join('\n')
}

let known = ''

/**
 * @param {string} page relative to the root
 * @param {string} [text] of it
 * @returns {string[]} what it names that is not there, one line each
 */
function missing (page, text = read(page)) {
  const pieces = code(text)
  return [...brokenLinks(page, text), ...pieces.flatMap((piece) => [
    ...absentFiles(piece.text), ...strangeCommands(piece.text), ...strangeOptions(piece.text), ...strangeVariables(piece.text)
  ].map((problem) => `${page}:${piece.line}: ${problem}`))]
}

/** @param {string} page @param {string} text */
function brokenLinks (page, text) {
  return links(text).flatMap(({ line, text: target }) => {
    if (/^[a-z]+:/.test(target)) return []
    const [file, anchor] = target.split('#')
    const to = file === '' ? page : path.join(path.dirname(page), file)
    if (!fs.existsSync(path.join(ROOT, to))) return [`${page}:${line}: ${target} leads nowhere`]
    if (anchor && !anchors(to === page ? text : read(to)).has(anchor)) return [`${page}:${line}: ${to} has no title #${anchor}`]
    return []
  })
}

/** @param {string} text */
function absentFiles (text) {
  const match = PATHLIKE.exec(text)
  if (!match || !PLACES.includes(match[1]) || PLACEHOLDER.test(text)) return []
  // A part of src is named without what its files end with.
  const there = ['', '.h', '.cc', '.js'].some((end) => fs.existsSync(path.join(ROOT, text.replace(/:\d+$/, '') + end)))
  return there ? [] : [`there is no ${text}`]
}

/** @param {string} text of one line */
function strangeCommands (text) {
  const match = COMMAND.exec(text)
  if (!match) return []
  const [, name, rest] = match
  const named = command.commands.find((one) => one.name() === name || one.aliases().includes(name))
  if (!named) return [`there is no command edgewise ${name}`]
  const found = named.commands.find((one) => rest.trim().split(' ')[0] === one.name()) ?? named
  const own = rest.split(' -- ')[0].replace(/'[^']*'/g, '')
  const allowed = ['--help', ...found.options.map(({ long }) => long), ...command.options.map(({ long }) => long)]
  return Array.from(own.matchAll(OPTION), ([option]) => option).filter((option) => !allowed.includes(option)).map((option) => `edgewise ${name} has no ${option}`)
}

/** @param {string} text */
function strangeOptions (text) {
  known ||= sources()
  const options = Array.from(text.matchAll(OPTION), ([option]) => option)
  return options.filter((option) => !FOREIGN.includes(option) && !nodeFlags.has(option) && !isDefined(option)).map((option) => `nothing has the option ${option}`)
}

/** @param {string} option as the sources of ours write it: '--name', or 'name' where a table of options has it */
function isDefined (option) {
  const name = option.slice(2)
  return new RegExp(`(?<![\\w-])(--${name}(?![\\w-])|(['"])${name}\\2|${name}: \\{)`).test(known)
}

/** @param {string} text */
function strangeVariables (text) {
  const named = Array.from(text.matchAll(/\bEDGEWISE_[A-Z_]*[A-Z]\b/g), ([name]) => name)
  return named.filter((name) => !VARIABLES.some((variable) => variable.name === name)).map((name) => `there is no variable ${name}`)
}

module.exports = { missing }
