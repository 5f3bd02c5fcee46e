'use strict'

const { columns } = require('./layout')
const { aThread, count, counted, difference, isNumber, percent, time } = require('./units')

/** @typedef {Record<string, any>} Json */
/** @typedef {import('./layout').Style} Style */

const MOST_ROUTES = 15
const MOST_BLOCKERS = 12
const MOST_DEPENDENCIES = 12
const WORTH_TELLING = 0.05 // Of what was waited for: in the queue of libuv's pool.

/**
 * What a mean of the tail and the rest is made of: [label, path of its key].
 * Indented rows are parts of the row above them.
 * @type {[string, string[]][]}
 */
const PARTS = [
  ['latency', ['mean_latency_ns']],
  ['  I/O', ['io_ns']],
  ['  queueing', ['queue_ns']],
  ['    behind GC', ['queue', 'gc_ns']],
  ['    behind JIT', ['queue', 'jit_ns']],
  ['    behind IC', ['queue', 'ic_ns']],
  ['    behind JavaScript and native', ['queue', 'native_ns']],
  ['    between callbacks', ['queue', 'loop_ns']],
  ['      waking up', ['queue', 'wake_ns']],
  ...notRunning('queue'),
  ['  execution', ['exec_ns']],
  ['    GC', ['exec', 'gc_ns']],
  ['    JIT', ['exec', 'jit_ns']],
  ['    IC', ['exec', 'ic_ns']],
  ['    JavaScript and native', ['exec', 'native_ns']],
  ...notRunning('exec')
]

/** @param {string} part @returns {[string, string[]][]} */
function notRunning (part) {
  return [['preempted', 'preempted_ns'], ['throttled', 'throttled_ns'], ['waiting for a page', 'fault_ns'], ['blocked', 'blocked_ns']]
    .map(([label, key]) => [`    not running: ${label}`, [part, 'not_running', key]])
}

/** The same queueing, by whose events it was behind (without GC between them). */
/** @type {[string, string][]} */
const OWNERS = [
  ['other requests', 'other_requests_ns'],
  ['the request\'s own events', 'own_ns'],
  ['events of no request', 'unowned_ns']
]

/** @param {Json} report @param {Style} style */
function latency ({ latency_ns: all }, style) {
  if (!all) return ''
  const keys = ['mean', 'p50', 'p90', 'p99', 'p99.9', 'max'].filter((key) => key in all)
  return columns(['<', ...keys], [['latency', ...keys.map((key) => time(all[key]))]], style)
}

/** @param {Json} report @param {Style} style */
function tailAgainstRest ({ tail, rest, exec_gc: collections = [], gc }, style) {
  if (!tail?.count) return ''
  const title = `tail, p${tail.percentile ?? 99}`
  const from = isNumber(tail.threshold_ns) ? [['  slowest from', time(tail.threshold_ns), '', '']] : []
  const rows = PARTS.map(([label, path]) => {
    const [slow, usual] = [tail, rest ?? {}].map((group) => path.reduce((value, key) => value?.[key], group))
    const known = isNumber(slow) && isNumber(usual)
    if (path.includes('not_running') && !(slow > 0 || usual > 0)) return []
    return [label, time(slow), rest?.count ? time(usual) : '-', known && rest?.count ? difference(slow - usual) : '']
  }).filter((row) => row.length > 0)
  const owners = OWNERS.filter(([, key]) => isNumber(tail.queue?.[key]))
    .map(([label, key]) => `${time(tail.queue[key])} behind ${label}`)
  const types = collections.map((/** @type {Json} */ { type, exec_ns: ns, requests }) => `${type} ${time(ns)} in ${counted(requests, 'request')}`)
  const reasons = Object.entries(gc?.by_reason ?? {}).sort(([, a], [, b]) => b.total_ns - a.total_ns)
    .map(([reason, { count: times, total_ns: ns }]) => `${reason} ${count(times)} in ${time(ns)}`)
  const table = columns(['<mean of a request', title, 'rest', 'difference'],
    [['requests', count(tail.count), count(rest?.count ?? 0), ''], ...from, ...rows], style)
  const below = [
    ...owners.length > 0 ? [`The tail's queueing by whose events ran: ${owners.join(', ')}.`] : [],
    ...types.length > 0 ? [`Collections inside its own execution, in total: ${types.join(', ')}.`] : [],
    ...reasons.length > 0 ? [`Collections of the whole recording by V8's reason: ${reasons.join(', ')}.`] : []
  ]
  return [table, ...below.map(style.faint)].join('\n')
}

