'use strict'

// Everything the environment can say to the recorder, in one table. README's
// table is checked against it, and so is every value a user sets: a value that
// is not allowed is named with what is allowed, and the default is used.

const path = require('node:path')

/**
 * @typedef {object} Config
 * @property {string} out absolute path of the trace directory
 * @property {'stream' | 'flight'} mode
 * @property {number} maxMb quota of the trace: on disk (stream) or in memory (flight), MiB
 * @property {'events' | 'promises'} causality
 * @property {number | null} sloMs a request slower than this dumps the flight recorder; null: never
 * @property {boolean} enabled whether recording starts with the process
 * @property {number} ringRecords what a thread can record before its drain thread has taken it
 * @property {number} watcherUs how long the ready-time watcher sleeps between looks, µs; 0: no watcher
 */

/**
 * @typedef {object} Variable
 * @property {string} name
 * @property {keyof Config} key
 * @property {string} values what is allowed, in words
 * @property {string} default what is used when it is unset, in words
 * @property {string} text what it does
 * @property {(value: string, place: Place) => any} read the value, or undefined when it is not allowed
 * @property {(config: Partial<Config>, place: Place) => any} fallback the default, given the variables before it
 */

/** @typedef {{ pid: number, cwd: string }} Place */

const MAX_MB = { stream: 1024, flight: 64 }
const RING_RECORDS = { default: 2 ** 17, min: 2, max: 2 ** 22 }
const WATCHER_US = { default: 100, min: 20, max: 10_000 }

/**
 * In order: a default may depend on the variables before it.
 * @type {Variable[]}
 */
const VARIABLES = [
  {
    name: 'EDGEWISE_OUT',
    key: 'out',
    values: 'a directory',
    default: './edgewise-<pid>',
    text: 'Where the trace goes; created when it is missing.',
    read: (value, { cwd }) => path.resolve(cwd, value),
    fallback: (config, { pid, cwd }) => path.join(cwd, `edgewise-${pid}`)
  },
  {
    name: 'EDGEWISE_MODE',
    key: 'mode',
    values: 'stream, flight',
    default: 'stream',
    text: 'stream writes everything; flight keeps the latest in memory and writes on a dump, a breach of EDGEWISE_SLO_MS, or exit.',
    read: oneOf('stream', 'flight'),
    fallback: () => 'stream'
  },
  {
    name: 'EDGEWISE_MAX_MB',
    key: 'maxMb',
    values: 'a number > 0',
    default: `${MAX_MB.stream} (stream), ${MAX_MB.flight} (flight)`,
    text: 'Quota in MiB: of the trace on disk (stream), of the memory that holds it (flight).',
    read: positive,
    fallback: (config) => MAX_MB[config.mode ?? 'stream']
  },
  {
    name: 'EDGEWISE_CAUSALITY',
    key: 'causality',
    values: 'events, promises',
    default: 'promises',
    text: 'events follows callbacks only; promises also follows continuations that a shared (pooled) connection resumes.',
    read: oneOf('events', 'promises'),
    fallback: () => 'promises'
  },
  {
    name: 'EDGEWISE_SLO_MS',
    key: 'sloMs',
    values: 'a number > 0',
    default: 'unset',
    text: 'In flight mode: a request slower than this many ms dumps the trace.',
    read: positive,
    fallback: () => null
  },
  {
    name: 'EDGEWISE_ENABLED',
    key: 'enabled',
    values: '0, 1',
    default: '1',
    text: '0 starts with recording off; `edgewise on PID` switches it on.',
    read: (value) => value === '1' ? true : value === '0' ? false : undefined,
    fallback: () => true
  },
  {
    name: 'EDGEWISE_RING_RECORDS',
    key: 'ringRecords',
    values: `a power of two from ${RING_RECORDS.min} to ${RING_RECORDS.max}`,
    default: String(RING_RECORDS.default),
    text: 'Records of 32 bytes that each thread keeps until they are taken to the trace, every 20 ms; what does not fit is dropped and counted.',
    read: ringRecords,
    fallback: () => RING_RECORDS.default
  },
  {
    name: 'EDGEWISE_WATCHER_US',
    key: 'watcherUs',
    values: `0, or a whole number from ${WATCHER_US.min} to ${WATCHER_US.max}`,
    default: String(WATCHER_US.default),
    text: 'How long the ready-time watcher rests between looks, in µs: the largest error of a ready time that the kernel does not stamp (pipes, files, connections to databases). 0 switches it off.',
    read: watcherUs,
    fallback: () => WATCHER_US.default
  }
]

