'use strict'

// Scenarios of a file: what the command line's options say, as JSON.

const fs = require('node:fs')

const KINDS = ['cpu', 'wait', 'collections', 'load', 'processor', 'neighbour', 'replica-lost', 'parallel', 'batch', 'offload', 'workers', 'semi-space', 'input']
/** @type {Record<string, (value: unknown) => boolean>} */
const TYPES = {
  'a text': (value) => typeof value === 'string' && value !== '',
  'a number, at least 0': isLength,
  'a list of ns': (value) => Array.isArray(value) && value.length > 0 && value.every(isLength)
}
const FIELDS = /** @type {Record<string, string>} */ ({
  kind: 'a text',
  route: 'a text',
  dependency: 'a text',
  scale: 'a number, at least 0',
  addNs: 'a number, at least 0',
  bytes: 'a number, at least 0',
  tierNs: 'a list of ns',
  first: 'a number, at least 0',
  second: 'a number, at least 0',
  count: 'a number, at least 0'
})

/** @param {unknown} value */
function isLength (value) {
  return typeof value === 'number' && value >= 0
}

/**
 * @param {string} file
 * @returns {import('./changes').Scenario[]}
 * @throws {Error} that names the place and what is allowed
 */
function readScenarios (file) {
  const text = fs.readFileSync(file, 'utf8')
  let list
  try {
    list = JSON.parse(text)
  } catch (error) {
    throw new Error(`${file}: ${/** @type {Error} */ (error).message}`)
  }
  if (!Array.isArray(list) || list.length === 0) throw new Error(`${file}: must be a list of {"name": ..., "changes": [...]}`)
  list.forEach((scenario, i) => check(scenario, `${file}: [${i}]`))
  return list
}

function check (scenario, place) {
  if (typeof scenario?.name !== 'string' || scenario.name === '') throw new Error(`${place}.name: must be a text`)
  if (!Array.isArray(scenario.changes) || scenario.changes.length === 0) throw new Error(`${place}.changes: must be a list of changes`)
  scenario.changes.forEach((change, i) => checkChange(change, `${place}.changes[${i}]`))
}

function checkChange (change, place) {
  for (const [name, value] of Object.entries(change ?? {})) {
    if (!Object.hasOwn(FIELDS, name)) throw new Error(`${place}.${name}: allowed are ${Object.keys(FIELDS).join(', ')}`)
    if (!TYPES[FIELDS[name]](value)) throw new Error(`${place}.${name}: must be ${FIELDS[name]}`)
  }
  if (!KINDS.includes(change?.kind)) throw new Error(`${place}.kind: allowed are ${KINDS.join(', ')}`)
}

/**
 * Latencies that were measured elsewhere: a number a line, in ms.
 * @param {string} file
 * @returns {number[]} ns, by size
 * @throws {Error} that names the line
 */
function readTier (file) {
  const lines = fs.readFileSync(file, 'utf8').split('\n').map((line) => line.trim())
  const latencies = lines.flatMap((line, i) => {
    if (line === '' || line.startsWith('#')) return []
    if (!(Number(line) >= 0)) throw new Error(`${file}:${i + 1}: '${line}' is no latency in ms`)
    return [Number(line) * 1e6]
  })
  if (latencies.length === 0) throw new Error(`${file}: has no latency: a number a line is expected, in ms`)
  return latencies.sort((one, other) => one - other)
}

module.exports = { readScenarios, readTier }
