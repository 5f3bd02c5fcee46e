'use strict'

// What is true of a request: derived from the ledger of all requests of its
// process, and from what the client and the backend saw. The definitions are
// those of docs/report-json.md, "How time is divided".

/** Shorter gaps between stretches are Node's own work: the loop had no rest. */
const REST_NS = 400_000

const clamp = (value, low, high) => Math.min(Math.max(value, low), high)

/** When the loop was busy with any request, and when its thread waited for a processor outside of all stretches. */
class BusyTimes {
  /** @param {any[]} accounts */
  constructor (accounts) {
    const stretches = accounts.flatMap((account) => account.stretches).sort((a, b) => a.begin - b.begin)
    // Within stretches such a time is known to both sides.
    this.off = new Map()
    this.offTimes = []
    let known = 0
    for (const stretch of stretches) {
      this.off.set(stretch, stretch.offBegin - known)
      this.offTimes.push({ begin: stretch.begin, off: stretch.offBegin - known })
      known += stretch.offEnd - stretch.offBegin
    }
    const all = stretches.map(({ begin, end }) => ({ begin, end }))
    /** @type {{ begin: number, end: number }[]} */
    this.times = []
    for (const each of all) {
      const last = this.times[this.times.length - 1]
      if (last && each.begin - last.end < REST_NS) last.end = Math.max(last.end, each.end)
      else this.times.push(each)
    }
  }

  /** @returns {number} since when the loop had had no rest when something began, ns: it was ready then at the earliest */
  since (begin) {
    const busy = this.#at(begin)
    return (busy && begin <= busy.end ? busy.begin : begin) - REST_NS
  }

  /** @returns {number} ns of [from, to] */
  within (from, to) {
    let sum = 0
    for (let i = Math.max(0, this.times.indexOf(/** @type {any} */ (this.#at(from)))); i < this.times.length && this.times[i].begin < to; i++) {
      sum += Math.max(0, Math.min(to, this.times[i].end) - Math.max(from, this.times[i].begin))
    }
    return sum
  }

  /** @returns {number} how long the thread had waited for a processor outside of stretches when this one began, ns */
  offBefore (stretch) {
    return this.off.get(stretch)
  }

  /** @returns {number} the same at the last stretch before `time` */
  offAt (time) {
    return (lastBegun(this.offTimes, time) ?? this.offTimes[0]).off
  }

  #at (time) {
    return lastBegun(this.times, time)
  }
}

/** @returns {any} the last that began no later */
function lastBegun (times, time) {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle].begin <= time) low = middle + 1
    else high = middle
  }
  return times[low - 1]
}

/**
 * @typedef {{ from: number, to: number, kind: string, component: 'io' | 'queue' | 'exec' | 'unsure' }} Segment
 * @typedef {[number, number]} Range ns: the truth lies within
 * @typedef {{ id: number, start: number, end: number, latency: Range, io: Range, queue: Range, exec: Range, steps: number, off: number, segments: Segment[] }} Truth
 */

class Truths {
  /** @param {Pick<import('./block').Facts, 'accounts' | 'answers' | 'sent'>} facts */
  constructor ({ accounts, answers, sent }) {
    this.byId = new Map(accounts.map((account) => [account.id, account]))
    this.answers = answers
    this.sent = sent
    this.busy = new BusyTimes(accounts)
  }

  /**
   * @param {any} account
   * @param {{ start_ns: number, end_ns: number }} row the report's; it decides within what the client and the server cannot know
   * @returns {Truth}
   */
  of (account, row) {
    const sent = this.sent.get(account.id)
    // The bytes left, and on loopback arrived, within the client's write(), and the answer's within the server's end().
    const start = clamp(row.start_ns, sent.from, sent.to)
    const end = clamp(row.end_ns, account.answering, account.ended)
    const truth = { id: account.id, start, end, latency: [end - start, end - start], io: [0, 0], queue: [0, 0], exec: [0, 0], steps: 0, off: 0, segments: [] }
    const path = pathOf(account)
    let before = start
    let off = this.busy.offAt(start)
    path.forEach((stretch, i) => {
      this.#addWait(truth, account, stretch, before)
      const left = i + 1 < path.length ? Math.min(stretch.end, path[i + 1].begin) : Math.max(end, stretch.begin)
      addExecution(truth, stretch, left)
      truth.off += Math.max(0, this.busy.offBefore(stretch) - off)
      before = left
      off = this.busy.offBefore(stretch)
    })
    truth.steps = path.length
    return /** @type {Truth} */ (truth)
  }

