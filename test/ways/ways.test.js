'use strict'

// Every way into JavaScript that a server meets is an event of its own: its type, what registered it, when it was ready
// and when it began, as its program knows. On the Node at hand, or on NODE_UNDER_TEST.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { after, before, test } = require('node:test')
const { loadReporter } = require('../../lib/native/binding')
const { timedTest } = require('../e2e/attempts')
const { plainEnvironment } = require('../e2e/recorded-app')
const { DELAY, SPIN_AFTER } = require('./times')
const { ways } = require('./ways')

const NODE = process.env.NODE_UNDER_TEST || process.execPath
const ROUNDS = 3
const RUNS = 4 // at most
// A busy machine: what is written here of 2 processors took 3 ms at most.
const TOLERANCE_NS = 3e6
/** Of what waits behind a long turn most may be so where others take both processors. */
const MOST_LATE = 0.4

const major = Number(process.env.NODE_UNDER_TEST ? require('node:child_process').execFileSync(NODE, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' }) : process.versions.node.split('.')[0])
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** A connection whose answers end in `x`. */
async function connect (port) {
  const socket = net.connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1').on('error', () => {})
  await once(socket, 'connect')
  const waiting = []
  socket.on('data', (data) => { if (data.endsWith('\r\n\r\nx')) waiting.shift()() })
  return {
    get: (path) => new Promise((resolve, reject) => {
      const overdue = setTimeout(() => reject(new Error(`${path} is not answered`)), 20_000)
      waiting.push(() => { clearTimeout(overdue); resolve(undefined) })
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
    }),
    end: () => socket.destroy()
  }
}

/** A run of all ways: its report, and what the programs know. */
let run
let runs = 0
const roots = []
const children = []
const routeOf = (name, state) => `/${encodeURIComponent(name)}/${state}`
const has = (name) => (ways[name].since ?? 0) <= major

async function runAll () {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-ways-'))
  roots.push(root)
  const out = path.join(root, 'trace')
  const child = spawn(NODE, ['--require', path.join(__dirname, '../../lib/register.js'), path.join(__dirname, 'server.js')], {
    env: { ...plainEnvironment(), EDGEWISE_OUT: out, ...(process.env.WAYS_IO_URING ? { UV_USE_IO_URING: '1' } : {}) },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc']
  })
  children.push(child)
  let stderr = ''
  try { for (const pid of [child.pid, process.pid]) os.setPriority(pid, os.constants.priority.PRIORITY_HIGHEST) } catch {}
  child.stderr.on('data', (data) => { stderr += data })
  const [{ port }] = await Promise.race([once(child, 'message'), once(child, 'close').then(() => { throw new Error(stderr) })])
  const [one, two] = [await connect(port), await connect(port)]
  for (let i = 0; i < 5; i++) await Promise.all([one.get('/spin/warm'), two.get('/spin/warm')])
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of Object.keys(ways).filter(has)) {
      await one.get(routeOf(name, 'idle'))
      await sleep(5)
      if (ways[name].once) continue
      const asked = one.get(routeOf(name, 'behind'))
      await sleep(SPIN_AFTER)
      await Promise.all([asked, two.get(routeOf('spin', 'behind'))])
    }
  }
  one.end(); two.end()
  child.send('tell')
  const [{ requests: truth, partner }] = await once(child, 'message')
  child.send('stop')
  await once(child, 'close')
  const requestsPath = path.join(root, 'requests.jsonl')
  loadReporter().report(out, { requestsPath })
  const rows = fs.readFileSync(requestsPath, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  run = { out, truth, partner, stderr, rows: rows.filter((row) => row.process === child.pid && row.thread === 0) }
  runs++
}

before(runAll)
after(() => {
  for (const child of children) child.kill('SIGKILL')
  for (const root of roots) {
    if (process.env.KEEP) console.log(root)
    else fs.rmSync(root, { recursive: true, force: true })
  }
})

/** By a run that all ways share: so many of them there are. */
const judgedTest = (name, judge) => timedTest(name, judge, async () => {
  if (runs === RUNS) return false
  await runAll()
  return true
})

/** What the reports say of the requests of a way, beside what their program knows. */
function requestsOf (name, state) {
  const route = `GET ${routeOf(name, state)}`
  const known = run.truth.filter((one) => one.route === route)
  const found = run.rows.filter((row) => row.route === route)
  assert.equal(found.length, known.length, `${route}: ${found.length} requests of ${known.length}`)
  return found.map((row, i) => {
    const { request } = JSON.parse(loadReporter().report(run.out, { process: row.process, thread: row.thread, request: row.id }))
    return { row, known: known[i], request }
  })
}

for (const [name, way] of Object.entries(ways)) {
  if (!has(name)) continue
  for (const state of way.once ? ['idle'] : ['idle', 'behind']) {
    judgedTest(`${name}, ${state}`, () => {
      const requests = requestsOf(name, state).map(judged)
      const seen = requests.map(({ told }) => told).join('\n')
      assert.ok(requests.length >= ROUNDS)
      for (const { known } of requests) assert.equal(known.failed, '')
      // Most of them: another way may come in between on a busy machine.
      const types = [].concat(way.type)
      const right = requests.filter(({ step }) => types.includes(step.type))
      assert.ok(right.length > requests.length / 2, `the type is ${types}:\n${seen}`)
      const kinds = mayBeLate(way) ? [...way.ready, 'upper-bound'] : way.ready
      assert.ok(right.filter(({ step }) => kinds.includes(step.ready_kind)).length > right.length / 2, `ready is ${way.ready}:\n${seen}`)
      if (way.cause !== 'none') assert.ok(right.every(({ step }) => !step.inferred), `the cause is known:\n${seen}`)
      near('begins', right.map(({ begin, known }) => begin - known.entered), seen)
      if (way.by) near('is ready', right.map((one) => wrongBy(one, readinessOf(way.by, one.known))), seen)
    })
  }
}

/** On a machine with no processor to spare the watcher comes late, and the report says so. */
const mayBeLate = (way) => way.ready.includes('observed') && way.by === 'partner'

judgedTest('what another process answers is observed, but for a few that are late', () => {
  const answered = Object.entries(ways).filter(([name, way]) => has(name) && mayBeLate(way) && !way.ready.includes('upper-bound'))
  const steps = answered.flatMap(([name]) => ['idle', 'behind'].flatMap((state) => requestsOf(name, state).map((one) => judged(one).step)))
  const late = steps.filter((step) => step.ready_kind === 'upper-bound')
  assert.ok(steps.length >= 2 * ROUNDS * answered.length)
  assert.ok(late.length < MOST_LATE * steps.length, `${late.length} of ${steps.length} are late`)
})

/** The event in which a request ended: its continuations are slices of it, ready when they were resolved. */
function judged ({ row, known, request }) {
  let at = request.path.length - 1
  while (at > 0 && request.path[at].slice && request.path[at].ready_kind === 'resolved') --at
  const step = request.path[at]
  const begin = request.start_ns + step.begin_ns
  const ready = begin - step.queue_ns
  const ms = (ns) => (ns / 1e6).toFixed(1)
  const told = `${step.type}/${step.ready_kind}${step.inferred ? ' inferred' : ''}: ready ${ms(ready - known.asked)}, begins ${ms(begin - known.asked)} ` +
    `(known: ${ms(known.entered - known.asked)}) after the request; I/O ${ms(row.io_ns)}, queueing ${ms(row.queue_ns)}; ${request.path.map(({ type }) => type)}`
  return { known, step, begin, ready, told }
}

/** Between which times it was ready. */
function readinessOf (by, { asked, entered, ready }) {
  if (by === 'itself') return ready
  if (by === 'timer') return { from: asked + DELAY * 1e6, to: asked + DELAY * 1e6 }
  if (by === 'at once') return { from: asked, to: entered }
  return run.partner.filter(({ from, to }) => from >= asked && from <= entered).at(-1)
}

/** What is an upper bound may be late. */
function wrongBy ({ ready, step }, { from, to }) {
  if (ready < from) return ready - from
  return ready > to && step.ready_kind !== 'upper-bound' ? ready - to : 0
}

function near (what, errors, seen) {
  const error = median(errors)
  assert.ok(Math.abs(error) <= TOLERANCE_NS, `${what} ${(error / 1e6).toFixed(1)} ms from where it does:\n${seen}`)
}

test('nothing on stderr', () => assert.equal(run.stderr.replace(/^.*ExperimentalWarning.*\n.*\n/m, ''), ''))
