'use strict'

// Whether edgewise tells the latencies that the client saw, for the same
// requests, and the ready times that the kernel saw.

const fs = require('node:fs')
const Table = require('cli-table3')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { main, say } = require('../../scripts/tasks/step')
const { setup } = require('../../scripts/tasks/setup')
const { installServers } = require('../overhead/install')
const { measure, saturation, SERVERS } = require('./measure')

const NAMES = Object.keys(SERVERS)

// Without a limit, overload is a race for the kernel's accept queue: what it
// turns away waits for the client's next try, which no server sees.
const LIMIT = ['--connections', '1000']

/** @type {Record<string, (most: number) => string[]>} most: requests/s at saturation */
const LOADS = {
  'half load': (most) => ['--rate', (0.5 * most).toFixed(1), ...LIMIT],
  overload: (most) => ['--rate', (1.1 * most).toFixed(1), ...LIMIT],
  // A queue without new connections.
  '64 connections': () => ['--closed', '--connections', '64']
}

const USAGE = `Usage: npm run bench:accuracy -- [options]

Compares the latencies that edgewise reconstructs with those the client measured
(from its send until its kernel has the response) at 50 % load, in overload (110 %) and
with 64 connections always busy, and the ready times with the kernel's (root
only). Exit code 1 when a quantile is off by more than 3 % and 100 µs, or a
request is missing; connections that the kernel turned away excuse it.

  --servers LIST      of ${NAMES.join(',')} (all)
  --seconds S         of each measurement (4)
  --causality LEVEL   events or promises (edgewise's default)
  --server-cpus LIST  processors of the server, as taskset takes them (0)
  --load-cpus LIST    processors of the load generator (1)
  --json FILE         all numbers
  --generator FILE    the load generator (default: the one scripts/setup builds)
  --no-setup          do not look whether everything is built`

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    servers: { type: 'string', default: NAMES.join(',') },
    seconds: { type: 'string', default: '4' },
    causality: { type: 'string' },
    'server-cpus': { type: 'string', default: '0' },
    'load-cpus': { type: 'string', default: '1' },
    json: { type: 'string' },
    generator: { type: 'string' },
    'no-setup': { type: 'boolean', default: false }
  }, problem)
  if (!values['no-setup']) await setup()
  const settings = {
    seconds: Number(values.seconds),
    causality: values.causality,
    serverCpus: values['server-cpus'],
    loadCpus: values['load-cpus'],
    generator: values.generator,
    servers: await installServers()
  }
  const results = []
  for (const server of values.servers.split(',')) {
    const most = await saturation(server, settings)
    say(`${server}: ${Math.round(most)} requests/s at saturation, recorded`)
    for (const [load, shape] of Object.entries(LOADS)) {
      results.push({ load, ...await measure(server, shape(most), settings) })
    }
  }
  process.stdout.write(view(results))
  if (values.json) fs.writeFileSync(values.json, JSON.stringify({ schema: 1, node: process.version, results }, null, 1) + '\n')
  if (results.some((result) => failures(result).length > 0 && !result.overflows)) process.exitCode = 1
}

function problem (values, positionals) {
  if (positionals.length) return `'${positionals[0]}': no such argument`
  const unknown = values.servers.split(',').find((name) => !NAMES.includes(name))
  if (unknown !== undefined) return `--servers ${unknown}: allowed are ${NAMES.join(', ')}`
  if (!(Number(values.seconds) > 0)) return `--seconds ${values.seconds}: a number above 0 is needed`
  if (!['events', 'promises', undefined].includes(values.causality)) return `--causality ${values.causality}: allowed are events, promises`
  return undefined
}

/** @returns {string[]} what does not agree */
function failures ({ counts, quantiles }) {
  const { client, recorded, dropped, errors } = counts
  // What the client gave up, the server may have answered.
  const complete = recorded >= client && recorded <= client + errors
  return [
    ...complete ? [] : [`${recorded} of ${client} requests`],
    ...errors > 0 ? [`${errors} failed at the client`] : [],
    ...dropped > 0 ? [`${dropped} events dropped`] : [],
    ...quantiles.filter(({ within }) => !within).map(({ name }) => name)
  ]
}

const us = (/** @type {number} */ ns) => (ns / 1e3).toFixed(0)

function view (results) {
  const head = ['server', 'load', 'requests', 'p50', 'p99', 'p99.9', 'each: p50', 'p99', 'ready: p1', 'p50', 'p99', '']
  const table = new Table({ head, style: { head: [], border: [] } })
  for (const result of results) {
    const wrong = failures(result)
    table.push([
      result.server,
      result.load,
      result.counts.recorded,
      ...result.quantiles.map(({ clientNs, recordedNs }) => `${us(recordedNs)} (${us(clientNs)})`),
      us(result.each.p50),
      us(result.each.p99),
      ...result.ready && 'p50' in result.ready ? [us(result.ready.p1), us(result.ready.p50), us(result.ready.p99)] : ['', '', ''],
      wrong.length ? `differs: ${wrong.join(', ')}` : 'agrees'
    ])
  }
  return `${table.toString()}\n${legend(results)}`
}

function legend (results) {
  const lines = ['In µs: recorded (client); each: |recorded - client| of one request; ready: recorded - kernel, the ready time of its first bytes.']
  const unavailable = new Set(results.flatMap(({ ready }) => ready?.unavailable ?? []))
  for (const reason of unavailable) lines.push(`The kernel's ready times are unavailable: ${reason}.`)
  for (const { server, load, overflows } of results.filter((result) => result.overflows > 0)) {
    lines.push(`${server}, ${load}: the kernel turned ${overflows} connections away (backlog full); the client's latencies contain its new tries.`)
  }
  for (const { server, load } of results.filter(({ lagged }) => lagged)) {
    lines.push(`${server}, ${load}: the load generator itself was late (p99 above 1 ms).`)
  }
  return lines.map((line) => `${line}\n`).join('')
}

main(run)
