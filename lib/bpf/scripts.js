'use strict'

// Ready scripts for bpftrace: the *.bt files beside this one. ADDON and PID in
// them stand for a process that is recorded.

const fs = require('node:fs')
const { namedTexts } = require('../named-texts')
const { ADDON_FILE } = require('../native/native-files')

const { all, find } = namedTexts(__dirname, '.bt', '//')
/** What bpftrace takes in a probe's name without quotes. */
const PLAIN = /^[\w/.@+-]+$/

/**
 * @param {string} script
 * @param {number} pid
 * @param {string} addon
 * @param {number} [seconds] after which it ends; undefined: when it is told to
 * @returns {string} for that process
 */
function scriptFor (script, pid, addon, seconds) {
  const whole = script.replaceAll('ADDON', addon).replace(/\bPID\b/g, String(pid))
  return seconds === undefined ? whole : `${whole}interval:ms:${Math.round(seconds * 1000)} { exit(); }\n`
}

/**
 * @param {number} pid
 * @returns {string} the file with the probes that the process has loaded
 * @throws {Error} it is none of ours, or we may not look
 */
function addonOf (pid) {
  let maps
  try {
    maps = fs.readFileSync(`/proc/${pid}/maps`, 'utf8')
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    throw new Error(code === 'ENOENT' ? `there is no process ${pid}` : `process ${pid}: cannot see what it has loaded: ${message}`)
  }
  const line = maps.split('\n').find((each) => each.endsWith(`/${ADDON_FILE}`))
  if (line === undefined) {
    throw new Error(`process ${pid} has not loaded edgewise: start it with \`edgewise record -- node app.js\` or \`node --require edgewise/register app.js\``)
  }
  const addon = line.slice(line.indexOf('/'))
  if (!PLAIN.test(addon)) throw new Error(`bpftrace cannot take the name of ${JSON.stringify(addon)}: allowed are letters, digits and / . _ @ + -; install edgewise into such a directory`)
  return addon
}

module.exports = { addonOf, all, find, scriptFor }
