'use strict'

// What is told of requests that ask real servers, by the clients that applications use, behind a delay that is known: times,
// whose the events are, names; and that nothing of what they ask is in a trace.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { after, before, test } = require('node:test')
const { runProgram } = require('../truth/run-program')
const { PROTOCOLS } = require('./clients')
const { judgeRequest, unknownWrongs } = require('./judge')
const { programOf } = require('./program')
const { Proxied } = require('./proxied')
const { secretIn } = require('./secrets')
const { Servers } = require('./servers')
const { tableOf } = require('./table')

const ATTEMPTS = 4
// As in test/truth: for a machine that has nothing else to do.
const MACHINE = process.env.TRUTH_TIMES === 'judge' ? 'idle' : 'busy'

const servers = new Servers()
/** The best of each request, by its route. @type {Map<string, import('./judge').Verdict>} */
const best = new Map()
/** What was wrong, and less so when it was tried again. @type {string[]} */
const once = []
/** @type {string[]} */
const secrets = []
/** @type {any[]} */
const results = []
/** Each request of the first run, to be judged again. @type {((change: (compared: any) => any) => import('./judge').Verdict)[]} */
const judgements = []
const MOVED_NS = 20e6

before(async () => {
  await servers.start()
  let names = Object.keys(servers.places)
  for (let attempt = 1; attempt <= ATTEMPTS && names.length > 0; attempt++) {
    const result = await runProgram(programOf(servers, { only: names, inspect }), 'promises')
    results.push(result)
    const proxied = new Proxied(result.testimony[0].requests, await servers.links())
    for (const each of result.compared) {
      if (!each.truth.protocol || each.warm) continue
      const judgement = (change) => judgeRequest(change(each), proxied, result.ledger.sent, servers.places[each.truth.protocol], MACHINE)
      if (attempt === 1) judgements.push(judgement)
      keepBest(judgement((compared) => compared))
    }
    names = names.filter((name) => [...best.values()].some(({ cell, ...verdict }) => cell.startsWith(`${name} `) && unknownWrongs({ cell, ...verdict }).length > 0))
  }
})
after(() => servers.stop())

/** Every byte that was recorded, and every word that is reported. */
function inspect (out, { whole, compared }) {
  const files = fs.readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const { name, parentPath, path: directory } of /** @type {any[]} */ (files)) {
    const found = secretIn(fs.readFileSync(path.join(parentPath ?? directory, name)))
    if (found) secrets.push(`${name}: ${found}`)
  }
  for (const report of [whole, ...compared.map(({ request, dependencies }) => ({ request, dependencies }))]) {
    const found = secretIn(JSON.stringify(report))
    if (found) secrets.push(`a report: ${found}`)
  }
}

function keepBest (verdict) {
  const before = best.get(verdict.route)
  if (before && unknownWrongs(verdict).length >= unknownWrongs(before).length) return
  if (before) once.push(...unknownWrongs(before).map((what) => `${before.route}: ${what}`))
  best.set(verdict.route, verdict)
}

for (const name of Object.keys(PROTOCOLS)) {
  test(name, (t) => {
    if (servers.missing[name]) return t.skip(servers.missing[name])
    const verdicts = [...best.values()].filter(({ cell }) => cell.startsWith(`${name} `))
    assert.ok(verdicts.length > 0)
    const wrong = verdicts.flatMap((verdict) => unknownWrongs(verdict).map((what) => `${verdict.route}: ${what}`))
    assert.deepEqual(wrong, [], wrong.join('\n'))
  })
}

test('nothing of what was asked is in a trace or a report', () => assert.deepEqual([...new Set(secrets)], []))

test('a secret would be found', () => {
  const { SECRETS, CREDENTIALS, markerOf } = require('./secrets')
  for (const secret of [...Object.values(SECRETS), CREDENTIALS, markerOf(0), markerOf(65_535)]) {
    const piece = secret.slice(7, 16)
    for (const each of [secret, secret.toLowerCase(), piece]) assert.ok(secretIn(Buffer.from(`\0\x01${each}\xff`, 'latin1')), each)
  }
  assert.equal(secretIn('a table items, GET /items/:id, xz'), undefined)
})

test('times that are wrong by 20 ms, other names and another\'s steps are found wrong', () => {
  const isRight = (judgement) => {
    const verdict = judgement((each) => each)
    return ['times', 'whose', 'names'].every((what) => verdict[what].length === 0)
  }
  const some = judgements.filter((judgement, i) => i % 4 === 0)
  const right = some.filter(isRight)
  assert.ok(right.length > some.length / 4, `${right.length} of ${some.length} are right`)
  const moved = (each) => ({ ...each, row: { ...each.row, io_ns: each.row.io_ns - MOVED_NS, queue_ns: each.row.queue_ns + MOVED_NS } })
  const renamed = (each) => ({ ...each, dependencies: each.dependencies.map((one) => ({ ...one, kind: 'amqp' })) })
  const foreign = (each) => ({ ...each, causality: { ...each.causality, foreign: 1 } })
  const found = (change, what) => right.filter((judgement) => judgement(change)[what].length > 0).length
  assert.ok(found(moved, 'times') > 0.9 * right.length, 'a busy machine may leave more than that open')
  assert.equal(found(renamed, 'names'), right.length)
  assert.equal(found(foreign, 'whose'), right.length)
})

test('every request is reported once, and nothing is lost', () => {
  for (const { missing, whole, stderr, ledger } of results) {
    assert.deepEqual(missing, [])
    assert.deepEqual(whole.problems, [])
    assert.equal(whole.requests.count, ledger.answered)
    assert.equal(whole.requests.lost, 0)
    assert.equal(whole.events.dropped, 0)
    assert.equal(stderr, '')
  }
})

test('the table', (t) => {
  for (const line of [...tableOf([...best.values()]).split('\n'), ...once.map((what) => `once: ${what}`)]) t.diagnostic(line)
})
