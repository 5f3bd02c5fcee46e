'use strict'

// What keeps a server from a processor: a control group with limits, a rival.

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

let groups = 0

/**
 * @param {any} t
 * @param {string} controller of version 1
 * @param {Record<string, number>} limits files and what they are to hold
 * @returns {{ group: string, wrapper: string[] } | null} a control group that goes with the test, and what a program runs under to be
 *   in it; null where none can be made
 */
function makeGroup (t, controller, limits) {
  const group = `/sys/fs/cgroup/${controller}/edgewise-test-${process.pid}-${groups++}`
  try {
    fs.mkdirSync(group)
    t.after(() => fs.rmdirSync(group))
    for (const [name, value] of Object.entries(limits)) fs.writeFileSync(path.join(group, name), String(value))
    return { group, wrapper: ['sh', '-c', `echo $$ > ${group}/cgroup.procs; exec "$@"`, 'sh'] }
  } catch {
    return null
  }
}

/** What a program runs under to be on the first processor only. */
const PINNED = ['taskset', '-c', '0']

/** @param {any} t @returns {import('node:child_process').ChildProcess} it takes what it gets of that processor */
function startRival (t) {
  const [program, ...args] = [...PINNED, process.execPath, '-e', 'for (;;);']
  const rival = spawn(program, args, { stdio: 'ignore' })
  t.after(() => rival.kill('SIGKILL'))
  return rival
}

module.exports = { PINNED, makeGroup, startRival }
