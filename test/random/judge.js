'use strict'

// The report against the truth: which requests it tells wrongly, in which
// component, and at which of their steps.

const { knownAs } = require('./known')
const { Truths } = require('./truth')

/** What a component may be off: this share of it, or so many ns. */
const SHARE = 0.02
const FLOORS_NS = { idle: 200_000, busy: 3_000_000 }
const UNSEEN_CAP_NS = 200_000
/** Clock readings lie a little outside of what they bracket. */
const CLOCK_SLACK_NS = 30_000
/** A step that skips a stretch waits for so much longer. */
const GOES_ON_NS = 1_000_000
const COMPONENTS = ['latency', 'io', 'queue', 'exec']

/**
 * @typedef {object} Misfit
 * @property {number} program
 * @property {string} kind where it goes wrong, and how
 * @property {string} [component] the one that is off by most, if any
 * @property {number} error ns
 * @property {number} allowed ns
 * @property {string} [label] why the report itself says that it is not sure: a step whose cause is inferred, a ready time that is a bound
 * @property {Record<string, any>} [truth] ranges, ns
 * @property {Record<string, number>} [told] ns
 */

/**
 * @param {import('./plan').Program[]} programs
 * @param {import('./block').Facts} facts
 * @param {'idle' | 'busy'} machine
 * @returns {{ judged: number, labelled: number, unseen: number, misfits: Misfit[], widths: Map<number, number> }} labelled: of how many the report is not sure;
 *   widths: within how many ns a program's I/O is judged
 */
function judge (programs, facts, machine) {
  const truths = new Truths(facts)
  const rows = new Map()
  for (const row of facts.rows) rows.set(row.route, [...rows.get(row.route) ?? [], row])
  const misfits = []
  const compared = []
  for (const program of programs) {
    const mine = rows.get(`${program.body ? 'POST' : 'GET'} /p/x${program.id}`) ?? []
    const account = truths.byId.get(program.id)
    const expected = countOf(account, facts.sent.get(program.id))
    if (!expected.includes(mine.length)) misfits.push({ program: program.id, kind: `reported ${mine.length} times instead of ${expected[0]}`, error: 0, allowed: 0 })
    else if (mine.length === 1 && expected[0] === 1) compared.push({ program, row: mine[0], truth: truths.of(account, mine[0]) })
  }
  const unseen = unseenPerStep(compared)
  const widths = new Map(compared.map(({ program, truth, truth: { io, off } }) => [program.id, io[1] - io[0] + 2 * (Math.max(FLOORS_NS[machine], SHARE * io[1]) + off) + unseenOf(truth, unseen)]))
  for (const { program, row, truth } of compared) {
    const worst = worstOf(truth, row, unseen, FLOORS_NS[machine])
    if (worst.excess > 0) misfits.push(misfitOf(program, row, truth, worst, facts.pathOf(row), programs))
  }
  const labelled = compared.filter(({ row }) => labelOf(row)).length
  return { judged: compared.length, labelled, unseen, misfits: [...misfits, ...wholeMisfits(programs, truths, facts)], widths }
}

/** How often a request may be in the statistics; the first is the right one. @returns {number[]} */
function countOf (account, { left = Infinity } = {}) {
  if (!account || account.answering === null) return [0]
  // Whether the kernel still took the answer is not the server's to see.
  if (left < account.ended) return account.closed?.at < account.answering ? [0] : [1, 0]
  if (!account.closed || account.closed.at > account.ended) return account.closed && !account.closed.answered ? [1, 0] : [1]
  return [0]
}

function wholeMisfits (programs, truths, { whole }) {
  const counts = programs.map(({ id }) => truths.byId.get(id)).filter(Boolean).map((account) => countOf(account, truths.sent.get(account.id)))
  const given = counts.filter((count) => count.includes(0))
  const aborted = [given.filter((count) => count.length === 1).length, given.length]
  const told = { problems: [whole.problems.length, 0, 0], lost: [whole.requests.lost, 0, 0], dropped: [whole.events.dropped, 0, 0], aborted: [whole.requests.aborted, ...aborted] }
  return Object.entries(told).filter(([, [count, low, high]]) => count < low || count > high)
    .map(([name, [count, low]]) => ({ program: -1, kind: `the report has ${count} ${name}, not ${low}`, error: 0, allowed: 0 }))
}

/**
 * Node's own work in the events of a path, before and after what the server can time.
 * @returns {number} ns a step, the median
 */
function unseenPerStep (compared) {
  const each = compared.map(({ row, truth }) => (row.exec_ns - truth.exec[0]) / truth.steps).sort((a, b) => a - b)
  return Math.min(Math.max(0, each[each.length >> 1] ?? 0), UNSEEN_CAP_NS)
}

/** @returns {number} ns, Node's own work in and beside all steps of a path */
function unseenOf ({ steps, work }, unseenNs) {
  return Math.max(unseenNs * steps, work)
}

/** @returns {{ component: string, error: number, allowed: number, excess: number }[]} ns */
function errorsOf (truth, row, unseenNs, floorNs) {
  const unseen = unseenOf(truth, unseenNs)
  return COMPONENTS.map((component) => {
    const told = row[`${component}_ns`]
    const [low, high] = truth[component]
    const below = component === 'exec' || component === 'latency' ? 0 : unseen
    const above = component === 'exec' ? unseen : 0
    const error = told < low - below ? told - low + below : told > high + above ? told - high - above : 0
    const allowed = Math.max(floorNs, SHARE * high) + truth.off
    return { component, error, allowed, excess: Math.abs(error) - allowed }
  })
}

