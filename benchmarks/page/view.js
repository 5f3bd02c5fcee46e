'use strict'

// How long does a page that asks wait for its answers, and what do they cost?

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const Table = require('cli-table3')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { setup } = require('../../scripts/tasks/setup')
const { main, say, TaskError } = require('../../scripts/tasks/step')
const { BUILD, ROOT } = require('../../scripts/tasks/tree')
const { median } = require('../../lib/statistics')
const { readColumns } = require('../../lib/page/app/data/columns')

const EVENTS = [6e6, 6e7]
const WINDOWS = 200
const SELECTIONS = 60
/** Parts of a window, as the page asks for it. */
const PARTS = 8192

const USAGE = `Usage: npm run bench:view -- [options]

Writes traces of many events, serves them with edgewise view, and asks for ${WINDOWS} windows
of the loop, from all of the recording to a millionth of it, and for the slowest of
${SELECTIONS} selections: how long until the address is there, how much memory and disk it
takes, and how long the answers take.

  --events LIST    how many, separated by commas (${EVENTS.join(',')})
  --seed N         of the windows and selections (1)
  --no-setup       do not look whether everything is built`

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    events: { type: 'string', default: EVENTS.join(',') },
    seed: { type: 'string', default: '1' },
    'no-setup': { type: 'boolean', default: false }
  }, problem)
  if (!values['no-setup']) await setup()
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-bench-view-'))
  try {
    const rows = []
    for (const events of values.events.split(',').map(Number)) {
      rows.push(await measure(path.join(directory, String(events)), events, randomFrom(Number(values.seed))))
      say(`${events} events: done`)
    }
    console.log(table(rows))
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

function problem ({ events, seed }) {
  if (!events.split(',').every((/** @type {string} */ text) => Number.isInteger(Number(text)) && Number(text) > 0)) return `--events ${events}: must be whole numbers above 0, separated by commas`
  if (!/^\d+$/.test(seed)) return `--seed ${seed}: must be a whole number`
  return undefined
}

/** @param {string} directory @param {number} events @param {() => number} random @returns {Promise<Record<string, number>>} s, ms, bytes */
async function measure (directory, events, random) {
  const written = spawnSync(path.join(BUILD, 'benchmarks', 'analysis', 'analysis_scale'), ['--write', directory, String(events)], { encoding: 'utf8' })
  if (written.status !== 0) throw new TaskError(`analysis_scale: exit code ${written.status}\n${written.stderr}`)
  const bytes = fs.readdirSync(directory).reduce((sum, name) => sum + fs.statSync(path.join(directory, name)).size, 0)
  const began = performance.now()
  const child = spawn(process.execPath, [path.join(ROOT, 'bin', 'edgewise.js'), 'view', directory], { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const [chunk] = await Promise.race([once(child.stdout, 'data'), once(child.stdout, 'end')])
    if (!chunk) throw new TaskError('edgewise view has ended')
    const ready = (performance.now() - began) / 1e3
    const address = String(chunk).trim()
    const { columns: { head: { windows: [{ to_ns: span }] } } } = await asked(`${address}window?from=0&to=999999999999999&least=1000000000`)
    const windows = []
    for (let i = 0; i < WINDOWS; i++) windows.push((await asked(`${address}window?${windowOf(span, i, random)}`)).ms)
    const selections = []
    for (let i = 0; i < SELECTIONS; i++) selections.push((await asked(`${address}requests?${selectionOf(span, i, random)}`)).ms)
    const { disk, memory } = used(Number(child.pid))
    return { events, bytes, ready, memory, disk, window: median(windows), slowestWindow: Math.max(...windows), selection: median(selections), slowestSelection: Math.max(...selections) }
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

async function asked (address) {
  const began = performance.now()
  const response = await fetch(address)
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (!response.ok) throw new TaskError(`${address}: ${response.status}`)
  return { ms: performance.now() - began, columns: readColumns(bytes) }
}

/** @param {number} span @param {number} i @param {() => number} random */
function stretchOf (span, i, random) {
  const length = Math.max(1000, Math.floor(span / 2 ** (i % 20)))
  const from = Math.floor(random() * (span - length))
  return { from, to: from + length, length }
}

function windowOf (span, i, random) {
  const { from, to, length } = stretchOf(span, i, random)
  return `from=${from}&to=${to}&least=${Math.max(1, Math.floor(length / PARTS))}`
}

/** Any of a stretch of time; a band of latency; one route. */
function selectionOf (span, i, random) {
  const { from, to } = stretchOf(span, i % 12, random)
  const least = 10 ** (5 + i % 3)
  return `from=${from}&to=${to}&count=20${i % 2 ? `&least=${least}&most=${2 * least}` : ''}${i % 3 ? '' : '&route=2'}`
}

/** @param {number} pid */
function used (pid) {
  const memory = 1024 * Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  const files = fs.readdirSync(`/proc/${pid}/fd`).map((fd) => path.join(`/proc/${pid}/fd`, fd))
  const unnamed = files.filter((file) => fs.readlinkSync(file).endsWith(' (deleted)'))
  return { memory, disk: unnamed.reduce((sum, file) => sum + fs.statSync(file).size, 0) }
}

/** The same ones each time. @param {number} seed */
function randomFrom (seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function table (rows) {
  const view = new Table({ head: ['events', 'trace, MB', 'ready, s', 'memory, MB', 'disk, MB', 'a window, ms', 'slowest', 'a selection, ms', 'slowest'], style: { head: [], border: [] } })
  const mb = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(0)
  view.push(...rows.map((row) => [row.events, mb(row.bytes), row.ready.toFixed(1), mb(row.memory), mb(row.disk), row.window.toFixed(0), row.slowestWindow.toFixed(0), row.selection.toFixed(0), row.slowestSelection.toFixed(0)]))
  return `${view}`
}

module.exports = { run }

if (require.main === module) main(run)
