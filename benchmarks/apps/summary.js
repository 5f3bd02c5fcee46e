'use strict'

// A run's result as text.

const MS = 1e6

/**
 * @param {{app: string, workers: number, load: any}} result of runApp()
 * @returns {string} some lines
 */
function describeRun ({ app, workers, load }) {
  const lines = [
    `${app}${workers > 1 ? ` with ${workers} workers` : ''}: ${load.count} responses, ` +
      `${load.achieved_rate_per_s.toFixed(1)}/s of ${load.offered_rate_per_s.toFixed(1)}/s offered; ` +
      `${load.errors} errors, ${load.non_2xx} non-2xx, ${load.unexpected} unexpected`,
    '',
    row('latency, ms', ['requests', 'mean', 'p50', 'p90', 'p99', 'p99.9', 'max']),
    row('all, from the intended send', figures(load.count, load.latency_ns.intended)),
    row('all, from the actual send', figures(load.count, load.latency_ns.actual)),
    ...load.requests.map(one => row(`  ${one.name}`, figures(one.count, one.latency_ns)))
  ]
  if (load.errors > 0) lines.push('', `the first error: ${load.first_error}`)
  if (load.lag_flagged) {
    lines.push('', `The load generator lacked the processor (its own lag is ${(load.lag_ns.p99 / MS).toFixed(1)} ms at p99): ` +
      'the latencies hold its delay. Free a core or lower the rate.')
  }
  return lines.join('\n')
}

function figures (count, latency) {
  const names = ['mean', 'p50', 'p90', 'p99', 'p99.9', 'max']
  return [String(count), ...names.map(name => latency === null ? '-' : (latency[name] / MS).toFixed(2))]
}

function row (name, cells) {
  return name.padEnd(30) + cells.map(cell => cell.padStart(10)).join('')
}

module.exports = { describeRun }