/** The component that is off by most, beyond what is allowed. */
function worstOf (truth, row, unseenNs, floorNs) {
  return errorsOf(truth, row, unseenNs, floorNs).reduce((worst, each) => each.excess > worst.excess ? each : worst)
}

function misfitOf (program, row, truth, { component, error, allowed }, path, programs) {
  const told = Object.fromEntries(COMPONENTS.map((name) => [name, row[`${name}_ns`]]))
  const known = Object.fromEntries(COMPONENTS.map((name) => [name, truth[name]]))
  return { program: program.id, kind: kindOf(program, row, truth, path, programs), component, error, allowed, truth: known, told, label: labelOf(row), segments: truth.segments, path: toldSegments(row, path) }
}

/** What the report itself says of a path of which it is not sure. @returns {'inferred' | 'bounds' | undefined} */
function labelOf (row) {
  return row.inferred > 0 ? 'inferred' : row.bounds > 0 ? 'bounds' : undefined
}

/**
 * Where truth and report part: at the step of the report's path that is told most wrongly. Stretches that the path
 * does not have may have led it astray: the first of those, or the first of a kind that is known to.
 */
function kindOf (program, row, truth, path, programs) {
  const place = programs.some(({ behind }) => behind === program.id) ? 'followed' : program.connection
  const told = toldSegments(row, path)
  let most = edgeKind(program, row, truth, place)
  for (const other of told) {
    const wrong = truth.segments.filter(({ component }) => !['unsure', other.component].includes(component))
      .map((segment) => ({ segment, ns: overlap(segment, other) })).filter(({ ns }) => ns > 0)
    const ns = wrong.reduce((sum, each) => sum + each.ns, 0)
    if (ns > most.ns) most = { ns, kind: lostKind(truth, other, told) ?? toldKind(wrong, other) }
  }
  return ['followed', 'pipelined'].includes(place) ? `${place}: ${most.kind}` : most.kind
}

/** The start or the end, whichever is further off. */
function edgeKind ({ body, abandon }, row, truth, place) {
  const away = { start: row.start_ns - truth.start, end: row.end_ns - truth.end }
  const side = Math.abs(away.start) > Math.abs(away.end) ? 'start' : 'end'
  const how = [place, body && 'with body', abandon !== undefined && 'given up'].filter(Boolean).join(' ')
  return { ns: Math.abs(away[side]), kind: `${side} of ${how}: ${away[side] > 0 ? 'late' : 'early'}` }
}

function lostKind ({ segments }, { component, wait }, told) {
  const ran = segments.filter((segment) => segment.component === 'exec')
  const executed = told.filter((each) => each.component === 'exec')
  const goesOn = (segment) => touches(segment, wait) && segment.to - wait.from > GOES_ON_NS / 2 && wait.to - segment.to > GOES_ON_NS
  let first = component === 'exec' ? -1 : ran.findIndex((segment) => isLost(segment, executed) && goesOn(segment))
  if (first < 0) return undefined
  const lost = []
  while (first > 0 && isLost(ran[first - 1], executed)) first--
  for (; first < ran.length && isLost(ran[first], executed); first++) lost.push(`lost ${ran[first].kind}`)
  // The step after them may be one whose cause is a guess.
  return [...lost, ...ran.slice(first, first + 1).map(({ kind }) => `cause of ${kind}`)].find(knownAs) ?? lost[0]
}

/** Most of it is no execution, as the report has it; or it is short, and nothing of it. */
function isLost (segment, executed) {
  const length = segment.to - segment.from
  if (length < GOES_ON_NS) return !executed.some((each) => touches(segment, each))
  return executed.reduce((sum, each) => sum + Math.max(0, overlap(segment, each)), 0) < length / 2
}

function toldKind (wrong, other) {
  const { segment } = wrong.reduce((a, b) => b.ns > a.ns ? b : a)
  const mayBeIn = segment.kind.startsWith('emit') ? ['immediate', 'close'] : /^(timer|abort)/.test(segment.kind) && [other.type]
  const event = mayBeIn && mayBeIn.includes(other.type) && other.type !== 'timer' ? ` in ${other.type}` : ''
  return `${segment.kind}${event}: ${segment.component} told as ${other.component}`
}

function overlap (a, b) {
  return Math.min(a.to, b.to) - Math.max(a.from, b.from)
}

function touches (a, b) {
  return overlap(a, b) >= -CLOCK_SLACK_NS
}

function toldSegments (row, path) {
  return path.flatMap((step) => {
    const [begin, end] = [row.start_ns + step.begin_ns, row.start_ns + step.end_ns]
    const ready = begin - step.queue_ns
    const wait = { from: ready - step.io_ns, to: begin }
    return [
      { from: wait.from, to: ready, component: 'io', type: step.type, wait },
      { from: ready, to: begin, component: 'queue', type: step.type, wait },
      { from: begin, to: end, component: 'exec', type: step.type, wait }
    ].filter(({ from, to }) => to > from)
  })
}

module.exports = { COMPONENTS, FLOORS_NS, errorsOf, judge, worstOf }
