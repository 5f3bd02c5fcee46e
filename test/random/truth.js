'use strict'

// What is true of a request: derived from the ledger of all requests of its
// process, and from what the client and the backend saw. The definitions are
// those of docs/report-json.md, "How time is divided".

/** Less sleep than this is none: the loop has looked for more, and found it. */
const SLEEP_NS = 60_000
/** What runs in the event of what ran before it. */
const SAME_EVENT = ['tick', 'resolved']
/** Between two stretches of a slice there is not more. */
const SAME_SLICE_NS = 100_000
/** Clock readings, and what a wake-up takes. */
const SLACK_NS = 150_000

const clamp = (value, low, high) => Math.min(Math.max(value, low), high)

/** The stretches of all requests in order: when the loop was busy, and when its thread waited for a processor. */
class Timeline {
  /** @param {any[]} accounts */
  constructor (accounts) {
    this.stretches = accounts.flatMap((account) => account.stretches).sort((a, b) => a.begin - b.begin)
    /** What precedes each: its number, the end of all before it, and how long the thread had been off its processor outside of stretches. */
    this.places = new Map()
    let ended = -Infinity
    let within = 0
    this.stretches.forEach((stretch, number) => {
      // Within stretches such a time is known to both sides.
      this.places.set(stretch, { number, ended, off: stretch.offBegin - within })
      ended = Math.max(ended, stretch.end)
      within += stretch.offEnd - stretch.offBegin
    })
  }

  /** @returns {number} since when the loop had not slept when this one began, ns: it was ready then at the earliest */
  awakeSince (stretch) {
    for (let { number } = this.places.get(stretch); number > 0; number--) {
      const [before, after] = [this.stretches[number - 1], this.stretches[number]]
      const slept = after.slept - before.slept
      if (slept < SLEEP_NS) continue
      // It slept somewhere in this gap; the rest is Node's own work, perhaps all after it. A sleep that it was not
      // woken from at once, for want of a processor, may have been over earlier.
      const { ended, off } = this.places.get(after)
      return ended + slept - (off - this.places.get(before).off) - SLACK_NS
    }
    return this.stretches[0].begin
  }

  /**
   * @param {any[]} path stretches
   * @returns {number} how long the thread waited for a processor right before and right after them, ns: on which side of
   *   a begin or an end that was is not known. Elsewhere it changes nothing: the request waited, and others had their turn.
   */
  offBeside (path) {
    return this.#gapsBeside(path).reduce((sum, number) => sum + this.#offIn(number), 0)
  }

