'use strict'

// Runs one truth program under the recorder, drives it, and compares.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { loadReporter } = require('../../lib/native/binding')
const { findPatchedNode } = require('../../lib/native/patched-node')
const { Client } = require('./client')
const { compareCausality, componentErrors, expectedComponents, unseenPerStep } = require('./comparison')

const REGISTER = path.join(__dirname, '../../lib/register.js')

/**
 * @param {any} program test/truth/programs/NAME.js; `inspect` sees the trace before it goes
 * @param {'events' | 'promises' | 'patched'} level of causality on this Node; or on the patched one
 * @returns {Promise<any>} what it compared
 */
async function runProgram (program, level) {
  const node = level === 'patched' ? findPatchedNode().file : process.execPath
  const settings = level === 'patched' ? {} : { EDGEWISE_CAUSALITY: level }
  return inDirectory(async (out, testimony) => {
    const ran = await drive(program, { node, args: ['--require', REGISTER], env: { ...settings, EDGEWISE_OUT: out }, testimony })
    const result = compare({ ...ran, out, testimony: readTestimony(testimony) })
    await program.inspect?.(out, result)
    return result
  })
}

/**
 * Without the recorder, and with another tool in its place.
 * @param {any} program test/truth/programs/NAME.js
 * @param {string} observer of observers.js
 * @returns {Promise<any[]>} what the processes and threads told
 */
async function observeProgram (program, observer) {
  return inDirectory(async (out, testimony) => {
    await drive(program, { node: process.execPath, args: [], env: { TRUTH_OBSERVER: observer }, testimony })
    return readTestimony(testimony)
  })
}

async function inDirectory (task) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-truth-'))
  const testimony = path.join(root, 'truth')
  fs.mkdirSync(testimony)
  try {
    return await task(path.join(root, 'trace'), testimony)
  } finally {
    if (process.env.TRUTH_KEEP) console.log(`kept: ${root}`)
    else fs.rmSync(root, { recursive: true, force: true })
  }
}

/** Keeps what else the machine does out of the times, where we are allowed to. */
function takePrecedence (pid) {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_HIGHEST)
  } catch {} // Without it, more runs need a second attempt.
}

async function drive (program, { node, args, env, testimony }) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(EDGEWISE_|NODE_)/.test(name))
  const more = await program.prepare?.(node) ?? {}
  const child = spawn(node, [...program.flags ?? [], ...args, program.file], {
    env: { ...Object.fromEntries(kept), ...more, ...env, TRUTH_DIRECTORY: testimony },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc']
  })
  takePrecedence(child.pid)
  takePrecedence(process.pid)
  let stderr = ''
  child.stderr?.on('data', (data) => { stderr += data })
  const ended = once(child, 'close')
  try {
    const started = await Promise.race([
      once(child, 'message').then(([message]) => message),
      ended.then(() => { throw new Error(`${program.name} ended before it listened: ${stderr}`) })
    ])
    const client = new Client(started)
    await program.drive(client)
    await client.sleep(20) // Finish events of the last response.
    client.close()
    child.send('stop')
    const [code, signal] = await ended
    if (code !== 0) throw new Error(`${program.name} ended with ${code ?? signal}: ${stderr}`)
    return { ledger: client.ledger, stderr }
  } finally {
    child.kill('SIGKILL')
  }
}

function readTestimony (directory) {
  return fs.readdirSync(directory).map((file) => JSON.parse(fs.readFileSync(path.join(directory, file), 'utf8')))
}

function report (out, options) {
  return JSON.parse(loadReporter().report(out, options))
}

function compare ({ ledger, stderr, out, testimony }) {
  const requestsPath = path.join(out, 'requests.jsonl')
  const whole = report(out, { requestsPath })
  const rows = fs.readFileSync(requestsPath, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  const compared = []
  const missing = []
  for (const { process, thread, requests } of testimony) {
    for (const truth of requests) {
      if (truth.end === null) continue // Given up by its client.
      const mine = rows.filter((row) => row.route === truth.route && row.process === process && row.thread === thread)
      if (mine.length !== 1) {
        missing.push(`${truth.route} is reported ${mine.length} times`)
        continue
      }
      compared.push(compareRequest({ truth, row: mine[0], out, ledger, others: requests }))
    }
  }
  const unseen = unseenPerStep(compared)
  for (const each of compared) each.errors = componentErrors(each.row, each.expected, unseen * each.truth.path.length)
  return { ledger, stderr, whole, rows, compared, missing, testimony, unseen }
}

function compareRequest ({ truth, row, out, ledger, others }) {
  const { process, thread, id } = row
  const { request, dependencies } = report(out, { process, thread, request: id, route: row.route })
  const expected = expectedComponents(truth, ledger.sent.get(truth.route), row)
  return {
    truth,
    row,
    request,
    dependencies,
    expected,
    warm: truth.route.split('/').at(-1).startsWith('w'),
    causality: compareCausality(truth, request, others)
  }
}

module.exports = { observeProgram, runProgram }
