'use strict'

// What the recordings of all services say of the throughput, by the utilisation
// law: no pauses.

const edgewise = require('../../../lib')
const { together } = require('../../../lib/whatif/services')

/**
 * @param {{ name: string, out: string }[]} recorded in the order of the topology
 * @param {{ target: string, cutsNs: number[], generatorNs: number, skipS: number }} options generatorNs: what the load generator, which shares the target's core, takes it a request
 * @returns {Promise<{ before: number, after: number[], demandNs: number }>} requests a second, as it is and after each cut; demandNs: what a request takes the target
 */
async function byArithmetic (recorded, { target, cutsNs, generatorNs, skipS }) {
  const fits = []
  for (const { name, out } of recorded) fits.push({ directory: name, found: { ...await edgewise.whatif(out, { skip: skipS, replications: 2 }), scenarios: [] } })
  const demandNs = 1e9 / /** @type {any} */ (fits.find(({ directory }) => directory === target)).found.fit.capacity_alone
  const throughput = (/** @type {number} */ cutNs) => {
    const { services } = together(fits.map(({ directory, found }) => ({
      directory,
      found: directory === target ? { ...found, scenarios: [{ capacity_alone: [1e9 / demandNs, 1e9 / (demandNs - cutNs)] }] } : found
    })), { processors: 1 })
    // Seconds of each core, a request of a user.
    const own = services.filter(({ directory }) => directory === target).reduce((sum, { bound }) => sum + 1 / bound[1], generatorNs / 1e9)
    const others = services.filter(({ directory }) => directory !== target).reduce((sum, { bound }) => sum + 1 / bound[1], 0)
    return 1 / Math.max(own, others)
  }
  return { before: throughput(0), after: cutsNs.map(throughput), demandNs }
}

module.exports = { byArithmetic }
