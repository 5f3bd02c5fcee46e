'use strict'

// Runs programs in one server under the recorder, with a backend of its own, and
// gives all that is known of them: by the server, backend and client, and by the report.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { loadReporter } = require('../../lib/native/binding')
const { Client } = require('./client')
const { generate } = require('./plan')

const REGISTER = path.join(__dirname, '../../lib/register.js')
const WARM_SEED = 4711
const WARM = { scale: 0.1, gap: 6 }
const WARM_COUNT = 120
const AFTERWARDS_MS = 300

/**
 * @typedef {object} Facts
 * @property {any[]} accounts of the server's ledger
 * @property {Record<string, { ms: number, arrived: number, from: number, to: number }>} answers of the backend, by question; after ms, as it was told
 * @property {Map<number | string, any>} sent by the client, by program
 * @property {any[]} rows of the report, one a request
 * @property {any} whole the report
 * @property {(row: any) => any[]} pathOf a row's critical path, as the report tells it
 */

/**
 * @template T
 * @param {import('./plan').Program[]} programs
 * @param {{ node?: string, causality?: string, told?: () => void }} options
 * @param {(facts: Facts) => T} use while the trace is there
 * @returns {Promise<T>}
 */
async function runBlock (programs, { node = process.execPath, causality, told }, use) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-random-'))
  const children = []
  try {
    const backend = start(children, process.execPath, [path.join(__dirname, 'backend.js'), path.join(root, 'backend')])
    const after = Math.max(0, ...programs.map(({ id }) => id)) + 1
    const warm = generate(WARM_SEED, WARM_COUNT, WARM).map((each) => ({ ...each, id: each.id + after, ...each.behind !== undefined ? { behind: each.behind + after } : {} }))
    for (let i = 0; i < warm.length; i++) if (warm[i].abandon) delete warm[i].abandon
    const plan = path.join(root, 'plan.json')
    const ledgerFile = path.join(root, 'ledger.json')
    fs.writeFileSync(plan, JSON.stringify({ programs: [...programs, ...warm], backend: await backend.message(), ledgerFile }))
    const out = path.join(root, 'trace')
    const server = start(children, node, ['--require', REGISTER, path.join(__dirname, 'server.js'), plan], { EDGEWISE_OUT: out, ...causality ? { EDGEWISE_CAUSALITY: causality } : {} })
    const client = new Client((await server.message()).port)
    const failed = server.ended.then(() => { throw new Error('the server ended early') })
    await Promise.race([client.run(warm).then(() => client.run(programs, told)), failed])
    failed.catch(() => {})
    await sleep(AFTERWARDS_MS) // What has lost a race goes on.
    client.close()
    await sleep(20)
    const answers = backend.ask()
    server.child.send('stop')
    await server.ended
    return use({ ...reportOf(out), accounts: JSON.parse(fs.readFileSync(ledgerFile, 'utf8')), answers: (await answers).answers, sent: client.sent })
  } finally {
    for (const child of children) child.kill('SIGKILL')
    if (process.env.RANDOM_KEEP) console.log(`kept: ${root}`)
    else fs.rmSync(root, { recursive: true, force: true })
  }
}

function start (children, file, args, more = {}) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(EDGEWISE_|NODE_)/.test(name))
  // In a session of its own: many kernels share the processors out by session first.
  const child = spawn(file, args, { env: { ...Object.fromEntries(kept), ...more }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'], detached: true })
  children.push(child)
  takePrecedence(child.pid)
  let stderr = ''
  child.stderr?.on('data', (data) => { stderr += data })
  const ended = once(child, 'close').then(([code, signal]) => {
    if (code !== 0) throw new Error(`${path.basename(args.find((each) => each.startsWith(__dirname)) ?? file)} ended with ${code ?? signal}: ${stderr}`)
  })
  ended.catch(() => {})
  const message = () => Promise.race([once(child, 'message').then(([each]) => each), ended.then(() => { throw new Error(`it ended: ${stderr}`) })])
  return { child, ended, message, ask: () => { child.send('tell'); return message() } }
}

/** Keeps what else the machine does out of the times, where we are allowed to. */
function takePrecedence (pid) {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_HIGHEST)
  } catch {} // Without it, bounds are wider.
}

function reportOf (out) {
  const requestsPath = path.join(out, 'requests.jsonl')
  const report = (options) => JSON.parse(loadReporter().report(out, options))
  const whole = report({ requestsPath })
  const rows = fs.readFileSync(requestsPath, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const pathOf = ({ process, thread, id }) => report({ process, thread, request: id }).request.path
  return { whole, rows, pathOf }
}

module.exports = { runBlock }
