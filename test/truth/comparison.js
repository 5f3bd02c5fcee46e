'use strict'

// A request's truth against its report: which of the steps on its critical
// path were found, and how far each component is off.

/** Clock readings lie a little outside of what they bracket. */
const CLOCK_SLACK_NS = 30_000

/** The trace's spans are floats. */
const ROUNDED_NS = 1000

/** What a component may be off: this share of it, or this much. */
const SHARE = 0.02
const FLOOR_NS = 200_000
const UNSEEN_CAP_NS = 200_000

/**
 * @param {any} step of the program
 * @param {any} found of the report, with absolute times
 */
function isSame (step, found) {
  if (![].concat(step.type).includes(/** @type {never} */ (found.type))) return false
  if (step.begin === null) return true
  return step.begin >= found.begin - CLOCK_SLACK_NS && step.begin <= found.end + CLOCK_SLACK_NS
}

/**
 * The longest common subsequence of truth and report.
 * @returns {[number, number][]} pairs of indices
 */
function align (steps, found) {
  const best = Array.from({ length: steps.length + 1 }, () => new Array(found.length + 1).fill(0))
  for (let i = steps.length - 1; i >= 0; i--) {
    for (let j = found.length - 1; j >= 0; j--) {
      best[i][j] = isSame(steps[i], found[j])
        ? best[i + 1][j + 1] + 1
        : Math.max(best[i + 1][j], best[i][j + 1])
    }
  }
  /** @type {[number, number][]} */
  const pairs = []
  for (let i = 0, j = 0; i < steps.length && j < found.length;) {
    if (isSame(steps[i], found[j])) pairs.push([i++, j++])
    else if (best[i + 1][j] >= best[i][j + 1]) i++
    else j++
  }
  return pairs
}

/** Slices of one event that follow each other are one step of the program; so is what a callback has resolved, whenever that ran. */
function mergeSlices (path) {
  const merged = []
  for (const step of path) {
    const last = merged.at(-1)
    if (last && (step.ready_kind === 'resolved' || isOneEvent(last.node, step.node))) last.end = step.end
    else merged.push({ ...step })
  }
  return merged
}

/**
 * A step is right when it was found, behind the step that caused it.
 *
 * @param {any} truth
 * @param {any} request of the report, with `path` and `nodes`
 * @returns {{ expected: number, found: number, right: number, foreign: number, inferred: number }}
 */
function compareCausality (truth, request, others) {
  const steps = truth.path.map((name) => truth.steps.find((step) => step.name === name))
  const absolute = (part) => ({ ...part, begin: request.start_ns + part.begin_ns, end: request.start_ns + part.end_ns })
  let found = mergeSlices(request.path.map(absolute).map((step) => ({ ...step, node: request.nodes.find(({ index }) => index === step.node) })))
  // What a stream does in between is Node's own business.
  if (truth.ends) found = [found[0], ...found.slice(1).slice(-1)]
  if (truth.between) found = found.filter(({ type }) => !truth.between.includes(type))
  const pairs = align(steps, found)
  const right = pairs.filter(([i, j], at) => i === 0
    ? j === 0
    : at > 0 && pairs[at - 1][0] === i - 1 && pairs[at - 1][1] === j - 1)
  return {
    expected: steps.length,
    found: found.length,
    right: right.length,
    foreign: request.nodes.map(absolute).filter((node) => isForeign(node, truth, others)).length,
    inferred: request.path.filter((step) => step.inferred).length
  }
}

function isOneEvent (a, b) {
  if (!a || !b) return false
  return a.event !== null && b.event !== null ? a.event === b.event : a.type === b.type && a.ready_ns !== null && Math.abs(a.ready_ns - b.ready_ns) < ROUNDED_NS
}

/**
 * Whether a node of the graph is the work of another request: of no step of its
 * own (the last one goes on when the request has ended), but of another's. An
 * inferred node says only that the request ended in what ran then.
 */
function isForeign (node, truth, others) {
  if (node.inferred) return false
  const begins = (step) => step.begin !== null && step.begin >= node.begin - CLOCK_SLACK_NS && step.begin <= node.end
  const holds = (step) => step.begin !== null && step.end !== null && step.begin >= node.begin && step.end <= node.end
  return !truth.steps.some(begins) && others.some((other) => other !== truth && other.steps.some(holds))
}

/**
 * @param {any} truth
 * @param {{ from: number, to: number }} sent when the client sent it
 * @param {{ start_ns: number, end_ns: number }} row the report's; it decides within what client and program cannot know
 * @returns {Record<string, number>} what its report should say; components that the program cannot know are missing
 */
function expectedComponents (truth, sent, row) {
  // The bytes left, and on loopback arrived, within the client's write(), and the answer's within the program's end().
  const sentNs = Math.min(Math.max(row.start_ns, sent.from), sent.to)
  const endNs = Math.min(Math.max(row.end_ns, truth.answering), truth.end)
  const steps = truth.path.map((name) => truth.steps.find((step) => step.name === name)).filter((step) => step.begin !== null)
  const whole = steps.length === truth.path.length
  let exec = 0
  let queue = 0
  let io = 0
  let before = sentNs
  let known = whole
  for (const [i, step] of steps.entries()) {
    const ready = i === 0 ? sentNs : step.ready
    const [begin, end] = [step.since ?? step.begin, Math.min(step.end, endNs)]
    if (ready === null) known = false
    else {
      queue += begin - Math.max(ready, before)
      io += Math.max(0, ready - before)
    }
    exec += end - begin
    before = end
  }
  const latency = endNs - sentNs
  const expected = { latency_ns: latency, exec_ns: exec, waiting_ns: latency - exec }
  if (known) Object.assign(expected, { io_ns: io, queue_ns: queue })
  if (truth.gc_ns !== undefined) Object.assign(expected, { gc_ns: truth.gc_ns })
  const told = Object.entries(expected).filter(([name]) => !truth.components || truth.components.includes(name))
  return Object.fromEntries(told)
}

/**
 * Node's own work in the events of a program's steps, before and after the code
 * that the program can time: what the report says beyond the truth of warm-up
 * requests, which compute nothing. Grows when other processes spoil the caches;
 * more than the cap is an error.
 *
 * @param {any[]} compared requests
 * @returns {number} ns a step of a path
 */
function unseenPerStep (compared) {
  const each = compared.filter(({ warm, expected }) => warm && expected.exec_ns !== undefined)
    .map(({ row, expected, truth }) => (row.exec_ns - expected.exec_ns) / truth.path.length)
    .sort((a, b) => a - b)
  return Math.min(Math.max(0, each[each.length >> 1] ?? 0), UNSEEN_CAP_NS)
}

/**
 * @param {any} row of the report
 * @param {Record<string, number>} expected
 * @param {number} unseenNs Node's own work, in the path's events
 * @returns {{ component: string, error: number, allowed: number }[]} ns
 */
function componentErrors (row, expected, unseenNs) {
  const reported = { ...row, waiting_ns: row.io_ns + row.queue_ns }
  return Object.entries(expected).map(([component, value]) => {
    const plain = reported[component] - value
    const own = { exec_ns: unseenNs, waiting_ns: -unseenNs, queue_ns: -unseenNs, io_ns: -unseenNs }[component] ?? 0
    // Somewhere between none of it and all of it.
    const error = plain - Math.max(Math.min(0, own), Math.min(Math.max(0, own), plain))
    return { component, error, allowed: Math.max(FLOOR_NS, SHARE * value) }
  })
}

module.exports = { compareCausality, componentErrors, expectedComponents, unseenPerStep }
