'use strict'

// Two servers at once on the same processor: what else the machine does hits
// both alike. On a shared machine two runs, one after the other, differ by more
// than what is to be measured.

const { randomInt } = require('node:crypto')
const { TaskError } = require('../../scripts/tasks/step')
const { latencyUs, openLoop, saturate, withServer } = require('./cell')
const { runLoad } = require('../shared/load')
const { inRealTime } = require('../shared/real-time')

/** @typedef {import('../shared/server-process').RunningServer & { url: string }} PairedServer */

/**
 * @template T
 * @param {Parameters<typeof withServer>[0]} server
 * @param {import('./variants').Variant['start'][]} starts how the first and the second are started, in that order
 * @param {import('./cell').Settings} settings
 * @param {(servers: PairedServer[]) => Promise<T>} task
 * @returns {Promise<T>}
 */
function withPair (server, [first, second], settings, task) {
  return withServer(server, first, settings, (one, oneUrl) =>
    withServer(server, second, settings, (other, otherUrl) =>
      task([{ ...one, url: oneUrl }, { ...other, url: otherUrl }])))
}

/**
 * @param {PairedServer[]} servers
 * @param {number} seconds
 * @param {import('./cell').Settings} settings
 * @returns {Promise<import('./cell').Window[]>} of each
 */
function saturateBoth (servers, seconds, settings) {
  return Promise.all(servers.map(({ pid, url }) => saturate(pid, url, seconds, settings)))
}

/** @typedef {Pick<import('./cell').Window, 'latencyUs'>} Tail */

/**
 * An open loop of one generator for both: its pauses are both servers'. In real
 * time, where that is allowed, for else p99.9 is how long the machine's other
 * programs, and the generator, displaced the two.
 * @param {PairedServer[]} servers
 * @param {number} ratePerS of both together
 * @param {number} seconds
 * @param {import('./cell').Settings} settings
 * @returns {Promise<Tail[]>} of each
 * @throws {TaskError} when a request failed: its latency would be missing
 */
async function loadBoth (servers, ratePerS, seconds, { loadCpus, generator, realTime }) {
  const args = [...openLoop(ratePerS, seconds, servers.length), '--seed', String(randomInt(2 ** 31))]
  const load = () => runLoad(servers.map(({ url }) => url), args, { cpus: loadCpus, generator, realTime })
  const summary = await (realTime ? inRealTime(servers.map(({ pid }) => pid), load) : load())
  if (summary.errors + summary.non_2xx > 0) throw new TaskError(`${summary.errors + summary.non_2xx} requests failed: ${summary.first_error ?? 'their status is not 2xx'}`)
  return summary.servers.map(({ latency_ns: latencyNs }) => ({ latencyUs: latencyUs(latencyNs) }))
}

module.exports = { loadBoth, saturateBoth, withPair }