  /**
   * @param {any[]} path stretches
   * @returns {number} how long the loop was awake right before and right after them while nothing that the ledger knows ran,
   *   and its thread did, ns: Node's own work, in the events of which they are or in others beside
   */
  workBeside (path) {
    return this.#gapsBeside(path).reduce((sum, number) => {
      if (number < 1 || number >= this.stretches.length) return sum
      const [before, after] = [this.stretches[number - 1], this.stretches[number]]
      const awake = after.begin - this.places.get(after).ended - (after.slept - before.slept)
      return sum + Math.max(0, awake - this.#offIn(number))
    }, 0)
  }

  /** Each by the number of the stretch after it. */
  #gapsBeside (path) {
    const numbers = path.map((stretch) => this.places.get(stretch).number)
    return [...new Set([...numbers, ...numbers.slice(0, -1).map((number) => number + 1)])]
  }

  #offIn (number) {
    return Math.max(0, this.#offAt(number) - this.#offAt(number - 1))
  }

  /** @returns {number} how long the thread waited for a processor outside of stretches from one on until another began, ns */
  offBetween (one, another) {
    return Math.max(0, this.places.get(another).off - this.places.get(one).off)
  }

  // The first and the last have nothing on their other side.
  #offAt (number) {
    const stretch = this.stretches[Math.min(Math.max(number, 0), this.stretches.length - 1)]
    return this.places.get(stretch).off
  }

  /** @returns {boolean} whether what resumed this one is part of an event that began for another: a later timer of a pass, or answer of a read */
  isBehindAnother (stretch) {
    const { is, read } = stretch.ready
    if (is === 'emitted') {
      const emitter = this.#emitterOf(stretch)
      return emitter.ready.is !== 'emitted' && this.isBehindAnother(emitter)
    }
    const began = ({ ready }) => read ? ready.read === read : ready.is === 'due'
    return (is === 'due' || Boolean(read)) && this.#isInEventThat(stretch, began)
  }

  /**
   * A slice is one node, whatever branches of its request it runs: what registers something in it has ended with it.
   * @returns {number} the end of what ran for the same request at once after a stretch, in the same event as far as the ledger tells
   */
  endOfSlice (stretch, account) {
    const own = new Set(account.stretches)
    let { end } = stretch
    for (let number = this.places.get(stretch).number + 1; number < this.stretches.length; number++) {
      const after = this.stretches[number]
      const follows = after.begin <= end + SAME_SLICE_NS || SAME_EVENT.includes(after.kind)
      if (!own.has(after) || !follows || after.slept > stretch.slept + SLEEP_NS) break
      end = Math.max(end, after.end)
    }
    return end
  }

  /** @returns {number} the end of what ran after a stretch in the same event, as far as the ledger tells, whoever it was for */
  endOfEvent (stretch) {
    let { end } = stretch
    for (let number = this.places.get(stretch).number + 1; number < this.stretches.length; number++) {
      const after = this.stretches[number]
      if (!SAME_EVENT.includes(after.kind)) break
      end = Math.max(end, after.end)
    }
    return end
  }

  /** @returns {any} the stretch of the bell that has resumed this one */
  bellBefore (stretch) {
    let { number } = this.places.get(stretch)
    while (number > 0 && this.stretches[number].kind !== 'bell') number--
    return this.stretches[number]
  }

  // The last before it that was not emitted itself.
  #emitterOf (stretch) {
    let { number } = this.places.get(stretch)
    while (number > 0 && (this.stretches[number].ready.is === 'emitted' || SAME_EVENT.includes(this.stretches[number].kind))) number--
    return this.stretches[number]
  }

  #isInEventThat (stretch, began) {
    for (let { number } = this.places.get(stretch); number > 0; number--) {
      const [before, after] = [this.stretches[number - 1], this.stretches[number]]
      if (began(before)) return true
      if (after.slept - before.slept >= SLEEP_NS || !(before.ready.is === 'emitted' || SAME_EVENT.includes(before.kind))) return false
    }
    return false
  }
}

/**
 * @typedef {{ from: number, to: number, kind: string, component: 'io' | 'queue' | 'exec' | 'unsure' }} Segment
 * @typedef {[number, number]} Range ns: the truth lies within
 * @typedef {{ id: number, start: number, end: number, latency: Range, io: Range, queue: Range, exec: Range, steps: number, off: number, work: number, segments: Segment[] }} Truth
 */

/** Of one readFile: open, stat, read, close. Node goes on by itself after each. */
const JOBS = 4

class Truths {
  /** @param {Pick<import('./block').Facts, 'accounts' | 'answers' | 'sent'>} facts */
  constructor ({ accounts, answers, sent }) {
    this.byId = new Map(accounts.map((account) => [account.id, account]))
    this.answers = answers
    this.sent = sent
    this.timeline = new Timeline(accounts)
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
    const truth = { id: account.id, start, end, latency: [end - start, end - start], io: [0, 0], queue: [0, 0], exec: [0, 0], steps: 0, off: 0, work: 0, segments: [] }
    const path = pathOf(account)
    let before = start
    path.forEach((stretch, i) => {
      this.#addWait(truth, account, stretch, before, path[i - 1])
      const left = i + 1 < path.length ? Math.min(stretch.end, path[i + 1].begin) : account.held ? stretch.end : Math.max(end, stretch.begin)
      addExecution(truth, stretch, left)
      before = left
    })
    // Who is ahead of it on its connection ends it; how that divides is not ours to say.
    if (account.held) add(truth, { from: before, to: end, kind: 'held' }, [0, end - before], [0, end - before])
    truth.steps = path.reduce((sum, { ready }) => sum + (ready.is === 'jobs' ? JOBS : 1), 0)
    truth.off = this.timeline.offBeside(path)
    truth.work = this.timeline.workBeside(path)
    return /** @type {Truth} */ (truth)
  }