/** @param {Json} report @param {Style} style */
function routes ({ routes: all = [] }, style) {
  if (all.length === 0) return ''
  const shown = all.slice(0, MOST_ROUTES)
  const rows = shown.map((/** @type {Json} */ { route, count: requests, latency_ns: latency = {}, tail = {} }) => [
    route, count(requests), time(latency.p50), time(latency.p99), time(latency.max),
    time(tail?.mean_latency_ns), time(tail?.io_ns), time(tail?.queue_ns), time(tail?.exec_ns), time(gcOf(tail))
  ])
  return columns(['<route', 'requests', 'p50', 'p99', 'max', 'its tail', 'I/O', 'queueing', 'execution', 'GC'], rows, style) +
    more(all.length - shown.length, 'route', style)
}

/**
 * @param {Json | null | undefined} group
 * @returns {number | null} GC in its execution and its queueing together
 */
function gcOf (group) {
  const [exec, queue] = [group?.exec?.gc_ns, group?.queue?.gc_ns]
  return isNumber(exec) && isNumber(queue) ? exec + queue : null
}

/** @param {Json} report @param {Style} style */
function blockers ({ blockers: all = [], tail }, style) {
  if (all.length === 0) return ''
  const shown = all.slice(0, MOST_BLOCKERS)
  const rows = shown.map((/** @type {Json} */ { what, kind, queue_ns: ns, share, requests }) => [
    what, kind ?? '', time(ns), percent(share), isNumber(requests) && tail?.count ? `${count(requests)} of ${count(tail.count)}` : count(requests)
  ])
  return columns(['<what the tail queued behind', '<kind', 'in total', 'share', 'requests hit'], rows, style) +
    more(all.length - shown.length, 'blocker', style)
}

/** @param {Json} report @param {Style} style */
function dependencies ({ dependencies: all = [], tail }, style) {
  if (all.length === 0) return ''
  const shown = all.slice(0, MOST_DEPENDENCIES)
  const rows = shown.map((/** @type {Json} */ { what, io_ns: ns, share, requests, calls, in_turn: inTurn, most_in_turn: most, side_by_side: beside }) => [
    what, time(ns), percent(share), isNumber(requests) && tail?.count ? `${count(requests)} of ${count(tail.count)}` : count(requests),
    isNumber(calls) ? count(calls) : '', count(inTurn), count(most), isNumber(beside) ? count(beside) : ''
  ])
  return columns(['<what the tail waited for', 'in total', 'share', 'requests', 'calls', 'in turn', 'most in one', 'side by side'], rows, style) +
    more(all.length - shown.length, 'dependency', style, 'dependencies') + pool(shown, style)
}

/** @param {Json[]} shown dependencies @param {Style} style */
function pool (shown, style) {
  const lines = shown.filter(({ io_ns: ns, pool }) => pool?.queue_ns > WORTH_TELLING * ns)
    .map(({ what, pool }) => `${what}: ${time(pool.queue_ns)} of it waiting for ${aThread(pool)} (UV_THREADPOOL_SIZE), ${time(pool.work_ns)} at work there.`)
  return lines.map((line) => style.faint(`\n${line}`)).join('')
}

/**
 * @param {number} left
 * @param {string} what
 * @param {Style} style
 * @param {string} [several]
 */
function more (left, what, style, several = `${what}s`) {
  return left > 0 ? style.faint(`\n... and ${count(left)} more ${left === 1 ? what : several}: --json lists all`) : ''
}

module.exports = { blockers, dependencies, latency, routes, tailAgainstRest }
