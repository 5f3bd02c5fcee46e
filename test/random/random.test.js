'use strict'

// The part of the random programs that runs every time: seeds that stay. What is
// told wrongly without a word of doubt, and is so again, fails.
// `node test/random` runs more of them.

const assert = require('node:assert/strict')
const test = require('node:test')
const { campaign, standing } = require('./campaign')
const { runBlock } = require('./block')
const { COMPONENTS, judge } = require('./judge')
const { generate } = require('./plan')
const { smallerSteps, withNeeded } = require('./shrink')
const { failureText, summaryText, timelineText } = require('./tell')
const { Truths } = require('./truth')

const SEED = 1
const PROGRAMS = 300
const AGAIN = 2
/** Shared connections and emitters that call functions are in every other program. */
const MOST_LABELLED = 0.4
const MUTATED = 60
const MOVED_NS = 20e6

test('a seed gives the same programs again, and another one others', () => {
  assert.deepEqual(generate(7, 50), generate(7, 50))
  assert.notDeepEqual(generate(7, 50), generate(8, 50))
})

test('every kind of step is drawn', () => {
  const drawn = new Set()
  const visit = (step) => {
    drawn.add([step.do, step.how].filter(Boolean).join(' '))
    for (const inner of [...step.steps ?? [], ...(step.branches ?? []).flat()]) visit(inner)
  }
  const programs = generate(1, 2000)
  for (const { steps } of programs) steps.forEach(visit)
  for (const kind of ['compute clock', 'timer tick', 'file promises.stat', 'pool pbkdf2', 'call line-unix', 'call http-name', 'emit ring', 'all', 'any', 'race', 'retry fetch', 'abort http', 'generate', 'part']) {
    assert.ok(drawn.has(kind), kind)
  }
  for (const is of [({ connection }) => connection === 'pipelined', ({ abandon }) => abandon, ({ body }) => body?.how === 'iterated', ({ body }) => body?.parts.length === 2]) {
    assert.ok(programs.some(is))
  }
})

test('a smaller program lacks a step, or has in its place what is within it', () => {
  const [a, b, c] = ['clock', 'tick', 'stat'].map((how) => ({ do: 'step', how }))
  const all = { do: 'all', branches: [[b], [b, c]] }
  assert.deepEqual([...smallerSteps([a, all])], [[all], [a], [a, b], [a, b, c]])
  const programs = /** @type {any[]} */ ([{ id: 0 }, { id: 1, behind: 0 }, { id: 2 }])
  assert.deepEqual(withNeeded(programs, [programs[1]]).map(({ id }) => id), [0, 1])
})

test(`${PROGRAMS} random programs are told rightly, or the report says that it is not sure`, async (t) => {
  const result = await campaign({ seed: SEED, programs: PROGRAMS, again: AGAIN })
  for (const line of summaryText(result).split('\n')) t.diagnostic(line)
  const wrong = standing(result.failures, AGAIN)
  assert.equal(wrong.length, 0, wrong.map((failure) => `${failureText(failure)}\n${timelineText(failure)}`).join('\n'))
  assert.ok(result.judged > 0.9 * PROGRAMS)
  assert.ok(result.labelled < MOST_LABELLED * result.judged, `of ${result.labelled} it is not sure`)
})

test('a report in which 20 ms of I/O are told as queueing is found wrong, program by program', async () => {
  const programs = generate(SEED, MUTATED)
  await runBlock(programs, {}, (facts) => {
    // Whatever else the machine did: here the judge is judged.
    for (const stretch of facts.accounts.flatMap(({ stretches }) => stretches)) Object.assign(stretch, { offBegin: 0, offEnd: 0 })
    const now = judge(programs, facts, 'busy')
    checkSums(programs, facts)
    checkOrder(facts)
    const wrongNow = new Set(now.misfits.map(({ program }) => program))
    const idOf = (row) => Number(row.route.split('/x')[1])
    const moved = facts.rows.filter((row) => !wrongNow.has(idOf(row)) && row.io_ns >= MOVED_NS && (now.widths.get(idOf(row)) ?? Infinity) < MOVED_NS)
    assert.ok(moved.length > 0)
    const rows = facts.rows.map((row) => moved.includes(row) ? { ...row, io_ns: row.io_ns - MOVED_NS, queue_ns: row.queue_ns + MOVED_NS } : row)
    const found = new Set(judge(programs, { ...facts, rows }, 'busy').misfits.map(({ program }) => program))
    for (const row of moved) assert.ok(found.has(idOf(row)), JSON.stringify(COMPONENTS.map((name) => row[`${name}_ns`])))
  })
})

/** The components of a truth are a latency, wherever within their ranges they are. */
function checkSums (programs, facts) {
  const truths = new Truths(facts)
  for (const { id, body } of programs) {
    const row = facts.rows.find(({ route }) => route === `${body ? 'POST' : 'GET'} /p/x${id}`)
    if (!row) continue
    const { latency, io, queue, exec } = truths.of(truths.byId.get(id), row)
    assert.ok(io[0] + queue[0] + exec[0] <= latency[0] + 1 && io[1] + queue[1] + exec[1] >= latency[0] - 1, `program ${id}: ${[io, queue, exec]} in ${latency}`)
  }
}

/** One thread runs one stretch at a time; only what an emitter calls runs within another. */
function checkOrder ({ accounts }) {
  const all = accounts.flatMap(({ id, stretches }) => stretches.map((stretch) => ({ id, ...stretch }))).sort((a, b) => a.begin - b.begin)
  let last = all[0]
  for (const each of all.slice(1)) {
    assert.ok(each.begin >= last.end || each.ready.is === 'emitted', `${each.kind} of ${each.id} began ${last.end - each.begin} ns before the end of ${last.kind} of ${last.id}`)
    if (each.end > last.end) last = each
  }
}
