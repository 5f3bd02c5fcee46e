'use strict'

// What this machine and user can observe and control, as far as files tell.
// Each check states its reason, whatever the answer.

const fs = require('node:fs')
const path = require('node:path')
const { readConfig } = require('../config')
const { serve } = require('../control')
const { findPatchedNode } = require('../native/patched-node')

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {boolean} available
 * @property {string} reason
 * @property {boolean} [essential] nothing can be recorded without it
 */

/** Tested with every release; others may work. */
const TESTED_NODE = [20, 22, 24]
const OLDEST_NODE = 20

/** @returns {Check[]} */
function machineChecks () {
  return [
    nodeVersion(process.versions.node),
    patchedNode(),
    hardwareCounters(),
    frequency(),
    energy(),
    kernelTraces(),
    traceDirectory(),
    controlSocket()
  ]
}

/** @param {string} version @returns {Check} */
function nodeVersion (version) {
  const major = parseInt(version)
  const tested = TESTED_NODE.includes(major)
  const reason = tested
    ? 'supported'
    : major < OLDEST_NODE
      ? `older than the oldest supported, ${OLDEST_NODE}`
      : `not tested with this version (tested: ${TESTED_NODE.join(', ')}); recording is tried`
  return { name: `Node.js ${version}`, available: major >= OLDEST_NODE, reason, essential: true }
}

/** @returns {Check} */
function patchedNode () {
  const { file, built, howToBuild } = findPatchedNode()
  const reason = !built
    ? `not built, so that JIT and IC times and callbacks behind shared connections stay unknown; next step: ${howToBuild}`
    : isThisProgram(file)
      ? 'this is it'
      : `${file}; edgewise profile --node patched uses it`
  return { name: 'patched Node.js', available: built, reason }
}

/** @param {string} file */
function isThisProgram (file) {
  return fs.realpathSync(file) === fs.realpathSync(process.execPath)
}

/** @returns {Check} */
function hardwareCounters () {
  const name = 'hardware counters'
  const devices = ['cpu', 'cpu_core', 'cpu_atom', 'armv8_pmuv3_0']
  const present = devices.some((device) => fs.existsSync(`/sys/bus/event_source/devices/${device}/type`))
  const level = number('/proc/sys/kernel/perf_event_paranoid')
  if (level === null) return { name, available: false, reason: 'this kernel has no perf events' }
  if (!present) return { name, available: false, reason: 'the processor offers none (a virtual machine?)' }
  // 3 is Debian's: no use without privilege. Up to 2 a user may count itself.
  if (level > 2 && !isRoot()) return { name, available: false, reason: `kernel.perf_event_paranoid is ${level}: allowed is 2 or less, or root` }
  return { name, available: true, reason: `kernel.perf_event_paranoid is ${level}${isRoot() ? ', user is root' : ''}` }
}

/** @returns {Check} */
function frequency () {
  const name = 'processor frequency'
  const directory = '/sys/devices/system/cpu/cpu0/cpufreq'
  if (!fs.existsSync(directory)) return { name, available: false, reason: 'no cpufreq driver (a virtual machine?)' }
  const driver = text(`${directory}/scaling_driver`) ?? 'unknown'
  const governor = text(`${directory}/scaling_governor`) ?? 'unknown'
  const denied = deniedBecause(`${directory}/scaling_min_freq`, fs.constants.W_OK)
  return { name, available: !denied, reason: denied ?? `driver ${driver}, governor ${governor}` }
}

/** @returns {Check} */
function energy () {
  const name = 'energy counters'
  const directory = '/sys/class/powercap'
  const zones = list(directory).filter((zone) => fs.existsSync(path.join(directory, zone, 'energy_uj')))
  if (zones.length === 0) return { name, available: false, reason: 'no powercap zone (a virtual machine?)' }
  const denied = deniedBecause(path.join(directory, zones[0], 'energy_uj'), fs.constants.R_OK)
  return { name, available: !denied, reason: denied ?? zones.join(', ') }
}

/** @returns {Check} */
function kernelTraces () {
  const name = 'kernel traces'
  if (!isRoot()) return { name, available: false, reason: 'only root may trace the kernel' }
  const tracefs = ['/sys/kernel/tracing', '/sys/kernel/debug/tracing'].find((place) => fs.existsSync(`${place}/events`))
  const bpftrace = findProgram('bpftrace')
  const parts = [
    tracefs ? `tracefs at ${tracefs}` : 'tracefs is not mounted (mount -t tracefs nodev /sys/kernel/tracing)',
    bpftrace ? `bpftrace at ${bpftrace}` : 'bpftrace is not installed'
  ]
  return { name, available: Boolean(tracefs || bpftrace), reason: parts.join('; ') }
}

/** @returns {Check} */
function traceDirectory () {
  const { out } = readConfig().config
  // It is created on demand: what counts is the nearest directory that exists.
  let place = out
  while (!fs.existsSync(place) && path.dirname(place) !== place) place = path.dirname(place)
  const denied = deniedBecause(place, fs.constants.W_OK | fs.constants.X_OK)
  const usable = !denied && fs.statSync(place).isDirectory()
  const free = usable ? fs.statfsSync(place) : null
  const reason = denied ?? (free
    ? `${place}, ${Math.floor(free.bavail * free.bsize / 2 ** 20)} MiB free`
    : `${place} is not a directory`)
  return { name: 'trace directory', available: usable, reason, essential: true }
}

/** @returns {Check} */
function controlSocket () {
  let reason = ''
  const server = serve({}, { onProblem: (problem) => { reason = problem } })
  server.close()
  return { name: 'control socket', available: server.path !== null, reason: server.path ? path.dirname(server.path) : reason }
}

/**
 * @param {string} file
 * @param {number} mode
 * @returns {string | null}
 */
function deniedBecause (file, mode) {
  try {
    fs.accessSync(file, mode)
    return null
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    const wish = mode & fs.constants.W_OK ? 'write' : 'read'
    if (code === 'EACCES' || code === 'EPERM') return `user ${process.getuid?.()} may not ${wish} ${file}${isRoot() ? '' : '; root may'}`
    if (code === 'EROFS') return `${file} is on a file system mounted read-only`
    return `${file}: ${code}`
  }
}

/** @param {string} program */
function findProgram (program) {
  return (process.env.PATH ?? '').split(':').filter(Boolean)
    .map((directory) => path.join(directory, program))
    .find((file) => deniedBecause(file, fs.constants.X_OK) === null)
}

/** @param {string} file */
function text (file) {
  try {
    return fs.readFileSync(file, 'utf8').trim()
  } catch {
    return null
  }
}

/** @param {string} file */
function number (file) {
  const content = text(file)
  return content === null || content === '' ? null : Number(content)
}

/** @param {string} directory */
function list (directory) {
  try {
    return fs.readdirSync(directory)
  } catch {
    return []
  }
}

function isRoot () {
  return process.geteuid?.() === 0
}

module.exports = { machineChecks, nodeVersion }
