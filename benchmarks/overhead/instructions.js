'use strict'

// How many instructions recording adds to a request, outside the kernel. What a
// shared machine does meanwhile does not change them: of edgewise's own, two runs
// differ by less than a fiftieth; V8's share differs by some hundred with what it
// has compiled. They are no times.

const fs = require('node:fs')
const path = require('node:path')
const { execFileSync } = require('node:child_process')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { setup } = require('../../scripts/tasks/setup')
const { TaskError, main, say } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { readCounts } = require('./callgrind')
const { SERVERS, saturate, withServer } = require('./cell')
const { installServers } = require('./install')
const { markdown } = require('../shared/markdown')
const { VARIANTS } = require('./variants')

const BASE = 'loaded-off'
const RECORDING = ['events', 'promises', 'shared']
const NAMES = Object.keys(SERVERS)
const START_MS = 120_000
const LOAD_S = 10
// A young generation of one size, or chance says how often it is collected.
const NODE_ARGS = ['--perf-basic-prof', '--min-semi-space-size=16', '--max-semi-space-size=16']
const PARTS = /** @type {[string, (name: string) => boolean][]} */ ([
  ['edgewise, native', (name) => /^(int |void )?edgewise::/.test(name)],
  ['edgewise, JavaScript', (name) => name.startsWith('JS:') && name.includes(` ${ROOT}/lib/`)],
  ['Node.js, V8 and the system', () => true]
])

const USAGE = `Usage: npm run bench:instructions -- [options]

Counts, by callgrind, the instructions of a server's main thread for each
request, with recording off and on. Takes some four minutes a server. What is
done every millisecond (edgewise::ReadClocks) counts some fifty times too often.

  --servers LIST    of ${NAMES.join(',')} (fastify)
  --recording NAME  of ${RECORDING.join(',')} (promises)
  --warmup N        requests before it counts (150000): V8 is to have compiled all
  --requests N      while it counts, at least (20000)
  --rows N          functions that differ most (25)
  --json            print what was counted as JSON
  --no-setup        do not look whether everything is built`

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    servers: { type: 'string', default: 'fastify' },
    recording: { type: 'string', default: 'promises' },
    warmup: { type: 'string', default: '150000' },
    requests: { type: 'string', default: '20000' },
    rows: { type: 'string', default: '25' },
    json: { type: 'boolean', default: false },
    'no-setup': { type: 'boolean', default: false }
  }, problem)
  checkTools()
  if (!values['no-setup']) await setup()
  const servers = await installServers()
  const settings = { servers, serverCpus: '0,1', helperCpus: '0,1', loadCpus: '0,1', connections: 32, requests: Number(values.requests), warmup: Number(values.warmup) }
  const results = []
  for (const server of values.servers.split(',')) {
    say(`${server}: ${values.warmup} requests of warm-up and ${values.requests}, recording off and on side by side`)
    const [off, on] = await Promise.all([BASE, values.recording].map((name) => count(server, name, settings)))
    const functions = differences(off, on)
    results.push({ server, parts: partsOf(functions), functions: functions.slice(0, Number(values.rows)) })
  }
  process.stdout.write(values.json ? `${JSON.stringify({ schema: 1, recording: values.recording, servers: results }, null, 2)}\n` : page(results))
}

function problem ({ servers, recording, warmup, requests, rows }, positionals) {
  if (positionals.length) return `'${positionals[0]}': no such argument`
  const unknown = servers.split(',').find((name) => !NAMES.includes(name))
  if (unknown !== undefined) return `--servers ${unknown}: allowed are ${NAMES.join(', ')}`
  if (!RECORDING.includes(recording)) return `--recording ${recording}: allowed are ${RECORDING.join(', ')}`
  for (const [option, value] of Object.entries({ warmup, requests, rows })) {
    if (!/^[1-9]\d*$/.test(value)) return `--${option} ${value}: a whole number above 0 is needed`
  }
}

function checkTools () {
  try {
    execFileSync('valgrind', ['--version'], { stdio: 'ignore' })
  } catch {
    throw new TaskError('valgrind, which counts, is not here. Next step: install the Debian package valgrind.')
  }
}

/** @returns {Promise<import('./callgrind').Counts>} of one request */
function count (server, name, settings) {
  const variant = /** @type {import('./variants').Variant} */ (VARIANTS.find((one) => one.name === name))
  let file = ''
  const counted = (place) => {
    const { args = [], ...rest } = variant.start(place)
    file = path.join(place.scratch, 'counts')
    const callgrind = ['--tool=callgrind', '--instr-atstart=no', '--separate-threads=yes', `--callgrind-out-file=${file}`]
    return { ...rest, node: 'valgrind', args: [...callgrind, process.execPath, ...NODE_ARGS, ...args], startMs: START_MS }
  }
  return withServer(server, counted, settings, async (running, url) => {
    const map = `/tmp/perf-${running.pid}.map` // V8's own choice.
    try {
      await answer(settings.warmup, running.pid, url, settings)
      control('on', running.pid)
      const requests = await answer(settings.requests, running.pid, url, settings)
      control('off', running.pid)
      await running.stop()
      const counts = readCounts(`${file}-01`, map) // The main thread's.
      return new Map([...counts].map(([of, instructions]) => [of, instructions / requests]))
    } finally {
      fs.rmSync(map, { force: true })
    }
  })
}

/** @returns {Promise<number>} requests that it has answered: so many at least */
async function answer (least, pid, url, settings) {
  let answered = 0
  while (answered < least) {
    const { requests, errors } = await saturate(pid, url, LOAD_S, settings)
    if (requests === 0 || errors > 0) throw new TaskError(`${url}: ${requests} requests were answered in ${LOAD_S} s, ${errors} failed`)
    answered += requests
  }
  return answered
}

function control (how, pid) {
  execFileSync('callgrind_control', ['-i', how, String(pid)], { stdio: 'ignore' })
}

/** @returns {{ name: string, off: number, on: number }[]} what differs most first */
function differences (off, on) {
  const names = new Set([...off.keys(), ...on.keys()])
  return [...names].map((name) => ({ name, off: off.get(name) ?? 0, on: on.get(name) ?? 0 }))
    .sort((a, b) => Math.abs(b.on - b.off) - Math.abs(a.on - a.off))
}

function partsOf (rows) {
  const partOf = (name) => PARTS.find(([, holds]) => holds(name))?.[0]
  const sum = (part) => {
    const within = rows.filter(({ name }) => part === 'all' || partOf(name) === part)
    return { name: part, off: within.reduce((total, one) => total + one.off, 0), on: within.reduce((total, one) => total + one.on, 0) }
  }
  return [...PARTS.map(([part]) => sum(part)), sum('all')]
}

function page (results) {
  const cells = ({ name, off, on }) => [name, off.toFixed(0), on.toFixed(0), (on - off).toFixed(0)]
  return results.map(({ server, parts, functions }) => [
    `## ${server}: instructions of a request, main thread, outside the kernel`, '',
    ...markdown(['part', 'off', 'on', 'difference'], parts.map(cells)), '',
    ...markdown(['function', 'off', 'on', 'difference'], functions.map(cells)), '', ''
  ].join('\n')).join('')
}

if (require.main === module) main(run)

module.exports = { differences, partsOf }
