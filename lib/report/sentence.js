'use strict'

// The report's first sentence: by how much the tail is slower, and what for.

const { hottest } = require('./hot')
const { aThread, count, counted, sumOf, time } = require('./units')

const DIGITS = 2
const SMALL = 0.05 // Of the difference: a part below it is not worth a word.
const MOST_PARTS = 4
const ALMOST_ALL = 0.95
const WORTH_NAMING = 0.1
// Kinds of blockers that the sentence names beside the queueing.
const APART = ['gc', 'jit', 'ic']

/** Why a thread did not run. @type {Record<string, (quota?: Json) => string>} */
const WITHHELD = {
  throttled_ns: (quota) => `CPU quota${quota ? `: throttled in ${count(quota.throttled_periods)} of ${counted(quota.periods, 'period')}` : ''}`,
  preempted_ns: () => 'preempted by other threads or processes',
  fault_ns: () => 'waiting for pages from a disk',
  blocked_ns: () => 'blocked in the kernel: a disk or a lock'
}

/** @typedef {Record<string, any>} Json */
/** @typedef {{ ns: number, text: string }} Part */

/**
 * @param {Json} report
 * @returns {string}
 */
function sentence (report) {
  const { tail, rest } = report
  const requests = report.requests?.count ?? 0
  if (!requests || !tail?.count) return nothing(report)
  const who = `p${tail.percentile ?? 99} requests`
  const takes = time(tail.mean_latency_ns, DIGITS)
  if (requests === 1) return `The only request took ${takes}${listed(': ', absolute(tail, report))}; a tail needs more requests.`
  if (!rest?.count) return `All ${counted(requests, 'request')} are as slow as the tail, ${takes}${listed(': ', absolute(tail, report))}.`

  // The parts are differences of means, which add up; the median is what people know.
  const usual = report.latency_ns?.p50 ?? rest.mean_latency_ns
  const slower = tail.mean_latency_ns - usual
  if (slower < SMALL * usual) {
    return `There is hardly a tail: ${who} take ${takes}, the median is ${time(usual, DIGITS)}${listed('; theirs are ', absolute(tail, report))}.`
  }
  return `${who} are ${time(slower, DIGITS)} slower than the median (${takes} against ${time(usual, DIGITS)})` +
    `${listed(': ', growth(tail, rest, report), ' more than in the others')}.`
}

/** @param {Json} report */
function nothing ({ requests = {} }) {
  const others = ['aborted', 'failed', 'unfinished', 'lost'].filter((key) => requests[key] > 0)
  const known = others.length > 0 ? ` (${others.map((key) => `${requests[key]} ${key}`).join(', ')})` : ''
  if (requests.skipped > 0) {
    return `No finished request is left${known}: ${count(requests.skipped)} began in the first seconds, which --skip leaves out; skip less, or record longer.`
  }
  if (requests.left_out > 0) {
    return `No finished request is left${known}: ${count(requests.left_out)} are of routes that --exclude-route leaves out.`
  }
  if (requests.streams > 0) {
    return `No finished request is left${known}: ${count(requests.streams)} are event streams or long polls, which --event-streams counts.`
  }
  return `No finished request was recorded${known}: send requests to the server while it records, or name them with edgewise.request().`
}

/**
 * What the tail has more of than the rest. The parts' sum is the difference of
 * the mean latencies (equations 2 and 3 hold for means).
 *
 * @param {Json} tail
 * @param {Json} rest
 * @param {Json} report
 * @returns {Part[]}
 */
function growth (tail, rest, report) {
  const more = split(tail)
  const usual = split(rest)
  return parts(Object.fromEntries(Object.keys(more).map((key) => [key, more[key] - (usual[key] ?? 0)])), report)
}

/**
 * @param {Json} group
 * @param {Json} report
 */
function absolute (group, report) {
  return parts(split(group), report)
}

/**
 * @param {Json} group means per request
 * @returns {Record<string, number>} its latency in exclusive parts; what was not observed lies in exec and queue
 */
function split (group) {
  const exec = group.exec ?? {}
  const queue = group.queue ?? {}
  const both = (/** @type {string} */ key) => (exec[key] ?? 0) + (queue[key] ?? 0)
  const off = (/** @type {Json} */ of) => sumOf(of.not_running)
  const apart = (/** @type {Json} */ of) => (of.gc_ns ?? 0) + (of.jit_ns ?? 0) + (of.ic_ns ?? 0) + off(of)
  return {
    io: group.io_ns ?? 0,
    queue: (group.queue_ns ?? 0) - apart(queue),
    exec: (group.exec_ns ?? 0) - apart(exec),
    gc: both('gc_ns'),
    jit: both('jit_ns'),
    ic: both('ic_ns'),
    off: off(exec) + off(queue)
  }
}

/**
 * @param {Record<string, number>} split
 * @param {Json} report
 * @returns {Part[]}
 */
