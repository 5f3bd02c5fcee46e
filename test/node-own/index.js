'use strict'

// Node's own tests, npm run test:node: on the patched Node, tracking off and on;
// or on a stock one while edgewise records. What fails there and passes on the
// Node without is new.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { TaskError, capture, main } = require('../../scripts/tasks/step')
const { patchedTree, provideTree } = require('../../scripts/tasks/build-node')
const { provideAddon } = require('../../scripts/tasks/build-addon')
const { findBuilds } = require('../../benchmarks/patched/builds')
const { runTests } = require('./runner')

const PRELOAD = require.resolve('./preload')
const RECORDER = require.resolve('../../lib/register')

const GROUPS = ['async-hooks', ...['async', 'child-process', 'cluster', 'event', 'fs', 'http', 'microtask', 'net', 'next-tick', 'promise',
  'snapshot', 'stream', 'timers', 'tls', 'v8', 'vm', 'worker'].map((name) => `parallel/test-${name}*`)]
const RECORDED = ['dns', 'http', 'net', 'timers', 'tls'].map((name) => `parallel/test-${name}*`)
const USAGE = `Usage: npm run test:node [-- [--recorded] [--jobs N] [PATTERN ...]]

Runs Node's own tests on the patched Node, with tracking off and with tracking
on from the first line. Tests that fail are run on the unpatched build of the
same tree, under the same conditions; what passes there is run once more on the
patched one, and is a new failure if it fails again. Exit code 1: there are some.

  --recorded   instead, on this Node, with --require edgewise/register; tests
               that fail are run without it
  PATTERN      of Node's tests, as parallel/test-http-* or async-hooks
               (${GROUPS.join(' ')};
               recorded: ${RECORDED.join(' ')})
  --jobs N     tests at a time (2)`

/** @typedef {{ title: string, log: string, node: string, env: NodeJS.ProcessEnv, without: { name: string, node: string, env: NodeJS.ProcessEnv } }} Way */

/** @param {string[]} args */
async function run (args) {
  const { values, positionals } = parseArguments(args, USAGE, { jobs: { type: 'string', default: '2' }, recorded: { type: 'boolean', default: false } }, ({ jobs }) =>
    /^[1-9]\d*$/.test(jobs) ? undefined : `--jobs ${jobs}: must be a whole number above 0`)
  const { ways, tree, groups, end } = values.recorded ? await recordedWays() : await patchedWays()
  const found = []
  try {
    for (const way of ways) {
      const { failed, text } = await compare(way, positionals.length > 0 ? positionals : groups, { tree, jobs: values.jobs })
      console.log(text)
      found.push(...failed.map((name) => `${name} (${way.title})`))
    }
  } finally {
    end()
  }
  if (found.length > 0) throw new TaskError(`New failures:\n  ${found.join('\n  ')}`)
  console.log('No new failure.')
}

/** @returns {Promise<{ ways: Way[], tree: string, groups: string[], end: () => void }>} */
async function patchedWays () {
  const { patched, unpatched, addon } = await findBuilds()
  const tracking = { NODE_OPTIONS: `--require=${PRELOAD}`, TRACKING_ADDON: addon }
  refuseUntracked(patched, tracking)
  const way = (title, env) => ({ title: `tracking ${title}`, log: `node-own-${title}`, node: patched, env, without: { name: 'unpatched', node: unpatched, env } })
  return { ways: [way('off', {}), way('on', tracking)], tree: patchedTree(), groups: GROUPS, end: () => {} }
}

/** @returns {Promise<{ ways: Way[], tree: string, groups: string[], end: () => void }>} */
async function recordedWays () {
  const node = process.execPath
  await provideAddon(node)
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-node-own-trace-'))
  const env = { NODE_OPTIONS: `--require=${RECORDER}`, EDGEWISE_OUT: out }
  const way = { title: 'recorded', log: 'node-own-recorded', node, env, without: { name: 'unrecorded', node, env: {} } }
  return { ways: [way], tree: await provideTree(), groups: RECORDED, end: () => fs.rmSync(out, { recursive: true, force: true }) }
}

/** @param {Way} way */
async function compare ({ title, log, node, env, without }, patterns, settings) {
  const again = (name, on, names) => names.length === 0
    ? []
    : runTests(on.node, names, { ...settings, env: on.env, title: `${title}: ${names.length} failed, once more on the ${name} Node`, log: `${log}-${name}` })
  const first = await runTests(node, patterns, { ...settings, env, title, log })
  const suspects = failures(first)
  const also = failures(await again(without.name, without, suspects))
  const failed = failures(await again('same', { node, env }, suspects.filter((name) => !also.includes(name))))
  const passed = first.filter(({ outcome }) => outcome === 'passed').length
  const skipped = first.filter(({ outcome }) => outcome === 'skipped').length
  const once = suspects.length - also.length - failed.length
  return {
    failed,
    text: `${title}: ${first.length} tests, ${passed} passed, ${skipped} skipped by themselves, ${once} passed when run again, ` +
      `${failed.length} new failures; ${also.length} fail on the ${without.name} Node too${also.length > 0 ? `: ${also.join(', ')}` : ''}`
  }
}

// Without it the second way would be the first once more.
function refuseUntracked (node, env) {
  const { ok, stderr } = capture([node, '-e', 'process.exit(require(process.env.TRACKING_ADDON).on() ? 0 : 1)'], { env: { ...process.env, ...env } })
  if (!ok) throw new TaskError(`${node} does not track events with ${PRELOAD}${stderr ? `: ${stderr}` : ''}`)
}

const failures = (results) => results.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name)

main(run)
