'use strict'

// Verifies the table of layers over every #include of src/ and test/native/
// and every require() of lib/ and bin/.

const fs = require('node:fs')
const { builtinModules } = require('node:module')
const path = require('node:path')
const { SRC, ROOMS, NATIVE_TESTS, NODE_HEADERS, LIBRARIES, LIB, BUNDLED } = require('./layers')

const TEST_LIBRARIES = [...LIBRARIES.src, ...LIBRARIES.test]

/**
 * @param {string} root of the tree
 * @param {string[]} files relative to the root
 * @returns {string[]} what breaks the table, one line each: 'file:line: why'
 */
function layerProblems (root, files) {
  const dependencies = Object.keys(readJson(path.join(root, 'package.json')).dependencies ?? {})
  return files.flatMap(file => {
    const check = checkOf(file, dependencies)
    if (!check) return []
    if (typeof check === 'string') return [`${file}: ${check}`]
    const lines = fs.readFileSync(path.join(root, file), 'utf8').split('\n')
    return lines.flatMap((line, index) => {
      const why = check(line)
      return why ? [`${file}:${index + 1}: ${why}`] : []
    })
  })
}

function readJson (file) {
  return JSON.parse(fs.readFileSync(file, 'utf8'))
}

// The check of a file's lines, what is wrong with all of them, or nothing.
function checkOf (file, dependencies) {
  const [top, second, third] = file.split('/')
  if (/\.(cc|h)$/.test(file)) {
    if (top === 'src') return withRow(SRC, second, top, () => line => includeProblem(line, second, SRC[second], LIBRARIES.src) ?? roomProblem(line, file))
    if (file.startsWith('test/native/')) return withRow(SRC, third, top, () => line => includeProblem(line, third, NATIVE_TESTS, TEST_LIBRARIES))
  }
  if (file.endsWith('.js')) {
    const part = top === 'bin' ? 'bin' : path.basename(second ?? '', '.js')
    if (top === 'scripts') return benchmarkProblem
    if (top === 'lib' || top === 'bin') return withRow(LIB, part, top, () => line => requireProblem(line, file, part, dependencies))
  }
  return undefined
}

/** Benchmarks use scripts, and not the other way. */
function benchmarkProblem (/** @type {string} */ line) {
  return /require\(['"](\.\.\/)+benchmarks\//.test(line) ? 'scripts may not require benchmarks' : undefined
}

function withRow (table, part, top, check) {
  return part in table ? check() : noRow(`${top}/${part}`)
}

const noRow = (/** @type {string} */ place) => `${place} has no row in the table of layers (scripts/tasks/layers.js)`

/** @returns {{ quote: string, header: string } | undefined} what a line includes */
function included (line) {
  const [, quote, header] = /^\s*#\s*include\s+([<"])([^>"]+)[>"]/.exec(line) ?? []
  return header === undefined ? undefined : { quote, header }
}

function includeProblem (line, part, usable, libraries) {
  const found = included(line)
  if (!found) return undefined
  const { quote, header } = found
  const restricted = NODE_HEADERS.find(each => each.pattern.test(header))
  if (restricted) {
    const { parts } = restricted
    return parts.includes(part) ? undefined : `${header} may only be included in ${parts.map(name => `src/${name}`).join(' and ')}`
  }
  if (quote === '<') return undefined
  const [first] = header.split('/')
  if (first === part || usable.includes(first)) return undefined
  if (first in SRC) return `${part} may not include ${header}: it may use ${listed(usable)}`
  if (libraries.includes(first) || header.startsWith('test/native/')) return undefined
  return `"${header}": includes are spelled from src/ ("trace/record.h"), libraries by their full path`
}

/** Of an include from one room of a part into another. */
function roomProblem (line, file) {
  const header = included(line)?.header
  const [, part, from, within] = file.split('/')
  const rooms = ROOMS[part]
  if (!header || rooms === undefined || within === undefined) return undefined
  const [used, to, inside] = header.split('/')
  if (used !== part) return undefined
  if (!(from in rooms)) return noRow(`src/${part}/${from}`)
  if (inside !== undefined && (to === from || rooms[from].includes(to))) return undefined
  return `${part}/${from} may not include ${header}: it may use ${listed(rooms[from])}`
}

function requireProblem (line, file, part, dependencies) {
  for (const [, , name] of line.matchAll(/\b(?:require|import)\((['"])([^'"]+)\1\)/g)) {
    // In a type of JSDoc, anything may be named.
    if (/^\s*(\/?\*|\/\/)/.test(line)) continue
    const why = name.startsWith('.') ? relativeProblem(name, file, part) : packageProblem(name, file, dependencies)
    if (why) return why
  }
  return undefined
}

function relativeProblem (name, file, part) {
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), name))
  if (target === 'package.json') return undefined
  const [top, second = 'index'] = target.split('/')
  if (top !== 'lib') return `${name} is outside lib/: the product may not need it`
  const used = path.basename(second, '.js')
  if (used === part || LIB[part].includes(used)) return undefined
  return `${part} may not require ${name}: it may use ${listed(LIB[part])}`
}

function packageProblem (name, file, dependencies) {
  if (file.startsWith(BUNDLED.directory)) {
    return BUNDLED.packages.includes(name.split('/')[0]) ? undefined : `${name}: what runs in a browser may use ${listed(BUNDLED.packages)}`
  }
  if (name.startsWith('node:')) return undefined
  if (builtinModules.includes(name)) return `${name}: say node:${name}`
  const owner = name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : name.split('/')[0]
  return dependencies.includes(owner) ? undefined : `${owner} is not among the dependencies of package.json`
}

function listed (names) {
  return names.length ? names.join(', ') : 'no other part'
}

module.exports = { layerProblems }