function parts (split, report) {
  return [
    { ns: split.queue, text: `queued${behind(report)}` },
    { ns: split.gc, text: 'GC' },
    { ns: split.exec, text: `own execution${bracketed(hottest(report.stacks, ({ kind }) => kind === 'request', 'tail_exec_ns'))}` },
    { ns: split.io, text: `I/O${waitedFor(report.dependencies)}` },
    { ns: split.jit, text: 'JIT compilation' },
    { ns: split.ic, text: 'inline-cache misses' },
    { ns: split.off, text: `the processor was not given${withheld(report)}` }
  ]
}

/**
 * @param {Json} report
 * @returns {string} why the tail did not run: what is most of it
 */
function withheld ({ tail, off_cpu: known }) {
  const ranked = Object.entries(tail.not_running ?? {}).sort((a, b) => b[1] - a[1])
  const total = sumOf(tail.not_running)
  const named = ranked.filter(([, ns]) => ns >= WORTH_NAMING * total && ns > 0).slice(0, 2)
  if (named.length === 0) return ''
  return ` (${named.map(([key, ns]) => `${named.length > 1 ? `${Math.round(100 * ns / total)} % ` : ''}${WITHHELD[key](known?.quota)}`).join(', ')})`
}

const bracketed = (/** @type {string} */ text) => text && ` (${text})`

/**
 * @param {Json} report
 * @returns {string} what the tail's queueing waited for: the most important, with their shares of it (GC, JIT and IC count apart), and the function of the first
 */
function behind ({ blockers = [], stacks }) {
  /** @type {Map<string, number>} */
  const names = new Map()
  for (const blocker of blockers) {
    if (APART.includes(blocker.kind) || !(blocker.queue_ns > 0)) continue
    const name = nameOf(blocker)
    names.set(name, (names.get(name) ?? 0) + blocker.queue_ns)
  }
  const total = Array.from(names.values()).reduce((sum, ns) => sum + ns, 0)
  const ranked = Array.from(names).sort((a, b) => b[1] - a[1])
  if (ranked.length === 0) return ''
  const hot = hottest(stacks, (cause) => nameOf(cause) === ranked[0][0], 'tail_wait_ns')
  if (ranked[0][1] >= ALMOST_ALL * total) return ` behind ${ranked[0][0]}${bracketed(hot)}`
  const named = ranked.slice(0, 2).filter(([, ns]) => ns >= WORTH_NAMING * total)
  if (named.length === 0) return ` behind ${ranked.length} different callbacks`
  return ` (${named.map(([name, ns], i) => `${Math.round(100 * ns / total)} % behind ${name}${i === 0 && hot ? `, ${hot}` : ''}`).join(hot ? '; ' : ', ')})`
}

/**
 * @param {Json[] | undefined} dependencies what the tail's I/O was
 * @returns {string} the most important, with their shares of it
 */
function waitedFor (dependencies = []) {
  const total = dependencies.reduce((sum, { io_ns: ns }) => sum + ns, 0)
  const named = dependencies.filter(({ io_ns: ns }) => ns > 0 && ns >= WORTH_NAMING * total).slice(0, 2)
  if (named.length === 0) return ''
  const texts = named.map((each) => {
    const often = Math.round(each.in_turn / each.requests)
    return `${Math.round(100 * each.io_ns / total)} % ${each.what}${often > 1 ? `, ${often} waits in turn` : ''}${inPool(each)}`
  })
  return ` (${texts.join('; ')})`
}

/** @param {Json} dependency @returns {string} how much of it no thread of libuv's pool had time for */
function inPool ({ io_ns: ns, pool }) {
  if (!(pool?.queue_ns >= WORTH_NAMING * ns)) return ''
  return `, of it ${Math.round(100 * pool.queue_ns / ns)} % waiting for ${aThread(pool)}`
}

/** @param {Json} blocker */
function nameOf (blocker) {
  if (blocker.kind === 'loop') return 'the loop between callbacks'
  if (blocker.kind === 'wake') return 'the loop waking up'
  if (blocker.kind === 'event' && blocker.type) return `${blocker.type} events of no request`
  return blocker.route || blocker.what
}

/**
 * @param {string} before
 * @param {Part[]} all
 * @param {string} [after]
 * @returns {string} the parts that matter, largest first; '' when none does
 */
function listed (before, all, after = '') {
  const whole = all.reduce((sum, part) => sum + Math.max(0, part.ns), 0)
  const kept = all.filter((part) => part.ns > 0 && part.ns >= SMALL * whole).sort((a, b) => b.ns - a.ns).slice(0, MOST_PARTS)
  if (kept.length === 0) return ''
  const less = all.filter((part) => part.ns < -WORTH_NAMING * whole)
  const but = less.map((part) => `${time(-part.ns, DIGITS)} less ${part.text.replace(/^queued.*/, 'queueing').replace(/^own execution.*/, 'own execution').replace(/^I\/O.*/, 'I/O')}`)
  const text = kept.map((part) => `${time(part.ns, DIGITS)} ${part.text}`).join(', ')
  return before + text + after + (but.length > 0 ? `, but ${but.join(' and ')}` : '')
}

module.exports = { sentence }
