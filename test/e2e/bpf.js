'use strict'

const { spawnSync } = require('node:child_process')
const { bpftrace, isInstalled } = require('../../lib/bpf/tracer')

/** @returns {string | false} why nothing can be watched here */
function refused () {
  if (!isInstalled()) return 'bpftrace is not installed'
  const [command, ...args] = bpftrace(['-e', 'BEGIN { exit(); }'])
  const tried = spawnSync(command, args, { encoding: 'utf8' })
  return tried.status === 0 ? false : `BPF is not allowed: ${tried.stderr.trim().split('\n').at(-1)}`
}

module.exports = { refused }
