'use strict'

// The footnotes: how the times are known, and what this recording cannot tell.

const { placeOf } = require('./place')
const { count, counted, percent, time } = require('./units')

/** @typedef {Record<string, any>} Json */

const WORTH_A_NOTE = 0.05
const MOST_SCRIPTS = 3
/** Else a burst holds few slow requests as a whole. */
const BURSTS_OF_P99 = 4
/** What would let the kernel tell each switch. */
const ALLOW_SWITCHES = 'allow perf_event_open: kernel.perf_event_paranoid of 2 or less, in a container --cap-add=PERFMON'
const LESS_THAN_EXACT = /unavailable|upper-bound|lower-bound|shared|per pass/

/** @type {Record<string, string>} */
const READY_KINDS = {
  observed: 'seen as it happened',
  due: 'a timer\'s due time, an immediate\'s registration',
  resolved: 'the promise was resolved',
  completed: 'stamped by the thread pool',
  'upper-bound': 'ready then or before: some of its I/O may be queueing',
  'lower-bound': 'ready then or later: some of its queueing may be I/O, or no wait at all',
  none: 'not known: its queueing is not counted'
}

/**
 * @param {Json} report
 * @returns {string[]} one line each
 */
function notes (report) {
  const { ready_kinds: kinds = {} } = report
  const total = Object.values(kinds).reduce((sum, n) => sum + n, 0)
  const ready = Object.entries(kinds).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1])
    .map(([kind, n]) => `${percent(n / total)} ${kind}${READY_KINDS[kind] ? ` (${READY_KINDS[kind]})` : ''}`)
  const about = ['provider', 'causality', 'mode', 'node', 'command']
    .filter((key) => report[key])
    .map((key) => `${key} ${[report[key]].flat().join(' and ')}`)
  const unavailable = ['jit_ns', 'ic_ns'].filter((key) => report.tail?.count > 0 && report.tail.exec?.[key] === null).map((key) => key.slice(0, -3).toUpperCase())
  return [
    ...ready.length > 0 ? [`Ready times: ${ready.join('; ')}.`] : [],
    ...unavailable.length > 0 ? [`${unavailable.join(' and ')} times are unavailable with this provider; they are part of JavaScript and native.`] : [],
    ...scripts(report),
    ...bursts(report),
    ...waking(report),
    ...processor(report),
    ...watcher(report.watcher),
    ...fidelity(report),
    ...about.length > 0 ? [`Recorded with ${about.join(', ')}.`] : []
  ]
}

/** @param {Json} report */
function bursts ({ bursts: found, latency_ns: latency }) {
  if (!found) return []
  const { duration_ns: duration, tail, rest } = found
  const short = duration < BURSTS_OF_P99 * (latency?.p99 ?? 0)
    ? ` They are shorter than ${BURSTS_OF_P99} times the p99 of ${time(latency.p99)}, so what lies in them is the fast part: take longer ones (EDGEWISE_BURST).`
    : ''
  return [`Stacks were recorded in bursts of ${time(duration)}: of ${counted(tail.requests, 'tail request')} ${count(tail.within)} lie wholly in one, of ${count(rest.requests)} others ${count(rest.within)}.${short}`]
}

/** Those of the application that are told by no source: packages are built by others. @param {Json} report */
function scripts ({ stacks }) {
  const all = (stacks?.unmapped ?? []).filter((/** @type {Json} */ { script, places }) => places === 0 && !script.includes('/node_modules/'))
  const shown = all.slice(0, MOST_SCRIPTS).map((/** @type {Json} */ { script, why }) => `${placeOf({ script })}: ${why}`)
  const more = all.length > shown.length ? `; ${count(all.length - shown.length)} more: --json lists all` : ''
  return all.length > 0 ? [`No source map for ${shown.join('; ')}${more}.`] : []
}

/** @param {Json} report */
function waking ({ blockers = [], off_cpu: found }) {
  const share = blockers.find((/** @type {Json} */ { kind }) => kind === 'wake')?.share ?? 0
  if (share < WORTH_A_NOTE || found?.available) return []
  return ['Waking up: the loop slept when something became ready, and ran that much later. Other threads or processes had the processors.']
}

