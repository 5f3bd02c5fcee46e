'use strict'

const { readBoost } = require('../report/boost')

/**
 * @param {{ a: string[], b: string[] }} sides directories
 * @returns {string | undefined} why they cannot be compared: the frequency was raised for one, or otherwise
 */
function unlikeBoosts ({ a, b }) {
  const [one, other] = [a, b].map((directories) => told(directories))
  return one === other ? undefined : `A was recorded ${one}, B ${other}`
}

/** @param {string[]} directories */
function told (directories) {
  const policies = new Set(directories.flatMap((directory) => readBoost(directory).map(({ policy, actuator }) => `${policy} (${actuator})`)))
  return policies.size === 0 ? 'without boosting' : `with boosting by ${[...policies].sort().join(', ')}`
}

module.exports = { unlikeBoosts }
