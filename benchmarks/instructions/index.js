'use strict'

// How many instructions a request is, with something on and off: no clock, so
// that a difference of a thousandth shows on a machine that others use, too.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setup } = require('../../scripts/tasks/setup')
const { elapsed, main, say } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { withServer } = require('../overhead/cell')
const { installServers } = require('../overhead/install')
const { runLoad } = require('../overhead/load')
const { machine } = require('../overhead/machine')
const { pageFile } = require('../overhead/page-file')
const { loadResults, saveResults } = require('../overhead/rounds')
const { readArguments } = require('./arguments')
const { countInstructions, underCallgrind } = require('./callgrind')
const { page, table } = require('./page')
const { SUBJECTS } = require('./subjects')

const PAGE = path.join(ROOT, 'docs', 'instructions.md')

/**
 * @typedef {object} Count of one process
 * @property {string} subject
 * @property {string} server
 * @property {number[]} off instructions a request, before each time that it was on, and after the last
 * @property {number[]} on
 */

/** @param {string[]} args */
async function run (args) {
  const options = readArguments(args)
  if (options.setup) await setup({ groups: ['instructions'] })
  const settings = { ...options, servers: await installServers() }
  const { runs, seconds, warmup, connections } = options
  /** @type {{ schema: number, plan: object, machine: any, counts: Count[] }} */
  const results = loadResults({ schema: 1, plan: { runs, seconds, warmup, connections }, machine: machine(), counts: [] }, options)
  for (const subject of options.subjects) {
    for (const server of SUBJECTS[subject].servers) {
      if (results.counts.some((count) => count.subject === subject && count.server === server)) continue
      const began = Date.now()
      results.counts.push({ subject, server, ...await countServer(subject, server, settings) })
      saveResults(results, options.json)
      say(`${subject}, ${server}: done (${elapsed(began)})`)
    }
  }
  process.stdout.write(`${table(results.counts)}\n`)
  const file = pageFile(options, PAGE)
  if (!file) return
  fs.writeFileSync(file, page(results))
  say(`written: ${file}`)
}

async function countServer (subject, server, settings) {
  const { variant, turn } = SUBJECTS[subject]
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-instructions-'))
  try {
    return await withServer(server, underCallgrind(await variant(), directory), settings, async (running, url) => {
      const count = async () => {
        await saturate(url, settings.warmup, settings)
        return countInstructions(running.pid, directory, () => saturate(url, settings.seconds, settings))
      }
      // Not counted: what the first time compiles, both ways.
      await saturate(url, settings.warmup, settings)
      await turn(running, 'on')
      await saturate(url, settings.warmup, settings)
      await turn(running, 'off')
      const [off, on] = [[await count()], /** @type {number[]} */ ([])]
      for (let i = 0; i < settings.runs; i++) {
        await turn(running, 'on')
        on.push(await count())
        await turn(running, 'off')
        off.push(await count())
      }
      return { off, on }
    })
  } finally {
    fs.rmSync(directory, { recursive: true })
  }
}

/** @returns {Promise<number>} requests that were answered */
async function saturate (url, seconds, { connections, loadCpus, generator }) {
  const { count } = await runLoad(url, ['--closed', '--connections', String(connections), '--duration', String(seconds)],
    { cpus: loadCpus, generator })
  return count
}

main(run)
