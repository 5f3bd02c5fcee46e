'use strict'

// Two servers at once on the same processor: what else the machine does hits
// both alike. On a shared machine two runs, one after the other, differ by more
// than what is to be measured.

const { loadAt, saturate, withServer } = require('./cell')

/** @typedef {import('./server-process').RunningServer & { url: string }} PairedServer */

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

/**
 * The generators share a processor, so they do not poll.
 * @param {PairedServer[]} servers
 * @param {number} ratePerS of both together
 * @param {number} seconds
 * @param {import('./cell').Settings} settings
 * @returns {Promise<import('./cell').Window[]>} of each
 */
function loadBoth (servers, ratePerS, seconds, settings) {
  return Promise.all(servers.map(({ pid, url }) => loadAt(pid, url, ratePerS / servers.length, seconds, settings, [])))
}

module.exports = { loadBoth, saturateBoth, withPair }
