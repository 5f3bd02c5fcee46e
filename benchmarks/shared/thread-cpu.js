'use strict'

// The processor time of a process, thread by thread, as the kernel counts it.

const fs = require('node:fs')

/**
 * @typedef {{ id: number, name: string, cpuNs: number }} ThreadTime
 */

/**
 * @param {number} pid
 * @returns {ThreadTime[]} the main thread first
 * @throws {Error} when the process is gone or the kernel has no schedstat
 */
function threadTimes (pid) {
  const tasks = fs.readdirSync(`/proc/${pid}/task`).map(Number).sort((a, b) => Number(b === pid) - Number(a === pid) || a - b)
  return tasks.flatMap((id) => {
    const directory = `/proc/${pid}/task/${id}`
    try {
      const name = fs.readFileSync(`${directory}/comm`, 'utf8').trim()
      const cpuNs = Number(fs.readFileSync(`${directory}/schedstat`, 'utf8').split(' ')[0])
      return [{ id, name, cpuNs }]
    } catch (error) {
      if (id === pid) throw error
      return [] // A thread that has ended meanwhile.
    }
  })
}

/**
 * @param {ThreadTime[]} before
 * @param {ThreadTime[]} after of the same process
 * @returns {{ mainNs: number, otherNs: number, helpersNs: Record<string, number> }} used between the
 *   two; `helpersNs` are edgewise's threads by name, which `otherNs` (all threads but main) contains
 */
function timesBetween (before, after) {
  const began = new Map(before.map(({ id, cpuNs }) => [id, cpuNs]))
  const used = after.map((thread) => ({ ...thread, cpuNs: thread.cpuNs - (began.get(thread.id) ?? 0) }))
  /** @type {Record<string, number>} */
  const helpersNs = {}
  let otherNs = 0
  for (const { name, cpuNs } of used.slice(1)) {
    otherNs += cpuNs
    if (name.startsWith('edgewise-')) helpersNs[name] = (helpersNs[name] ?? 0) + cpuNs
  }
  return { mainNs: used[0].cpuNs, otherNs, helpersNs }
}

module.exports = { threadTimes, timesBetween }
