'use strict'

// Which processors services may run on, and whether pausing them says anything.
// A service that shares a processor with the target takes its time away as long
// as it runs, and gives it back as long as it is paused: the target is faster
// then, and not by the time that was asked for. Those which are paused together
// may share.

const fs = require('node:fs')
const path = require('node:path')

/** @typedef {{ name: string, cpus: Set<number> }} Placed */

const CGROUPS = '/sys/fs/cgroup'

/**
 * @param {string} text such as 0-2,4
 * @returns {Set<number> | null} null: it is no list
 */
function parseCpus (text) {
  const cpus = new Set()
  for (const part of text.split(',')) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
    if (from === undefined || Number(to) < Number(from) || Number(to) > 4095) return null
    for (let cpu = Number(from); cpu <= Number(to); cpu++) cpus.add(cpu)
  }
  return cpus
}

/** @param {Iterable<number>} cpus */
const cpuList = (cpus) => [...cpus].sort((a, b) => a - b).join(',')

/**
 * @param {number[]} pids
 * @returns {Set<number>} processors that any of their threads may run on
 */
function cpusOf (pids) {
  const cpus = new Set()
  for (const { directory } of threadsOf(pids)) {
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(read(path.join(directory, 'status')))?.[1]
    for (const cpu of list ? parseCpus(list) ?? [] : []) cpus.add(cpu)
  }
  return cpus
}

/**
 * @param {number[]} pids
 * @returns {number} ns of processor time that their living threads have used
 */
function processorNs (pids) {
  return threadsOf(pids).reduce((sum, { directory }) => sum + Number(read(path.join(directory, 'schedstat')).split(' ')[0] || 0), 0)
}

/** @param {number[]} pids */
function threadsOf (pids) {
  return pids.flatMap((pid) => {
    try {
      return fs.readdirSync(`/proc/${pid}/task`).map((thread) => ({ directory: `/proc/${pid}/task/${thread}` }))
    } catch {
      return [] // It has ended.
    }
  })
}

/**
 * @param {Placed[]} services
 * @param {string} target
 * @returns {{ refused: string | null, shared: string[] }} refused: why pauses would say nothing; shared: others that share processors with each other
 */
function sharing (services, target) {
  const of = /** @type {Placed} */ (services.find(({ name }) => name === target))
  const others = services.filter((service) => service !== of)
  const common = (/** @type {Placed} */ one, /** @type {Placed} */ other) => [...one.cpus].filter((cpu) => other.cpus.has(cpu))
  const beside = others.find((each) => common(each, of).length > 0)
  const refused = beside
    ? `${target} and ${beside.name} may both run on processor ${cpuList(common(beside, of))}: while ${beside.name} is paused, ${target} would have it alone, and be faster than was asked for. ` +
      `Give ${target} processors of its own: --cpus ${target}=0 --cpus ${beside.name}=1, or of a process that runs: taskset -a -p -c LIST PID`
    : null
  const shared = others.filter((each) => others.some((other) => other !== each && common(each, other).length > 0)).map(({ name }) => name)
  return { refused, shared }
}

/**
 * A quota (cpu.max) is for a period: who is paused in it makes up for that until
 * it ends.
 * @param {number} pid
 * @param {string} [root] where cgroups are mounted
 * @param {string} [proc]
 * @returns {string | null} the file of a quota that it has; null: it has none
 */
function quotaOf (pid, root = CGROUPS, proc = '/proc') {
  const groups = read(`${proc}/${pid}/cgroup`).trim().split('\n')
  for (const line of groups) {
    const [, controllers, group] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (group === undefined) continue
    const version2 = controllers === ''
    if (!version2 && !controllers.split(',').includes('cpu')) continue
    for (let at = group; ; at = path.dirname(at)) {
      const file = path.join(root, version2 ? '' : controllers, at, version2 ? 'cpu.max' : 'cpu.cfs_quota_us')
      const quota = read(file).trim()
      if (quota !== '' && !/^(max|-1)\b/.test(quota)) return file
      if (at === '/' || at === '.') break
    }
  }
  return null
}

/** @param {string} file */
function read (file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

module.exports = { cpuList, cpusOf, parseCpus, processorNs, quotaOf, sharing }