  #addWait (truth, account, stretch, before) {
    const { begin, kind, ready } = stretch
    const wait = begin - before
    if (ready.is === 'jobs') {
      const busy = Math.min(wait, this.busy.within(before, begin))
      return add(truth, { from: before, to: begin, kind }, [wait - busy, wait], [0, busy])
    }
    if (ready.unseen) {
      // Whether it had a connection, and when the question left, is not ours to see.
      const arrived = clamp(this.answers[ready.question]?.arrived ?? begin, before, begin)
      add(truth, { from: before, to: arrived, kind: `${kind} question` }, [0, arrived - before], [0, arrived - before])
      before = arrived
    }
    const [low, high] = this.#ready(account, stretch, before).map((time) => clamp(time, before, begin))
    if (low === high) {
      add(truth, { from: before, to: low, kind }, [low - before, low - before], [0, 0])
      add(truth, { from: low, to: begin, kind }, [0, 0], [begin - low, begin - low])
    } else add(truth, { from: before, to: begin, kind }, [low - before, high - before], [begin - high, begin - low])
    this.#addEmitter(truth, stretch)
  }

  // The first slice of an event is execution of all that it resumes.
  #addEmitter (truth, { begin, ready }) {
    if (ready.is !== 'emitted' || ready.by === null) return
    const before = begin - this.byId.get(ready.by).stretches[ready.of].begin
    truth.exec[1] += before
    truth.queue[0] -= before
  }

  /** @returns {Range} when what resumed a stretch was ready */
  #ready (account, { ready, begin }, before) {
    if (ready.is === 'own') return [before, before]
    if (ready.is === 'due') return [ready.at, ready.at]
    if (ready.is === 'job') return [this.busy.since(begin), begin]
    if (ready.is === 'emitted') return this.#emitted(ready)
    if (ready.is === 'answer') {
      const answer = this.answers[ready.question]
      return answer ? [answer.from, answer.to] : [before, begin]
    }
    const sent = this.sent.get(account.id)
    return ready.first < 0 ? [before, before] : [sent.parts[ready.first].from, sent.parts[ready.last].to]
  }

  #emitted ({ by, of, at }) {
    if (by === null) return [at, at]
    const account = this.byId.get(by)
    const stretch = account.stretches[of]
    const before = account.stretches[stretch.parent]?.end ?? this.sent.get(by).from
    if (stretch.ready.is === 'jobs') return [before, stretch.begin]
    return this.#ready(account, stretch, before)
  }
}

/** @returns {any[]} the stretches of the critical path, in order */
function pathOf (account) {
  const path = []
  for (let at = account.final; at >= 0; at = account.stretches[at].parent) path.unshift(account.stretches[at])
  return path
}

function addExecution (truth, { begin, kind }, left) {
  truth.exec[0] += left - begin
  truth.exec[1] += left - begin
  truth.segments.push({ from: begin, to: left, kind, component: 'exec' })
}

function add (truth, segment, io, queue) {
  truth.io[0] += io[0]
  truth.io[1] += io[1]
  truth.queue[0] += queue[0]
  truth.queue[1] += queue[1]
  if (segment.to <= segment.from) return
  const component = queue[1] === 0 ? 'io' : io[1] === 0 ? 'queue' : 'unsure'
  truth.segments.push({ ...segment, component })
}

module.exports = { BusyTimes, REST_NS, Truths, pathOf }
