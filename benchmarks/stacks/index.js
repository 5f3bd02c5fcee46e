'use strict'

// Are stacks right, what do they cost, and how do other samplers do?

const fs = require('node:fs')
const path = require('node:path')
const { main, say, elapsed } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { setup } = require('../../scripts/tasks/setup')
const { installServers } = require('../overhead/install')
const { machine } = require('../shared/machine')
const { publish } = require('../shared/page-file')
const { saveResults } = require('../shared/rounds')
const { readArguments } = require('./arguments')
const { measureCost } = require('./cost')
const { page } = require('./page')
const { measurePeers } = require('./peers')
const { installPeers, versions } = require('./peers/tools')
const { measureTruth } = require('./truth')

const PAGE = path.join(ROOT, 'docs', 'stacks-measured.md')
const PLACES = { serverCpus: '0', helperCpus: '0,1', loadCpus: '1' }
const LOAD = { connections: 32, seconds: 0, warmup: 0 } // Pairs have windows of their own.

/**
 * @typedef {object} Results what --json holds, of the parts that were measured
 * @property {ReturnType<typeof machine>} machine
 * @property {Record<string, string>} [versions] of the peers
 * @property {import('./truth').Truth} [truth]
 * @property {import('./peers').Peers} [peers]
 * @property {import('./cost').Cost} [cost]
 */

/** @param {string[]} args */
async function run (args) {
  const options = readArguments(args)
  if (options.setup) await setup()
  const { parts, nodes, amounts, generator } = options
  const began = Date.now()
  const servers = await installServers()
  if (parts.includes('peers')) await installPeers()
  const settings = { ...PLACES, ...LOAD, ...amounts, servers, generator }
  /** @type {Results} */
  const results = { ...options.fromJson && JSON.parse(fs.readFileSync(options.fromJson, 'utf8')), machine: machine() }
  const done = (/** @type {string} */ part) => {
    saveResults(results, options.json)
    say(`${part} done (${elapsed(began)})`)
  }
  if (parts.includes('truth')) {
    results.truth = await measureTruth({ ...settings, nodes })
    done('truth')
  }
  if (parts.includes('peers')) {
    results.versions = versions()
    results.peers = await measurePeers({ ...settings, rounds: amounts.peerRounds })
    done('peers')
  }
  if (parts.includes('cost')) {
    results.cost = await measureCost({ ...settings, rounds: amounts.costRounds })
    done('cost')
  }
  publish(page(results), options, PAGE)
}

main(run)
