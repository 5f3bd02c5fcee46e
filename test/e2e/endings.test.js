'use strict'

// However a process ends, its trace is readable, and what it answered before
// its last flush is in it.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const http = require('node:http')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { report, reportedRequests, request, startApp } = require('./recorded-app')

const KILLS = Number(process.env.EDGEWISE_TEST_KILLS ?? 20)
// The flush period, the drain's look, and a machine that is late with both.
const MISSING_MS = 120 + 80

/** @returns {bigint} */
const now = () => process.hrtime.bigint()

async function load (app, agent, answered) {
  for (let number = 0; ; number++) {
    try {
      const from = now()
      await request(app.port, number % 3 ? `/user/${number}` : `/timer/${number}`, { agent })
      answered.push({ from, to: now() })
    } catch {
      return // The process is gone.
    }
  }
}

for (const [name, code] of /** @type {const} */ ([['exit', 3], ['throw', 1]])) {
  test(name === 'exit' ? 'process.exit()' : 'an uncaught exception', async (t) => {
    const app = await startApp(t, 'http.js')
    for (let number = 0; number < 50; number++) await request(app.port, `/user/${number}`)
    await request(app.port, `/${name}`)
    assert.equal((await app.ended).code, code)
    if (name === 'throw') assert.match(app.stderr, /meant to be uncaught/)
    const { requests, problems } = report(app.out)
    assert.deepEqual([requests.count, requests.lost, problems], [51, 0, []])
  })
}

for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) {
  test(`${signal} ends the process as it would without us`, async (t) => {
    const app = await startApp(t, 'http.js')
    for (let number = 0; number < 50; number++) await request(app.port, `/user/${number}`)
    app.child.kill(signal) // Before the last of it was due to be flushed.
    assert.equal((await app.ended).signal, signal)
    const { requests, problems } = report(app.out)
    assert.deepEqual([requests.count, problems], [50, []])
  })
}

test('SIGTERM in flight mode writes what is held', async (t) => {
  const app = await startApp(t, 'http.js', { env: { EDGEWISE_MODE: 'flight' } })
  for (let number = 0; number < 50; number++) await request(app.port, `/user/${number}`)
  app.child.kill('SIGTERM')
  assert.equal((await app.ended).signal, 'SIGTERM')
  assert.equal(report(app.out).requests.count, 50)
})

test('a handler that goes before it raises the signal again', async (t) => {
  const app = await startApp(t, 'http.js', { env: { EDGEWISE_MODE: 'flight' } })
  for (let number = 0; number < 50; number++) await request(app.port, `/user/${number}`)
  await request(app.port, '/once/SIGTERM')
  app.child.kill('SIGTERM')
  assert.equal((await app.ended).signal, 'SIGTERM')
  assert.equal(report(app.out).requests.count, 51)
})

for (const [what, env] of /** @type {[string, any][]} */ ([['recorded', {}], ['boosted', { EDGEWISE_ENABLED: '0', EDGEWISE_BOOST: 'gc', EDGEWISE_BOOST_ACTUATOR: 'none' }]])) {
  test(`a worker that is ended while it starts ends alone: ${what}`, async (t) => {
    const app = await startApp(t, 'ending-workers.js', { env })
    const { code, signal } = await app.ended
    assert.deepEqual([code, signal], [0, null], app.stderr)
  })
}

const OWN_PIDS = ['unshare', '--pid', '--fork', '--kill-child']
const ownPids = spawnSync(OWN_PIDS[0], [...OWN_PIDS.slice(1), 'true'], { encoding: 'utf8' })

// As PID 1 of a container Node ignores a signal that has no handler.
test('a signal that PID 1 ignores', { timeout: 30_000, skip: ownPids.status !== 0 && `no process can be PID 1 here: ${ownPids.error ?? ownPids.stderr}` }, async (t) => {
  const app = await startApp(t, 'http.js', { wrapper: OWN_PIDS, env: { EDGEWISE_MODE: 'flight' } })
  for (let round = 0; round < 3; round++) {
    for (let number = 0; number < 20; number++) await request(app.port, `/user/${number}`)
    assert.equal((await request(app.port, '/signal/SIGTERM')).body, 'alive\n')
    assert.equal((await request(app.port, '/dump')).body, 'dumped\n')
  }
  assert.deepEqual(await app.stop(), { code: 0, signal: null })
  const { requests, problems } = report(app.out)
  assert.deepEqual([requests.count, requests.lost, problems], [66, 0, []])
})

test(`SIGKILL at ${KILLS} random instants`, async (t) => {
  for (let kill = 0; kill < KILLS; kill++) {
    const app = await startApp(t, 'http.js')
    const agent = new http.Agent({ keepAlive: true, maxSockets: 4 })
    const answered = []
    const loads = Array.from({ length: 4 }, () => load(app, agent, answered))
    await sleep(Math.random() * 500)
    app.child.kill('SIGKILL')
    const killed = now()
    await app.ended
    await Promise.all(loads)
    agent.destroy()
    checkKilled(app, answered, killed, kill)
  }
})

// Requests are the same in number and order: the earliest answered are reported.
function checkKilled (app, answered, killed, kill) {
  const due = answered.filter(({ to }) => Number(killed - to) / 1e6 > MISSING_MS).length
  let rows
  try {
    rows = reportedRequests(app.out)
  } catch (error) {
    // Killed before the first flush: nothing was due.
    assert.equal(due, 0, `kill ${kill}: ${error.message}`)
    return
  }
  const { problems } = report(app.out)
  assert.ok(rows.length >= due, `kill ${kill}: ${rows.length} requests are reported, ${due} had been answered ${MISSING_MS} ms before`)
  assert.ok(problems.every(({ what }) => /cut|trunc|end/i.test(what)), `kill ${kill}: ${JSON.stringify(problems)}`)
  for (const row of rows) assert.equal(row.io_ns + row.queue_ns + row.exec_ns, row.latency_ns)
}
