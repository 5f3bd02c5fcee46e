'use strict'

// How fast, and in how much memory, the recordings of many processes become one
// report: npm run bench:fleet.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { setup } = require('../../scripts/tasks/setup')
const { TaskError, main, say } = require('../../scripts/tasks/step')
const { BUILD, ROOT } = require('../../scripts/tasks/tree')

const REPLICATE = path.join(BUILD, 'benchmarks/fleet/replicate_trace')
const USAGE = `Usage: npm run bench:fleet -- [options]

Records a service that asks another one, replays both as if as many pairs of
them had run, and reports on all. Prints what that took, for several sizes.

  --processes LIST  in all (2,20,200)
  --requests N      of each that asks (5000)`

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, { processes: { type: 'string', default: '2,20,200' }, requests: { type: 'string', default: '5000' } },
    ({ processes, requests }) => processes.split(',').every((/** @type {string} */ count) => Number(count) >= 2 && Number(count) <= 510 && Number(count) % 2 === 0) && Number(requests) >= 100
      ? undefined
      : `--processes ${processes} --requests ${requests}: even numbers from 2 to 510, and at least 100 requests`)
  await setup()
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-fleet-'))
  try {
    const traces = await recordedPair(directory, Number(values.requests))
    for (const count of values.processes.split(',').map(Number)) {
      const found = joined(replicated(directory, traces, count / 2))
      if (found.joined !== found.calls) throw new TaskError(`${count} processes: ${found.joined} of ${found.calls} calls were joined`)
      say(`${count} processes: ${(found.events / 1e6).toFixed(2)} M events in ${found.seconds.toFixed(2)} s (${found.cpuSeconds.toFixed(2)} s of processor), ` +
        `${(found.events / found.cpuSeconds / 1e6).toFixed(2)} M events/s a core, ${found.megabytes.toFixed(0)} MB, all ${found.calls} calls joined`)
    }
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

/** @returns {Promise<string[]>} the files of a service that is asked, and of one that asks it */
async function recordedPair (/** @type {string} */ directory, /** @type {number} */ requests) {
  const { inParallel, request, startServer } = require(path.join(ROOT, 'test/e2e/recorded-app'))
  /** @type {(() => void)[]} */
  const cleanups = []
  const scope = { after: (/** @type {() => void} */ step) => { cleanups.push(step) } }
  try {
    const start = (/** @type {string} */ name, /** @type {Record<string, string>} */ env) => startServer(scope, path.join(ROOT, 'test/e2e/apps/chained.js'), { out: path.join(directory, name), env: { EDGEWISE_SERVICE: name, WORK_MS: '0', ...env } })
    const cart = await start('cart', {})
    const shop = await start('shop', { NEXT_PORTS: String(cart.port) })
    await inParallel(requests, (/** @type {number} */ i) => request(shop.port, `/${i % 2 === 0 ? 'even' : 'odd'}`))
    for (const app of [shop, cart]) await app.stop()
    return [cart, shop].flatMap(({ out }) => fs.readdirSync(out).filter((file) => file.endsWith('.ewt')).map((file) => path.join(out, file)))
  } finally {
    for (const step of cleanups.reverse()) step()
  }
}

/** @returns {string[]} the directories of as many pairs */
function replicated (/** @type {string} */ directory, /** @type {string[]} */ traces, /** @type {number} */ pairs) {
  return traces.flatMap((trace) => {
    const out = path.join(directory, `${pairs}-${path.basename(path.dirname(trace))}`)
    execFileSync(REPLICATE, [trace, String(pairs), out])
    return Array.from({ length: pairs }, (_, i) => `${out}-${i + 1}`)
  })
}

/** @param {string[]} directories */
function joined (directories) {
  return JSON.parse(execFileSync(process.execPath, [path.join(__dirname, 'join.js'), ...directories], { encoding: 'utf8', maxBuffer: 1 << 28 }))
}

main(run)