/**
 * What is known of the processors that the process was given, and what to do about it.
 * @param {Json} report
 */
function processor ({ off_cpu: found, tail }) {
  const known = found?.quota
  const share = (/** @type {string} */ key) => (tail?.not_running?.[key] ?? 0) / (tail?.mean_latency_ns || 1)
  const { processors, pool_threads: pool, v8_threads: v8 } = found?.limits ?? {}
  const threads = pool ? ` (its JavaScript, ${counted(pool, 'thread')} of libuv's pool, ${v8 ?? 'some'} of V8's, on ${counted(processors, 'processor')})` : ''
  const limit = known && `${time(known.quota_us * 1000)} of each ${time(known.period_us * 1000)}`
  return [
    ...found?.available === false ? [`When threads did not run is unavailable${found.reason ? ` (${found.reason}; ${ALLOW_SWITCHES})` : ' (EDGEWISE_OFF_CPU=0)'}: execution and queueing hold what they were preempted, throttled or blocked.`] : [],
    ...found?.by === 'sums' ? [`For how long threads did not run is known, and not when within an event (${found.reason}); to know that, ${ALLOW_SWITCHES}.`] : [],
    ...found?.lost_switches > 0 ? [`The kernel had no room to tell of ${count(found.lost_switches)} switches between threads: what they took is in execution and queueing.`] : [],
    ...known?.throttled_periods > 0 ? [`CPU quota: ${limit}, used up in ${count(known.throttled_periods)} of ${count(known.periods)} periods; the group was stopped for ${time(known.throttled_ns)}, summed over processors.${share('throttled_ns') >= WORTH_A_NOTE ? ` Raise the CPU limit, or do with fewer busy threads: they share it${threads}.` : ''}`] : [],
    ...share('preempted_ns') >= WORTH_A_NOTE ? ['Other threads or processes had the processor while requests of the tail could have run: give the server processors of its own (taskset, cpuset), or move its neighbours.'] : [],
    ...share('fault_ns') >= WORTH_A_NOTE ? ['Pages had to be brought from a disk: raise the memory limit, or do not map large files.'] : []
  ]
}

/** @param {Json | undefined} found */
function watcher (found) {
  if (found?.available === false) return ['The ready-time watcher was off: what waited while the loop was busy, and has no stamp of the kernel, counts as I/O, as far as it is not known to have been ready.']
  return found?.error_ns ? [`Observed ready times are the kernel's for what comes over TCP; others are late by up to ${time(found.error_ns)} (EDGEWISE_WATCHER_US).`] : []
}

/**
 * What this recording knows less than exactly, by what it knows instead.
 * @param {Json} report its fidelity: event type -> text, or {begin, ready, cause}
 */
function fidelity ({ fidelity: table, causality }) {
  /** @type {Map<string, string[]>} */
  const limits = new Map()
  for (const [type, value] of Object.entries(table ?? {})) {
    if (type === 'jit' || type === 'ic') continue // Said above.
    for (const limit of statements(value)) {
      if (!LESS_THAN_EXACT.test(limit) || limit.includes(`${causality}: exact`)) continue
      limits.set(limit, [...limits.get(limit) ?? [], type])
    }
  }
  const listed = Array.from(limits, ([limit, types]) => `${limit} (${types.join(', ')})`)
  return listed.length > 0 ? [`Known less than exactly: ${listed.join('; ')}.`] : []
}

/**
 * @param {any} value "begin exact, ready observed, cause id", or the same as an object, or several of them
 * @returns {string[]} one statement each
 */
function statements (value) {
  if (Array.isArray(value)) return value.flatMap(statements)
  if (value !== null && typeof value === 'object') return Object.entries(value).map(([field, text]) => `${field} ${text}`)
  return String(value).split(/, (?=(?:begin|ready|cause) )/)
}

module.exports = { notes }
