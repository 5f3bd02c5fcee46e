'use strict'

const fs = require('node:fs')

/**
 * @param {number} pid
 * @returns {number} MB of the process that are in memory
 * @throws {Error} when it is gone
 */
function residentMb (pid) {
  const kb = /^VmRSS:\s*(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kb) * 1024 / 1e6
}

module.exports = { residentMb }
