'use strict'

// The critical paths of single requests, from source to sink.

const { columns, indent } = require('./layout')
const { count, counted, isNumber, time } = require('./units')

/** @typedef {Record<string, any>} Json */
/** @typedef {import('./layout').Style} Style */

const BAR = 24
const MARGIN = '   '
const MOST_STEPS = 12
const BLOCKERS_SHOWN = 2
const LEGEND = 'bars: · I/O  ░ queueing  █ execution'

/** @param {Json} report @param {Style} style */
function slowest ({ slowest: all = [] }, style) {
  if (all.length === 0) return ''
  const requests = all.map((/** @type {Json} */ request, /** @type {number} */ i) => one(request, `${i + 1}. `, style))
  return [style.strong('Slowest requests: what each waited for, step by step'), style.faint(LEGEND), ...requests].join('\n')
}

/** @param {Json} report @param {Style} style */
function single ({ request }, style) {
  if (!request) return ''
  const nodes = request.nodes ?? []
  const rows = nodes.map((/** @type {Json} */ node) => [
    `${node.on_path ? '*' : ' '} ${node.index}`, `${node.type}${node.slice ? ' (resumed)' : ''}`, isNumber(node.parent) && node.parent >= 0 ? String(node.parent) : '',
    node.ready_kind ?? '', time(node.ready_ns), time(node.begin_ns), time(node.end_ns)
  ])
  const table = rows.length > 0
    ? columns(['<event', '<type', 'after', '<ready kind', 'ready', 'begin', 'end'], rows, style)
    : ''
  const kernel = kernelTable(nodes, style)
  return [style.strong('The request, step by step'), style.faint(LEGEND), one(request, '', style, Infinity),
    ...table ? ['', style.strong('Its events (* on the critical path; times since its start)'), indent(table)] : [],
    ...kernel ? ['', style.strong('What the kernel did for the thread in these events'), indent(kernel)] : []].join('\n')
}

/** @param {Json[]} nodes @param {Style} style @returns {string} empty: nothing is known */
function kernelTable (nodes, style) {
  const rows = nodes.filter(({ kernel }) => kernel).map(({ index, type, kernel }) => [
    String(index), type, `${kernel.calls ?? ''}`, time(kernel.calls_ns), time(kernel.preempted_ns), time(kernel.blocked_ns), time(kernel.disk_ns),
    time(kernel.softirq_ns), `${kernel.faults ?? ''}`, `${kernel.cache_misses ?? ''}`, kernel.long.slice(0, BLOCKERS_SHOWN).map(longText).join(', ')
  ])
  return rows.length > 0 ? columns(['<event', '<type', 'calls', 'in them', 'preempted', 'slept', 'disk', 'softirq', 'faults', 'cache misses', '<longest'], rows, style) : ''
}

/** @param {Json} long */
function longText ({ kind, ns, call, by, device, bytes }) {
  if (kind === 'call') return `system call ${call} ${time(ns)}`
  if (kind === 'preempted') return `${by} ran for ${time(ns)}`
  if (kind === 'slept') return `slept ${time(ns)}${call >= 0 ? ` in system call ${call}` : ''}, woken by ${by}`
  return `device ${device}: ${count(bytes)} bytes in ${time(ns)}`
}

/**
 * @param {Json} request
 * @param {string} number
 * @param {Style} style
 * @param {number} [most] steps shown
 */
function one (request, number, style, most = MOST_STEPS) {
  const { route, id, process, thread, latency_ns: latency, status, outcome } = request
  const place = [`request ${id}`, `process ${process}`, ...thread ? [`thread ${thread}`] : [], ...status ? [`status ${status}`] : [], ...outcome && outcome !== 'finished' ? [outcome] : []]
  const title = `${number}${style.strong(route ?? '(no route)')}  ${style.strong(time(latency))}  ${style.faint(place.join(', '))}`
  let passed = 0
  const rows = selected(request.path ?? [], most).map((step) => {
    const from = passed
    passed += lengthOf(step)
    return row(step, from, latency)
  })
  if (rows.length === 0) return title
  return `${title}\n${indent(columns(['<', '<', 'I/O', 'queue', 'exec', 'GC', '<ready', '<behind'], rows, { ...style, width: style.width - MARGIN.length }), MARGIN)}`
}

/**
 * @param {Json} step
 * @param {number} from when it began, ns after the request's start
 * @param {number} latency
 * @returns {string[]}
 */
function row (step, from, latency) {
  const behind = (step.blocked_by ?? []).slice(0, BLOCKERS_SHOWN).map((/** @type {Json} */ { what, ns }) => `${what} ${time(ns)}`)
  return [
    `${nameOf(step)}${step.slice ? ' (resumed)' : ''}${step.inferred ? ' (inferred)' : ''}${step.steps > 1 ? ` and ${counted(step.steps - 1, 'step')} after it` : ''}`,
    bar(step, from, latency), brief(step.io_ns), brief(step.queue_ns), brief(step.exec_ns), brief(step.gc_ns),
    step.ready_kind ?? '', behind.join(', ')
  ]
}

/** @param {Json} step @returns {string} what was asked there, or of whom, where that says more than its type */
function nameOf ({ type, call, dependency }) {
  if (call) return call
  return /[:/@]/.test(dependency ?? '') ? `${type} ${dependency}` : type
}

/**
 * A long path shows its longest steps, in their order, and what lies between.
 *
 * @param {Json[]} path
 * @param {number} most
 * @returns {Json[]}
 */
function selected (path, most) {
  if (path.length <= most) return path
  const ranked = path.map((step, i) => ({ i, ns: lengthOf(step) })).sort((a, b) => b.ns - a.ns)
  const kept = new Set(ranked.slice(0, most).map(({ i }) => i))
  /** @type {Json[]} */
  const shown = []
  /** @type {Json[]} */
  let skipped = []
  const flush = () => {
    if (skipped.length > 0) shown.push(summary(skipped))
    skipped = []
  }
  path.forEach((step, i) => {
    if (!kept.has(i)) return skipped.push(step)
    flush()
    shown.push(step)
  })
  flush()
  return shown
}

/** @param {Json[]} steps */
function summary (steps) {
  const sum = (/** @type {string} */ key, each = 0) => steps.reduce((total, step) => total + (step[key] ?? each), 0)
  return {
    type: `(${counted(sum('steps', 1), 'short step')})`,
    io_ns: sum('io_ns'),
    queue_ns: sum('queue_ns'),
    exec_ns: sum('exec_ns'),
    gc_ns: sum('gc_ns')
  }
}

/** @param {Json} step */
function lengthOf (step) {
  return (step.io_ns ?? 0) + (step.queue_ns ?? 0) + (step.exec_ns ?? 0)
}

/**
 * @param {Json} step
 * @param {number} from
 * @param {number} latency
 * @returns {string} its part of the request's time line
 */
function bar (step, from, latency) {
  if (!(latency > 0)) return ''
  // Rounded at the ends, not by part: a step's bar begins where the last ended.
  const cell = (/** @type {number} */ ns) => Math.min(BAR, Math.round(BAR * ns / latency))
  const io = from + (step.io_ns ?? 0)
  const queue = io + (step.queue_ns ?? 0)
  const exec = queue + (step.exec_ns ?? 0)
  return ' '.repeat(cell(from)) + '·'.repeat(cell(io) - cell(from)) + '░'.repeat(cell(queue) - cell(io)) + '█'.repeat(cell(exec) - cell(queue))
}

/** @param {import('./units').Maybe} ns @returns {string} nothing where nothing was spent */
function brief (ns) {
  return ns === 0 ? '' : time(ns)
}

module.exports = { single, slowest }
