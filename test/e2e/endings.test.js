'use strict'

// However a process ends, its trace is readable, and what it answered before
// its last flush is in it.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const test = require('node:test')
const { setTimeout: sleep } = require('node:timers/promises')
const { report, reportedRequests, request, startApp, temporaryDirectory } = require('./recorded-app')

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

for (const way of ['exit', 'reallyExit', 'throw']) {
  for (const mode of ['stream', 'flight']) {
    test(`${way} with nobody to be told of it, in ${mode} mode`, async (t) => {
      const app = await startApp(t, 'http.js', { env: { EDGEWISE_MODE: mode } })
      for (let number = 0; number < 50; number++) await request(app.port, `/user/${number}`)
      await request(app.port, `/leave/${way}`)
      await app.ended
      const { requests, problems } = report(app.out)
      assert.deepEqual([requests.count, requests.lost, problems], [51, 0, []])
    })
  }
}

// What nobody can be told of in time: the last flush period may be missing.
for (const signal of ['SIGKILL', 'SIGQUIT', 'SIGUSR2', 'SIGALRM', 'SIGSEGV', 'SIGABRT', 'abort']) {
  for (const mode of ['stream', 'flight']) {
    test(`${signal} in ${mode} mode`, async (t) => {
      const app = await startApp(t, 'http.js', { env: { EDGEWISE_MODE: mode } })
      for (let number = 0; number < 50; number++) await request(app.port, `/user/${number}`)
      await sleep(mode === 'flight' ? 4 * MISSING_MS : MISSING_MS)
      // Whoever has no processor writes late; what is held for a dump no report tells.
      const until = Date.now() + (mode === 'flight' ? 0 : 10_000)
      while (report(app.out).requests.count < 50 && Date.now() < until) await sleep(MISSING_MS)
      if (signal === 'abort') await request(app.port, '/leave/abort')
      else app.child.kill(/** @type {any} */ (signal))
      assert.equal((await app.ended).signal, signal === 'abort' ? 'SIGABRT' : signal)
      const { requests, problems, unended_threads: unended } = report(app.out)
      assert.ok(requests.count >= 50, `${requests.count} requests are reported`)
      assert.deepEqual([requests.lost, problems, unended], [0, [], 1])
    })
  }
}

test('killed in an event that lasts: that the request began is known', async (t) => {
  for (const mode of ['stream', 'flight']) {
    const app = await startApp(t, 'http.js', { env: { EDGEWISE_MODE: mode } })
    for (let number = 0; number < 50; number++) await request(app.port, `/user/${number}`)
    request(app.port, '/busy/30000').catch(() => {})
    await sleep(300 + MISSING_MS)
    app.child.kill('SIGKILL')
    await app.ended
    const { requests, events, unended_threads: unended } = report(app.out)
    assert.deepEqual([requests.count, unended], [50, 1])
    assert.ok(requests.lost + requests.unfinished + events.orphaned > 0, JSON.stringify(requests))
  }
})

test('flight mode holds no more than its quota, and the latest of it outlives the process', async (t) => {
  const MB = 0.25
  const app = await startApp(t, 'http.js', { env: { EDGEWISE_MODE: 'flight', EDGEWISE_MAX_MB: String(MB) } })
  const held = () => fs.readdirSync(app.out).map((name) => fs.statSync(path.join(app.out, name)).size).reduce((sum, size) => sum + size, 0)
  for (let round = 0; round < 12; round++) {
    for (let number = 0; number < 200; number++) await request(app.port, `/timer/${number}`)
    assert.ok(held() < MB * 2 ** 20 + 8192, `${held()} bytes`)
  }
  assert.equal((await request(app.port, '/user/last')).status, 200)
  await sleep(MISSING_MS)
  assert.throws(() => report(app.out, { route: 'GET /user/last' }), /no request of route/, 'it is held for a dump')
  app.child.kill('SIGKILL')
  await app.ended
  const { requests, problems } = report(app.out)
  assert.deepEqual(problems, [])
  assert.ok(requests.count > 200 && requests.count < 2401, `${requests.count} of 2401`)
  assert.equal(reportedRequests(app.out).at(-1).route, 'GET /user/last')
})

test('while it records, the report says so', async (t) => {
  const app = await startApp(t, 'http.js')
  await request(app.port, '/user/1')
  await sleep(MISSING_MS)
  const { recording_threads: recording, unended_threads: unended } = report(app.out)
  assert.deepEqual([recording, unended], [1, undefined])
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

test('two processes of one number', { timeout: 60_000, skip: ownPids.status !== 0 }, async (t) => {
  const out = path.join(temporaryDirectory(t), 'trace')
  const apps = []
  for (let copy = 0; copy < 2; copy++) apps.push(await startApp(t, 'http.js', { wrapper: OWN_PIDS, out }))
  for (const app of apps) {
    for (let number = 0; number < 20; number++) await request(app.port, `/user/${number}`)
    assert.deepEqual(await app.stop(), { code: 0, signal: null })
  }
  assert.deepEqual(fs.readdirSync(out).sort(), ['1-0.1.ewt', '1-0.ewt'])
  const { requests, processes, threads, warnings } = report(out)
  assert.deepEqual([requests.count, processes, threads], [40, 2, 2])
  assert.match(warnings[0], /^several processes had the number 1/)
  const identities = reportedRequests(out).map(({ identity }) => identity)
  assert.deepEqual([identities.length, new Set(identities).size], [40, 2])
})

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
