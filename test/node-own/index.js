'use strict'

// Node's own tests on the patched Node, tracking off and on: npm run test:node.
// What fails there and passes on the unpatched build of the same tree is new.

const { parseArguments } = require('../../scripts/tasks/arguments')
const { TaskError, capture, main } = require('../../scripts/tasks/step')
const { patchedTree } = require('../../scripts/tasks/build-node')
const { findBuilds } = require('../../benchmarks/patched/builds')
const { runTests } = require('./runner')

const PRELOAD = require.resolve('./preload')

const GROUPS = ['async-hooks', ...['async', 'child-process', 'cluster', 'event', 'fs', 'http', 'microtask', 'net', 'next-tick', 'promise',
  'snapshot', 'stream', 'timers', 'tls', 'v8', 'vm', 'worker'].map((name) => `parallel/test-${name}*`)]
const USAGE = `Usage: npm run test:node [-- [--jobs N] [PATTERN ...]]

Runs Node's own tests on the patched Node, with tracking off and with tracking
on from the first line. Tests that fail are run on the unpatched build of the
same tree, under the same conditions; what passes there is run once more on the
patched one, and is a new failure if it fails again. Exit code 1: there are some.

  PATTERN    of Node's tests, as parallel/test-http-* or async-hooks
             (${GROUPS.join(' ')})
  --jobs N   tests at a time (2)`

/** @param {string[]} args */
async function run (args) {
  const { values, positionals } = parseArguments(args, USAGE, { jobs: { type: 'string', default: '2' } }, ({ jobs }) =>
    /^[1-9]\d*$/.test(jobs) ? undefined : `--jobs ${jobs}: must be a whole number above 0`)
  const builds = await findBuilds()
  const patterns = positionals.length > 0 ? positionals : GROUPS
  const tracking = { NODE_OPTIONS: `--require=${PRELOAD}`, TRACKING_ADDON: builds.addon }
  refuseUntracked(builds.patched, tracking)
  const settings = { tree: patchedTree(), jobs: values.jobs }
  const found = []
  for (const [way, env] of Object.entries({ off: {}, on: tracking })) {
    const { failed, text } = await compare(way, builds, patterns, { ...settings, env })
    console.log(text)
    found.push(...failed.map((name) => `${name} (tracking ${way})`))
  }
  if (found.length > 0) throw new TaskError(`New failures:\n  ${found.join('\n  ')}`)
  console.log('No new failure.')
}

async function compare (way, { patched, unpatched }, patterns, settings) {
  const title = `tracking ${way}`
  const log = `node-own-${way}`
  const again = (node, on, names) => names.length === 0
    ? []
    : runTests(node, names, { ...settings, title: `${title}: ${names.length} failed, once more on the ${on} Node`, log: `${log}-${on}` })
  const first = await runTests(patched, patterns, { ...settings, title, log })
  const suspects = failures(first)
  const also = failures(await again(unpatched, 'unpatched', suspects))
  const failed = failures(await again(patched, 'patched', suspects.filter((name) => !also.includes(name))))
  const passed = first.filter(({ outcome }) => outcome === 'passed').length
  const skipped = first.filter(({ outcome }) => outcome === 'skipped').length
  const once = suspects.length - also.length - failed.length
  return {
    failed,
    text: `${title}: ${first.length} tests, ${passed} passed, ${skipped} skipped by themselves, ${once} passed when run again, ` +
      `${failed.length} new failures; ${also.length} fail on the unpatched Node too${also.length > 0 ? `: ${also.join(', ')}` : ''}`
  }
}

// Without it the second way would be the first once more.
function refuseUntracked (node, env) {
  const { ok, stderr } = capture([node, '-e', 'process.exit(require(process.env.TRACKING_ADDON).on() ? 0 : 1)'], { env: { ...process.env, ...env } })
  if (!ok) throw new TaskError(`${node} does not track events with ${PRELOAD}${stderr ? `: ${stderr}` : ''}`)
}

const failures = (results) => results.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name)

main(run)
