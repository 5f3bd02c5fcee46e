'use strict'

// The truth itself: ledgers written by hand, whose components a person has
// computed, and programs written by hand, whose components their numbers say.

const assert = require('node:assert/strict')
const test = require('node:test')
const { runBlock } = require('./block')
const { judge } = require('./judge')
const { Truths, pathOf } = require('./truth')

const MS = 1e6

/** A stretch, in ms. */
function stretch (parent, kind, ready, begin, end, slept = 0) {
  const at = ready.at === undefined ? {} : { at: ready.at * MS }
  return { parent, kind, ready: { ...ready, ...at }, begin: begin * MS, end: end * MS, offBegin: 0, offEnd: 0, slept: slept * MS }
}

const ARRIVAL = { is: 'sent', first: -1, last: -1 }

/**
 * Request 0 is sent at 100, begins at 110, computes until 120 and waits for two branches: a timer that is due at
 * 140, and an answer that is sent at 150. Request 1 computes from 145 to 170, so that the answer, which decides,
 * is read at 170; the timer ran from 140 to 141. It computes until 175, and answers.
 */
function handMade () {
  const accounts = [
    {
      id: 0,
      stretches: [
        stretch(-1, 'arrival', ARRIVAL, 110, 120, 5),
        stretch(0, 'timer', { is: 'due', at: 140 }, 140, 141, 25),
        stretch(0, 'line-tcp', { is: 'answer', question: 'q1' }, 170, 175, 27)
      ],
      final: 2,
      answering: 174.9 * MS,
      ended: 175 * MS,
      closed: null
    },
    { id: 1, stretches: [stretch(-1, 'arrival', ARRIVAL, 145, 170, 27)], final: 0, answering: 169.9 * MS, ended: 170 * MS, closed: null }
  ]
  const answers = { q1: { ms: 30, arrived: 120 * MS, from: 150 * MS, to: 150 * MS } }
  const sent = new Map([[0, { from: 100 * MS, to: 100 * MS, parts: [] }], [1, { from: 142 * MS, to: 142 * MS, parts: [] }]])
  return { accounts, answers, sent }
}

const row = (id, values) => ({ id, process: 1, thread: 0, route: `GET /p/x${id}`, ...Object.fromEntries(Object.entries(values).map(([name, ms]) => [`${name}_ns`, ms * MS])) })
const RIGHT = [
  row(0, { start: 100, end: 175, latency: 75, io: 30, queue: 30, exec: 15 }),
  row(1, { start: 142, end: 170, latency: 28, io: 0, queue: 3, exec: 25 })
]

const inMs = (range) => range.map((ns) => ns / MS)

test('the last branch decides: its answer, and what the loop did then', () => {
  const facts = handMade()
  const truth = new Truths(facts).of(facts.accounts[0], RIGHT[0])
  assert.deepEqual(inMs(truth.latency), [75, 75])
  assert.deepEqual(inMs(truth.exec), [15, 15]) // 110 to 120, 170 to 175
  assert.deepEqual(inMs(truth.io), [30, 30]) // 120 to 150
  assert.deepEqual(inMs(truth.queue), [30, 30]) // 100 to 110, 150 to 170
})

test('a branch that goes on in the slice in which another has begun to wait is execution, or it is not', () => {
  const facts = handMade()
  const [first, timer, answer] = facts.accounts[0].stretches
  facts.accounts[0].stretches = [first, timer, { ...answer, since: 118 * MS }, stretch(0, 'resolved', { is: 'own' }, 120, 130, 5)]
  const { io, queue, exec } = new Truths(facts).of(facts.accounts[0], RIGHT[0])
  assert.deepEqual(inMs(exec), [13, 25]) // 110 to 118, perhaps 120 or 130
  assert.deepEqual(inMs(io), [20, 32])
  assert.deepEqual(inMs(queue), [30, 30])
})

test('a job of the thread pool: ready at the earliest when the loop slept last', () => {
  const facts = handMade()
  facts.accounts[0].stretches[2].ready = { is: 'job' }
  const { io, queue } = new Truths(facts).of(facts.accounts[0], RIGHT[0])
  // The loop slept until some time between 141 and 145, for 2 of these 4 ms.
  assert.ok(io[0] >= 22 * MS && io[0] <= 25 * MS, `${io}`)
  assert.equal(io[1], 50 * MS)
  assert.equal(io[0] + queue[1], 60 * MS)
})

test('several jobs: what the loop slept was no queueing', () => {
  const facts = handMade()
  facts.accounts[0].stretches[2].ready = { is: 'jobs' }
  const { io } = new Truths(facts).of(facts.accounts[0], RIGHT[0])
  assert.ok(Math.abs(io[0] - 22 * MS) < 0.2 * MS, `${io}`)
  assert.equal(io[1], 50 * MS)
})

function judgeRows (rows, known = handMade()) {
  const facts = { ...known, rows, whole: { problems: [], requests: { lost: 0, aborted: 0 }, events: { dropped: 0 } }, pathOf: () => [] }
  return judge([0, 1].map((id) => /** @type {any} */ ({ id, at: 0, connection: 'kept', style: 'await', steps: [] })), facts, 'busy').misfits
}

test('a right report has no misfit', () => {
  assert.deepEqual(judgeRows(RIGHT), [])
})

