'use strict'

// Which services there are, as the options and a file say it.

const fs = require('node:fs')
const { parseCpus } = require('./cores')

/**
 * @typedef {object} Service
 * @property {string} name
 * @property {string[]} [command] a program and its arguments, or one text for the shell
 * @property {boolean} [shell]
 * @property {number} [pid] of one that runs already
 * @property {string} [cpus] processors that it is given
 * @property {Record<string, string>} [env]
 * @property {string} [cwd]
 */

const KEYS = ['name', 'command', 'pid', 'cpus', 'env', 'cwd']
/** The name of the command after --. */
const FRONT = 'front'

/** @param {string} text NAME=COMMAND or NAME=PID @returns {Service | null} null: it is neither */
function parseService (text) {
  const [, name, what] = /^([^=\s]+)=(\S.*)$/s.exec(text) ?? []
  if (name === undefined) return null
  return /^\d+$/.test(what) ? { name, pid: Number(what) } : { name, command: [what], shell: true }
}

/** @param {string} text NAME=LIST @returns {{ name: string, cpus: string } | null} */
function parsePlace (text) {
  const [, name, cpus] = /^([^=\s]+)=([\d,-]+)$/.exec(text) ?? []
  return name !== undefined && parseCpus(cpus) ? { name, cpus } : null
}

/**
 * @param {string} file of JSON
 * @returns {Service[]} the one that users ask first
 * @throws {Error} it says what is wrong, and where
 */
function readServices (file) {
  const { services } = JSON.parse(fs.readFileSync(file, 'utf8'))
  if (!Array.isArray(services) || services.length === 0) throw new Error(`${file}: "services" must be a list of services`)
  return services.map((service, i) => {
    const at = `${file}: services[${i}]`
    for (const key of Object.keys(service)) if (!KEYS.includes(key)) throw new Error(`${at}.${key} is not known: allowed are ${KEYS.join(', ')}`)
    checkText(`${at}.name`, service.name)
    if ((service.command === undefined) === (service.pid === undefined)) throw new Error(`${at}: give it either a command or a pid`)
    if (service.pid !== undefined && !(Number.isInteger(service.pid) && service.pid > 0)) throw new Error(`${at}.pid is ${JSON.stringify(service.pid)}: allowed is a process id`)
    if (service.cpus !== undefined && !(typeof service.cpus === 'string' && parseCpus(service.cpus))) throw new Error(`${at}.cpus is ${JSON.stringify(service.cpus)}: allowed is a list such as "0-2,4"`)
    return { ...service, ...commandOf(at, service.command) }
  })
}

/** @param {string} at @param {unknown} command @returns {{ command?: string[], shell?: boolean }} */
function commandOf (at, command) {
  if (command === undefined) return {}
  if (typeof command === 'string' && command.trim() !== '') return { command: [command], shell: true }
  const isList = Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string')
  if (!isList) throw new Error(`${at}.command is ${JSON.stringify(command)}: allowed is a text for the shell, or a list of a program and its arguments`)
  return { command }
}

/** @param {string} at @param {unknown} value */
function checkText (at, value) {
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`${at} is ${JSON.stringify(value) ?? 'missing'}: allowed is a name`)
}

/**
 * @param {{ services?: string, service?: Service[], cpus?: { name: string, cpus: string }[], command: string[], target: string }} given services: a file
 * @returns {Service[]} the one that users ask first
 * @throws {Error}
 */
function collect ({ services: file, service = [], cpus = [], command, target }) {
  /** @type {Service[]} */
  const all = [...command.length > 0 ? [{ name: FRONT, command }] : [], ...file ? readServices(file) : [], ...service].map((each) => ({ ...each }))
  const names = all.map(({ name }) => name)
  const known = `there are ${names.join(', ') || 'none'}`
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice) throw new Error(`two services are named ${twice}`)
  if (!names.includes(target)) throw new Error(`--target ${target}: no such service; ${known}`)
  if (all.length < 2) throw new Error(`${target} is the only service: pauses are those of the others. Name them with --service or --services`)
  for (const place of cpus) {
    const placed = all.find(({ name }) => name === place.name)
    if (!placed) throw new Error(`--cpus ${place.name}=${place.cpus}: no such service; ${known}`)
    placed.cpus = place.cpus
  }
  const runs = all.find(({ pid, cpus }) => pid !== undefined && cpus !== undefined)
  if (runs) throw new Error(`--cpus ${runs.name}=${runs.cpus}: process ${runs.pid} runs already; place it with: taskset -a -p -c ${runs.cpus} ${runs.pid}`)
  return all
}

module.exports = { FRONT, collect, parsePlace, parseService }