/** Names that will mean something in a later version, by prefix. */
const RESERVED = [{ prefix: 'EDGEWISE_BOOST', text: 'boosting the processor is not available in this version' }]

/**
 * Reads the EDGEWISE_* variables. An empty value is the same as none. Never
 * throws: what is wrong is returned as one sentence a problem.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @param {Partial<Place>} [place] the process the configuration is for
 * @returns {{ config: Config, problems: string[] }}
 */
function readConfig (env = process.env, place = {}) {
  const here = { pid: place.pid ?? process.pid, cwd: place.cwd ?? currentDirectory() }
  /** @type {Record<string, any>} */
  const config = {}
  const problems = []
  for (const variable of VARIABLES) {
    const given = env[variable.name]
    const value = given ? variable.read(given, here) : undefined
    config[variable.key] = value === undefined ? variable.fallback(config, here) : value
    if (given && value === undefined) {
      const used = config[variable.key] === null ? 'it stays unset' : `using ${shown(variable, config)}`
      problems.push(`${variable.name}=${quoted(given)} is not allowed: allowed is ${variable.values}; ${used}`)
    }
  }
  if (config.sloMs !== null && config.mode !== 'flight') {
    problems.push(`EDGEWISE_SLO_MS=${quoted(String(env.EDGEWISE_SLO_MS))} has no effect with EDGEWISE_MODE=stream: ` +
      'only EDGEWISE_MODE=flight dumps on a slow request')
  }
  return { config: /** @type {Config} */ (config), problems: problems.concat(strangers(env)) }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]} a problem for each EDGEWISE_* name that means nothing here
 */
function strangers (env) {
  const known = VARIABLES.map((variable) => variable.name)
  const problems = []
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith('EDGEWISE_') || known.includes(name)) continue
    const reserved = RESERVED.find(({ prefix }) => name.startsWith(prefix))
    const near = nearest(name, known)
    const hint = near ? `did you mean ${near}?` : `known are ${known.join(', ')}`
    problems.push(reserved
      ? `${name} is reserved: ${reserved.text}; it is ignored`
      : `${name} is not a variable of edgewise: ${hint}`)
  }
  return problems
}

/** @param {...string} values */
function oneOf (...values) {
  return (/** @type {string} */ value) => values.includes(value) ? value : undefined
}

/** @param {string} value */
function positive (value) {
  const number = plainNumber(value)
  return number !== undefined && number > 0 ? number : undefined
}

/** @param {string} value */
function ringRecords (value) {
  const number = plainNumber(value)
  if (number === undefined || number < RING_RECORDS.min || number > RING_RECORDS.max) return undefined
  return Number.isInteger(Math.log2(number)) ? number : undefined
}

/** @param {string} value */
function watcherUs (value) {
  const number = plainNumber(value)
  if (number === undefined || !Number.isInteger(number)) return undefined
  const allowed = number === 0 || (number >= WATCHER_US.min && number <= WATCHER_US.max)
  return allowed ? number : undefined
}

/**
 * Number() would take '', ' 1 ', '0x10' and 'Infinity' too.
 * @param {string} value
 */
function plainNumber (value) {
  if (!/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

/**
 * @param {Variable} variable
 * @param {Record<string, any>} config
 */
function shown (variable, config) {
  const value = config[variable.key]
  return typeof value === 'boolean' ? Number(value) : value
}

/** @param {string} value a value of any length and content, on one line */
function quoted (value) {
  const line = JSON.stringify(value)
  return line.length <= 80 ? line : `${line.slice(0, 76)}..."`
}

function currentDirectory () {
  try {
    return process.cwd()
  } catch {
    return '.' // The directory was removed: opening the trace will say so.
  }
}

/**
 * @param {string} name
 * @param {string[]} candidates
 * @returns {string | undefined} the one that `name` is most likely a typing error of
 */
function nearest (name, candidates) {
  const stem = (/** @type {string} */ text) => text.slice('EDGEWISE_'.length)
  const ranked = candidates
    .map((candidate) => ({ candidate, alike: likeness(stem(name), stem(candidate)) }))
    .sort((a, b) => b.alike - a.alike)
  return ranked[0].alike >= 0.4 ? ranked[0].candidate : undefined
}

/**
 * @param {string} a
 * @param {string} b
 * @returns {number} 1: equal, 0: nothing in common
 */
function likeness (a, b) {
  // Levenshtein: insertions, deletions and replacements that turn a into b.
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      next[j] = Math.min(replaced, row[j] + 1, next[j - 1] + 1)
    }
    row = next
  }
  return 1 - row[b.length] / Math.max(a.length, b.length)
}

module.exports = { VARIABLES, readConfig }
