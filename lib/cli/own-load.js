'use strict'

// The load that comes with edgewise: requests at a steady rate, whatever the
// server does (benchmarks/load).

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const readline = require('node:readline/promises')
const { LOAD } = require('../native/native-files')
const { quoted } = require('../shell')
const { Failure } = require('./failure')

const RATE = 50
const SECONDS = 20
/** Of a closed loop: enough for queues while services are paused. */
const CONNECTIONS = 128

/**
 * @typedef {object} OwnLoad
 * @property {string[]} [url] paths, each as often as any other
 * @property {string} [mix] a file
 * @property {number} [rate] requests a second
 * @property {number} [for] seconds
 * @property {number} [connections] instead of a rate: users who each wait for their answer
 */

/** @param {OwnLoad} options @returns {boolean} whether it is asked for */
const wantsLoad = ({ url, mix, rate }) => url !== undefined || mix !== undefined || rate !== undefined

/**
 * @param {OwnLoad} options
 * @returns {{ command: string, remove: () => void }} for a shell that knows $URL; remove: what it needs a file for
 * @throws {Failure} the generator is not there
 */
function ownLoad ({ url = ['/'], mix, rate = RATE, for: seconds = SECONDS, connections }) {
  if (!fs.existsSync(LOAD)) throw new Failure(`the load generator is not there (${LOAD}): give the load with --load, such as --load 'npx autocannon -d 20 $URL'`)
  const options = [connections ? `--closed --connections ${connections}` : `--rate ${rate}`, `--duration ${seconds}`, ...connections ? [] : ['--progress']]
  if (mix === undefined && url.length === 1) return { command: `${quoted(LOAD)} ${options.join(' ')} "$URL"${quoted(url[0])}`, remove: () => {} }
  const file = mix ?? writeMix(url)
  const remove = () => { if (mix === undefined) fs.rmSync(path.dirname(file), { recursive: true, force: true }) }
  return { command: `${quoted(LOAD)} ${options.join(' ')} --mix ${quoted(path.resolve(file))} "$URL"`, remove }
}

/** @param {string[]} paths @returns {string} a file in a directory of its own */
function writeMix (paths) {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-load-')), 'mix.json')
  const requests = paths.map((each) => ({ name: `GET ${each}`, weight: 1, method: 'GET', path: each }))
  fs.writeFileSync(file, JSON.stringify({ requests }), { mode: 0o600 })
  return file
}

/** @returns {Promise<string[] | undefined>} paths, of who sits at a terminal; undefined: nobody does, or wants none */
async function askForPaths () {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const asking = readline.createInterface({ input: process.stdin, output: process.stderr })
  try {
    const given = await asking.question('edgewise: which paths shall be requested, such as / /todos? (none: you send the requests) ')
    const paths = given.split(/\s+/).filter((each) => each.startsWith('/'))
    return paths.length > 0 ? paths : undefined
  } finally {
    asking.close()
  }
}

module.exports = { CONNECTIONS, RATE, SECONDS, askForPaths, ownLoad, wantsLoad }