test('20 ms of I/O that are told as queueing are found', () => {
  const [misfit, ...others] = judgeRows([{ ...RIGHT[0], io_ns: 10 * MS, queue_ns: 50 * MS }, RIGHT[1]])
  assert.equal(others.length, 0)
  assert.equal(misfit.program, 0)
  assert.equal(Math.abs(misfit.error), 20 * MS)
})

test("Node's own work before a step is excused by what the loop did not sleep, and no more", () => {
  // From 120 to 170 the loop has slept for 8 ms and not for 22, and computed for others for 26.
  const facts = handMade()
  for (const each of [facts.accounts[0].stretches[1], facts.accounts[1].stretches[0], facts.accounts[0].stretches[2]]) each.slept -= 14 * MS
  assert.equal(new Truths(facts).of(facts.accounts[0], RIGHT[0]).work, 14 * MS)
  const toldFor = (/** @type {number} */ ms) => judgeRows([{ ...RIGHT[0], exec_ns: (15 + ms) * MS, io_ns: (30 - ms) * MS }, RIGHT[1]], facts)
  assert.deepEqual(toldFor(16), [])
  assert.deepEqual(toldFor(20).map(({ program }) => program), [0])
})

test('a request that is missing, or there twice, is found', () => {
  assert.deepEqual(judgeRows([RIGHT[0]]).map(({ program }) => program), [1])
  assert.deepEqual(judgeRows([...RIGHT, RIGHT[1]]).map(({ program }) => program), [1])
})

/** Programs whose components their numbers say: ms of exec, io and queue. */
const SAID = [
  { does: 'computes, waits, computes', alone: [{ do: 'compute', how: 'clock', ms: 10 }, { do: 'timer', how: 'setTimeout', ms: 20 }, { do: 'compute', how: 'clock', ms: 5 }], exec: 15, io: 20, queue: 0 },
  { does: 'waits for the later of two', alone: [{ do: 'all', branches: [[{ do: 'call', how: 'line-tcp', ms: 40 }], [{ do: 'timer', how: 'promises', ms: 15 }]] }], exec: 0, io: 40, queue: 0 },
  { does: 'goes on with the first of two', alone: [{ do: 'race', branches: [[{ do: 'call', how: 'line-tcp', ms: 40 }], [{ do: 'timer', how: 'promises', ms: 15 }]] }], exec: 0, io: 15, queue: 0 },
  { does: 'is not abandoned by an abort', alone: [{ do: 'abort', how: 'http', ms: 5000, after: 25 }], exec: 0, io: 25, queue: 0 },
  { does: 'has an error answered twice', alone: [{ do: 'retry', how: 'line-unix', ms: 10, failures: 2 }], exec: 0, io: 30, queue: 0 },
  { does: 'is behind another', alone: [{ do: 'call', how: 'line-tcp', ms: 15 }], beside: [{ do: 'compute', how: 'clock', ms: 50 }], exec: 0, io: 15, queue: 40 }
]
/** What the machine took while its stretches ran, and by how much the backend was late, ns. */
function takenFrom (account, answers) {
  return pathOf(account).reduce((sum, { offBegin, offEnd, parent, ready }) => {
    const answer = answers[ready.question]
    const late = answer ? answer.from - account.stretches[parent].end - answer.ms * MS : 0
    return sum + offEnd - offBegin + Math.max(0, late)
  }, 0)
}

const REPEATS = 5
const APART_MS = 120
const NEAR_MS = 6
const BESIDE_MS = 5

test('programs written by hand have the components that their numbers say', async (t) => {
  const programs = []
  const ids = new Map()
  const put = (at, steps) => programs.push({ id: programs.length, at, style: programs.length % 2 ? 'await' : 'callback', connection: /** @type {'kept'} */ ('kept'), steps })
  for (let i = 0, at = 0; i < REPEATS * SAID.length; i++, at += APART_MS) {
    const said = SAID[i % SAID.length]
    ids.set(said, [...ids.get(said) ?? [], programs.length])
    put(at, said.alone)
    // It goes on for 40 ms after the answer.
    if (said.beside) put(at + BESIDE_MS, said.beside)
  }
  await runBlock(programs, {}, (facts) => {
    const truths = new Truths(facts)
    for (const said of SAID) {
      const inTime = ids.get(said).filter((id) => !said.beside || Math.abs(facts.sent.get(id + 1).from - facts.sent.get(id).from - BESIDE_MS * MS) < NEAR_MS / 2 * MS)
      if (inTime.length === 0) {
        t.diagnostic(`${said.does}: the machine was too busy for the client to come in time`)
        continue
      }
      const all = inTime.map((id) => truths.of(truths.byId.get(id), facts.rows.find(({ route }) => route === `GET /p/x${id}`)))
      // What else the machine does only adds to a request's time.
      const best = all.reduce((least, each) => each.latency[0] < least.latency[0] ? each : least)
      const off = (best.off + takenFrom(truths.byId.get(best.id), facts.answers)) / MS
      if (off > NEAR_MS) t.diagnostic(`the machine took the processor for ${off.toFixed(1)} ms`)
      for (const component of ['exec', 'io', 'queue']) {
        const found = best[component][0] / MS
        assert.ok(Math.abs(found - said[component]) <= NEAR_MS + off, `${said.does}: ${component} ${found.toFixed(1)} ms, not ${said[component]}`)
      }
    }
  })
})
