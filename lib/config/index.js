'use strict'

// Everything the environment can say, in one table. That of
// docs/environment.md is checked against it, and so is every value a user sets: a value that
// is not allowed is named with what is allowed, and the default is used.

const { BOOST } = require('./boost')
const { RECORDING, STACKS_HZ } = require('./recording')

/**
 * @typedef {object} Config
 * @property {string} out absolute path of the trace directory
 * @property {'stream' | 'flight'} mode
 * @property {number} maxMb quota of the directory: of the trace (stream) or of what is held (flight), MiB
 * @property {'events' | 'promises'} causality
 * @property {number | null} sloMs a request slower than this dumps the flight recorder; null: never
 * @property {boolean} enabled whether recording starts with the process
 * @property {number} ringRecords what a thread can record before its drain thread has taken it
 * @property {number} watcherUs how long the ready-time watcher sleeps between looks, µs; 0: no watcher
 * @property {number} stacksHz how often a second the stack of a busy loop is recorded; 0: never
 * @property {number} burst bits that are set in the milliseconds in which stacks are recorded; 0: always
 * @property {number | null} stallMs an event that runs for so long is told while it lasts; null: none is
 * @property {boolean} offCpu whether it is recorded when the thread did not run
 * @property {boolean} wholePaths whether the whole paths of files are recorded
 * @property {string | null} service what this one is called among several; null: by the environment of OpenTelemetry, or not at all
 * @property {string | null} boost policies, joined by commas; null: the processor is not boosted
 * @property {string} boostActuator
 * @property {number} boostQueueFactor
 * @property {number} boostHeadFactor
 * @property {number | null} boostTargetMs latency that slo and rubik defend; null: the percentile of what was seen
 * @property {number} boostPercentile
 * @property {string[] | null} boostRoutes of adrenaline, 'METHOD path'
 * @property {number[] | null} boostMhz low, mid, high; null: the hardware's own
 * @property {number} boostDelayUs of an emulated transition
 * @property {string | null} boostDomain shared by processes with one emulated frequency; null: none
 * @property {string} boostSocket where boostd listens
 * @property {string | null} boostStats directory of the statistics; null: the trace's, if it is recorded
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

/**
 * In order: a default may depend on the variables before it.
 * @type {Variable[]}
 */
const VARIABLES = [...RECORDING, ...BOOST]

/** What edgewise.start() takes: it starts in any case. */
const OPTIONS = RECORDING.filter(({ key }) => key !== 'enabled')

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
 * Reads what edgewise.start() is given: each option as if its variable were set.
 *
 * @param {Record<string, any>} options by keys of Config; undefined is the same as none
 * @param {NodeJS.ProcessEnv} [env]
 * @param {Partial<Place>} [place]
 * @returns {Config}
 * @throws {TypeError} naming the option, its value and what is allowed
 */
function readOptions (options, env = process.env, place = {}) {
  const merged = { ...env }
  for (const [key, value] of Object.entries(options)) {
    const variable = OPTIONS.find((one) => one.key === key)
    if (!variable) throw new TypeError(`edgewise.start(options): there is no option ${quoted(key)}; known are ${OPTIONS.map((one) => one.key).join(', ')}`)
    if (value === undefined) continue
    if (!allows(variable, value)) {
      throw new TypeError(`edgewise.start(options): ${key} is ${typeof value === 'string' ? quoted(value) : String(value)}; ${variable.values} is allowed`)
    }
    merged[variable.name] = value === null ? '' : String(value)
  }
  return readConfig(merged, place).config
}

/**
 * @param {Variable} variable
 * @param {any} value of an option
 * @returns {boolean} null: where unset is a value
 */
function allows (variable, value) {
  if (value === null) return variable.default === 'unset'
  if (value === '') return false
  return typeof value === typeof variable.read(String(value), { pid: 0, cwd: '/' })
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
    const near = nearest(name, known)
    const hint = near ? `did you mean ${near}?` : `known are ${known.join(', ')}`
    problems.push(`${name} is not a variable of edgewise: ${hint}`)
  }
  return problems
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

module.exports = { STACKS_HZ, VARIABLES, readConfig, readOptions }