  #addWait (truth, account, stretch, before, cause) {
    const { begin, ready } = stretch
    const wait = begin - before
    const kind = this.timeline.isBehindAnother(stretch) ? `${stretch.kind} behind another` : stretch.kind
    if (ready.is === 'jobs') {
      // Between the jobs the thread may have been kept from a sleep's end, and from Node's own work.
      const off = this.timeline.offBetween(cause, stretch)
      const busy = Math.min(wait, wait - (stretch.slept - cause.slept) + off + SLACK_NS)
      truth.exec[1] += off
      return add(truth, { from: before, to: begin, kind }, [wait - busy, wait], [0, busy])
    }
    if (ready.unseen) {
      // Whether it had a connection, and when the question left, is not ours to see.
      const arrived = clamp(this.answers[ready.question]?.arrived ?? begin, before, begin)
      add(truth, { from: before, to: arrived, kind: `${kind} question` }, [0, arrived - before], [0, arrived - before])
      before = arrived
    }
    const times = this.#ready(account, stretch, before)
    const [low, high] = times.map((time) => clamp(time, before, begin))
    add(truth, { from: before, to: low, kind }, [low - before, low - before], [0, 0])
    add(truth, { from: low, to: high, kind }, [0, high - low], [0, high - low])
    add(truth, { from: high, to: begin, kind }, [0, 0], [begin - high, begin - high])
    if (ready.unseen) this.#addWorkBefore(truth, stretch, high)
    if (cause) {
      addBeginOfWait(truth, clamp(stretch.since ?? before, cause.begin, before), before, times)
      this.#addRestOfSlice(truth, this.timeline.endOfSlice(cause, account), { before, low, high, begin })
      if (stretch.kind === 'emit') addMicrotask(truth, clamp(this.timeline.endOfEvent(cause), before, low) - before)
    }
    this.#addEmitter(truth, stretch)
  }

  // Of undici's own JavaScript, which ran since the stretch before, the server sees nothing.
  #addWorkBefore (truth, stretch, ready) {
    const work = Math.max(0, stretch.begin - Math.max(ready, this.timeline.places.get(stretch).ended))
    truth.exec[1] += work
    truth.queue[0] -= work
  }

  // Another branch ran in the slice that had begun this one's wait.
  #addRestOfSlice (truth, sliceEnd, { before, low, high, begin }) {
    const end = clamp(sliceEnd, before, begin)
    truth.exec[1] += end - before
    truth.io[0] -= Math.min(end, low) - before
    truth.queue[0] -= Math.max(0, end - high)
  }

  // The first slice of an event is execution of all that it resumes.
  #addEmitter (truth, stretch) {
    const { begin, ready } = stretch
    if (ready.is !== 'emitted') return
    const emitter = ready.by === null ? this.timeline.bellBefore(stretch) : this.byId.get(ready.by).stretches[ready.of]
    const before = begin - emitter.begin
    truth.exec[1] += before
    truth.queue[0] -= before
  }

  /** @returns {Range} when what resumed a stretch was ready */
  #ready (account, stretch, before) {
    const { ready, begin } = stretch
    if (ready.is === 'own') return [before, before]
    if (ready.is === 'due') return [ready.at, ready.at]
    if (ready.is === 'job') return [this.timeline.awakeSince(stretch), begin]
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

// What it waits for began within the stretch before it, where other branches went on.
function addBeginOfWait (truth, since, before, [low, high]) {
  truth.exec[0] -= before - since
  truth.io[1] += Math.max(0, Math.min(before, high) - since)
  truth.queue[1] += Math.max(0, before - Math.max(low, since))
}

// events.once() is an async function that returns a promise: one more continuation of
// its own comes before it waits, after what others do in the same event.
function addMicrotask (truth, time) {
  truth.io[0] -= time
  truth.queue[1] += time
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

module.exports = { Timeline, Truths, pathOf }
