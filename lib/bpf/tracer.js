'use strict'

// bpftrace, where the kernel's trace points are to be found: they are mounted
// for it alone where nobody has.

const fs = require('node:fs')

const PLACES = ['/sys/kernel/tracing/events', '/sys/kernel/debug/tracing/events']
const MOUNTED = 'mount -t tracefs tracefs /sys/kernel/tracing && exec bpftrace "$@"'

/**
 * @param {string[]} args
 * @returns {[string, ...string[]]} the command and its arguments
 */
function bpftrace (args) {
  return PLACES.some((place) => fs.existsSync(place)) ? ['bpftrace', ...args] : ['unshare', '--mount', 'sh', '-c', MOUNTED, 'sh', ...args]
}

/** @returns {boolean} whether it is installed */
function isInstalled () {
  return (process.env.PATH ?? '').split(':').some((directory) => fs.existsSync(`${directory}/bpftrace`))
}

module.exports = { bpftrace, isInstalled }
