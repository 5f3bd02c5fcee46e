'use strict'

// What a server runs in, and not alone: a control group with limits, a rival, a sandbox.

const { execFileSync, spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { BUILD, madeMs, newestChangeMs } = require('../../scripts/tasks/tree')

const SANDBOX = path.join(__dirname, 'sandbox')
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

/** @param {any} t @param {string[]} wrapper that it runs under @returns {import('node:child_process').ChildProcess} it takes what it gets of the processor */
function startRival (t, wrapper = PINNED) {
  const [program, ...args] = [...wrapper, process.execPath, '-e', 'for (;;);']
  const rival = spawn(program, args, { stdio: 'ignore' })
  t.after(() => rival.kill('SIGKILL'))
  return rival
}

/**
 * @param {string} calls as refuse.c takes them
 * @returns {{ flags: string[], env: Record<string, string> }} Node's, for a server that enters the sandbox before edgewise begins
 */
function sandboxThatRefuses (calls) {
  return { flags: ['--require', path.join(SANDBOX, 'enter.js')], env: { REFUSE_LIBRARY: library(), REFUSED_CALLS: calls } }
}

/** @returns {string} what enters the sandbox */
function library () {
  const source = path.join(SANDBOX, 'refuse.c')
  const file = path.join(BUILD, 'test-addons', 'refuse.so')
  if (fs.existsSync(file) && madeMs(file) > newestChangeMs([path.relative(process.cwd(), source)])) return file
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  execFileSync('cc', ['-O1', '-Wall', '-Werror', '-shared', '-fPIC', source, '-o', draft])
  fs.renameSync(draft, file) // Other test files may build it at the same time.
  return file
}

module.exports = { PINNED, makeGroup, sandboxThatRefuses, startRival }
