'use strict'

// What a server runs in, and not alone: a control group with limits, a rival, a sandbox, a network.

const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { BUILD, madeMs, newestChangeMs } = require('../../scripts/tasks/tree')

const SANDBOX = path.join(__dirname, 'sandbox')
const NETWORK = path.join(__dirname, 'network/network.c')
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
const library = () => compiled(path.join(SANDBOX, 'refuse.c'), 'refuse.so', ['-shared', '-fPIC'])

/**
 * @param {any} t
 * @param {number} delayUs each way
 * @returns {Promise<{ hosts: string[], within: (end: 0 | 1, aheadNs?: number) => string[] }>} two network namespaces with a line
 *   between them: their addresses, and what a program runs under to be in one, by a clock that is ahead
 */
async function startLine (t, delayUs) {
  const program = compiled(NETWORK, 'network', [])
  const line = spawn(program, ['line', String(delayUs)], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => line.stdin.end())
  const [told] = await once(line.stdout, 'data')
  const [pid, ...spaces] = String(told).trim().split(' ')
  return {
    hosts: ['10.97.0.1', '10.97.0.2'],
    within: (end, aheadNs = 0) => [program, 'in', pid, spaces[end], String(aheadNs)]
  }
}

/** @returns {string | false} why no network can be made here */
function noNetwork () {
  if (process.getuid?.() !== 0) return 'only root may make network namespaces'
  if (!fs.existsSync('/dev/net/tun')) return 'there is no /dev/net/tun'
  return !fs.existsSync('/proc/self/ns/time') && 'this kernel has no time namespaces'
}

/** @param {string} source @param {string} name @param {string[]} flags @returns {string} made of it, now or before */
function compiled (source, name, flags) {
  const file = path.join(BUILD, 'test-addons', name)
  if (fs.existsSync(file) && madeMs(file) > newestChangeMs([path.relative(process.cwd(), source)])) return file
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  execFileSync('cc', ['-O1', '-Wall', '-Werror', ...flags, source, '-o', draft])
  fs.renameSync(draft, file) // Other test files may build it at the same time.
  return file
}

module.exports = { PINNED, makeGroup, noNetwork, sandboxThatRefuses, startLine, startRival }
