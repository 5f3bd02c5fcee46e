'use strict'

/**
 * What was predicted beside what really came.
 * @param {Record<string, any>} scenario of a prediction
 * @param {Record<string, any>} fit of the trace after the change
 * @returns {{ requests: number, rows: { percentile: string, predicted_ns: number[], recorded_ns: number, error: number, inside: boolean }[] }}
 */
function compare (scenario, fit) {
  const [{ percentiles: predicted }] = scenario.routes
  const [{ percentiles: came }] = fit.routes
  const rows = Object.entries(predicted).flatMap(([percentile, each]) => {
    const recorded = came[percentile]?.recorded_ns
    if (!each?.after_ns || recorded === undefined) return []
    const [value, low, high] = each.after_ns
    return [{ percentile, predicted_ns: each.after_ns, recorded_ns: recorded, error: value / recorded - 1, inside: recorded >= low && recorded <= high }]
  })
  return { requests: fit.requests, rows }
}

module.exports = { compare }
