'use strict'

// The truth of a request: what its handler told, and what the proxy knows of its questions and answers. Each component lies
// between two numbers: what a client computes after it has asked, and before it hands an answer on, only the recorder can
// tell from waiting; that it is no more than the loop did not sleep is known.

const { PROTOCOLS } = require('./clients')

/** @typedef {import('./proxy').Link} Link */
/** @typedef {[number, number]} Range ns, lowest and highest */

/**
 * The bytes arrived, on loopback, within the proxy's write(), which may return when they have been read.
 * @typedef {{ from: number, to: number }} Moment ns
 */
const leftAt = ({ from, to }, read) => ({ from, to: Math.max(from, Math.min(to, read)) })
const overlap = (a, b) => Math.max(0, Math.min(a.end, b.end) - Math.max(a.begin, b.begin))

class Proxied {
  /**
   * @param {any[]} requests of one thread, as their handlers told them
   * @param {Link[]} links
   */
  constructor (requests, links) {
    this.steps = requests.flatMap((request) => request.steps.map((step) => ({ ...step, request })))
    /** @type {Map<string, any>} */
    this.linkOf = new Map(links.flatMap((link) => markersOf(link).map((marker) => /** @type {[string, Link]} */ ([marker, link]))))
  }

  /**
   * @param {any} request
   * @param {{ from: number, to: number }} sent when the client sent it
   * @param {{ start_ns: number, end_ns: number }} row the report's; it decides within what client and program cannot know
   * @returns {{ latency: Range, io: Range, queue: Range, exec: Range, off: number, steps: number, answers: number[] }} answers: how many each of its steps waited for, one after the other
   */
  truthOf (request, sent, row) {
    const start = Math.min(Math.max(row.start_ns, sent.from), sent.to)
    const end = Math.min(Math.max(row.end_ns, request.answering), request.end)
    const sum = { io: [0, 0], queue: [0, 0], exec: [0, 0] }
    const add = (component, low, high) => { sum[component][0] += low; sum[component][1] += high }
    const stretches = this.#stretchesOf(request, start)
    let before = start
    for (const { ready, begin, end: left, unseen } of stretches) {
      const done = Math.min(left, end)
      const waited = this.#waited(request, ready, before, begin)
      add('exec', done - begin, done - begin + unseen)
      add('io', Math.max(0, waited.io[0] - unseen), waited.io[1])
      // What else ran when it was told before, nobody has told.
      add('queue', waited.queue[0], waited.queue[1] + (ready.length > 1 ? unseen : 0))
      before = done
    }
    return { latency: [end - start, end - start], ...(sum), off: 0, steps: stretches.length, answers: stretches.slice(1).map(({ ready }) => ready.length) }
  }

  /** The handler's steps, and when each could go on. Unseen is how long the loop did not sleep before it and after the one before, others' work left out. */
  #stretchesOf (request, start) {
    const steps = request.path.map((name) => request.steps.find((step) => step.name === name))
    const markers = [...request.markers]
    return steps.map((step, i) => {
      const begin = step.since ?? step.begin
      if (i === 0) return { begin, end: step.end, ready: [{ from: start, to: start }], unseen: begin - start - this.#busy(request, start, begin) }
      const cause = steps[i - 1]
      const slept = request.sleeps[2 * i - 1] - request.sleeps[2 * i - 2]
      const unseen = Math.max(0, begin - cause.end - slept - this.#busy(request, cause.end, begin))
      const asked = markers.splice(0, request.connection === 'pooled' ? 2 : 1)
      return { begin, end: step.end, ready: this.#readinessOf(request, asked, step, cause), unseen }
    })
  }

  /**
   * Its client may have to be told several things, one after the other, and goes on at once where the loop is free.
   * @param {Moment[]} ready when
   * @returns {{ io: Range, queue: Range }}
   */
  #waited (request, ready, from, begin) {
    /** @type {Range} */
    const io = [0, 0]
    /** @type {Range} */
    const queue = [0, 0]
    for (const [i, at] of ready.entries()) {
      const until = i === ready.length - 1 ? begin : this.#freeAfter(request, at.to)
      io[0] += Math.max(0, at.from - from)
      io[1] += Math.max(0, at.to - from)
      queue[0] += this.#busy(request, Math.max(from, at.to), until)
      queue[1] += until - Math.max(from, at.from)
      from = until
    }
    return { io, queue }
  }

  /** How long other requests ran, ns. */
  #busy (request, begin, end) {
    return this.steps.filter((step) => step.request !== request).reduce((sum, step) => sum + overlap(step, { begin, end }), 0)
  }

  #freeAfter (request, at) {
    return this.#whileRan(request, at)?.end ?? at
  }

  #whileRan (request, at) {
    return this.steps.find((step) => step.request !== request && step.begin < at && at < step.end)
  }

  /** @returns {number} the parts that its client has sent by a connection of its own, until it was answered */
  partsOf (request) {
    const [marker] = request.markers
    const last = request.steps.at(-1)
    return this.linkOf.get(marker).asked.filter(({ at }) => at < last.begin).length
  }

  /** Of two questions at once the later answer is waited for. */
  #readinessOf (request, asked, step, cause) {
    const all = asked.map((marker) => this.#answersTo(marker, request, step, cause))
    return all.reduce((a, b) => b.at(-1).from > a.at(-1).from ? b : a)
  }

  #answersTo (marker, request, step, cause) {
    const link = this.linkOf.get(marker)
    if (!link) throw new Error(`${request.route}: the proxy has not seen ${marker}`)
    const { datagrams, oneConnection, streams } = PROTOCOLS[request.protocol]
    // A datagram for each, in their order.
    if (datagrams) return [leftAt(link.answered[link.asked.findIndex(({ markers }) => markers.includes(marker))], step.begin)]
    const next = oneConnection ? Infinity : nextAsked(link, marker)
    const answers = link.answered.filter(({ came, from }) => came > cause.begin && came < next && from < step.begin)
    if (request.connection === 'pooled' && oneConnection) {
      const asked = link.asked.find(({ markers }) => markers.includes(marker))
      // HTTP/2 says other things as well; and what is said to others is handed on at once.
      const answer = streams ? answers[answers.length - 1] : answers.find(({ came }) => came >= asked.at)
      const [first, last] = this.#readWith(link, answer, request).map((each) => leftAt(each, step.begin))
      return [{ from: first.from, to: last.to }]
    }
    // Also what was said before it: to a client that makes a connection, or prepares its statement.
    return answers.map((answer) => leftAt(answer, step.begin))
  }

  /** Answers that came on one connection while the loop was busy are read together: which came with which bytes only the proxy knows. */
  #readWith (link, answer, request) {
    const busy = this.#whileRan(request, answer.from)
    if (!busy) return [answer, answer]
    const together = link.answered.filter(({ from }) => from > busy.begin && from < busy.end)
    return [together[0], together[together.length - 1]]
  }
}

/** @returns {number} when the connection was asked by another, as far as that can be read */
function nextAsked ({ asked }, marker) {
  const own = asked.findIndex(({ markers }) => markers.includes(marker))
  return asked.find(({ markers }, i) => own >= 0 && i > own && markers.length > 0 && !markers.includes(marker))?.at ?? Infinity
}

/** @param {any} link */
function markersOf ({ asked, hidden = [] }) {
  return [...asked.flatMap(({ markers }) => markers), ...hidden]
}

module.exports = { Proxied }
