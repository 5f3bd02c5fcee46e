'use strict'

// How long does a person wait for the page, and how large is its file?

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { spawnSync } = require('node:child_process')
const { pathToFileURL } = require('node:url')
const Table = require('cli-table3')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { setup } = require('../../scripts/tasks/setup')
const { main, say, TaskError } = require('../../scripts/tasks/step')
const { BUILD, ROOT } = require('../../scripts/tasks/tree')
const { launchChromium } = require('../../test/page/browsers')
const { median } = require('../../lib/statistics')

const REQUESTS = [1e3, 1e5, 1e6]
const EVENTS_PER_REQUEST = 10
const RUNS = 5
const FRAMES = 60

const USAGE = `Usage: npm run bench:page -- [options]

Writes traces of many requests, makes their pages and opens them in Chromium: how long
a report takes with its page and without, how large the page is, and how long a person
waits for it to open, for a selection, and for a frame while the loop is moved.

  --requests LIST  how many, separated by commas (${REQUESTS.join(',')})
  --runs N         of each (${RUNS}); medians are told
  --json FILE      all figures
  --no-setup       do not look whether everything is built`

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    requests: { type: 'string', default: REQUESTS.join(',') },
    runs: { type: 'string', default: String(RUNS) },
    json: { type: 'string' },
    'no-setup': { type: 'boolean', default: false }
  }, problem)
  if (!values['no-setup']) await setup()
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-bench-page-'))
  const browser = await launchChromium()
  try {
    const rows = []
    for (const requests of values.requests.split(',').map(Number)) {
      rows.push(await measure(browser, path.join(directory, String(requests)), requests, Number(values.runs)))
      say(`${requests} requests: done`)
    }
    if (values.json) fs.writeFileSync(values.json, JSON.stringify(rows))
    console.log(table(rows))
  } finally {
    await browser.close()
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

function problem ({ requests, runs }) {
  const good = (/** @type {string} */ text) => /^[1-9]\d*(e\d)?$/.test(text)
  if (!requests.split(',').every(good)) return `--requests ${requests}: must be whole numbers above 0, separated by commas`
  if (!good(runs)) return `--runs ${runs}: must be a whole number above 0`
  return undefined
}

/** @returns {Promise<Record<string, number>>} medians: ms, bytes */
async function measure (browser, directory, requests, runs) {
  checked(path.join(BUILD, 'benchmarks', 'analysis', 'analysis_scale'), ['--write', directory, String(requests * EVENTS_PER_REQUEST)])
  const file = path.join(directory, 'page.html')
  /** @type {Record<string, number[]>} */
  const all = { report: [], again: [], html: [], open: [], select: [], frame: [] }
  for (let i = 0; i < runs; i++) {
    for (const [name, more] of /** @type {[string, string[]][]} */ ([['report', []], ['html', ['--html', file]], ['again', []]])) {
      const began = performance.now()
      checked(process.execPath, [path.join(ROOT, 'bin', 'edgewise.js'), 'report', directory, ...more])
      all[name].push(performance.now() - began)
    }
    const seen = await watched(browser, file)
    for (const [name, value] of Object.entries(seen)) all[name].push(value)
  }
  const ratios = (/** @type {string} */ name) => median(all[name].map((ms, i) => ms / all.report[i]))
  const medians = Object.fromEntries(Object.entries(all).map(([name, list]) => [name, median(list)]))
  return { requests, ...medians, ratio: ratios('html'), aa: ratios('again'), bytes: fs.statSync(file).size }
}

/** @param {import('puppeteer-core').Browser} browser @param {string} file */
async function watched (browser, file) {
  const page = await browser.newPage()
  try {
    await page.setViewport({ width: 1200, height: 900 })
    await page.goto(pathToFileURL(file).href)
    await page.waitForSelector('h1')
    // The page marks when it was drawn, since the navigation began.
    await page.waitForFunction(() => performance.getEntriesByName('shown').length > 0)
    const open = await page.evaluate(() => performance.getEntriesByName('shown')[0].startTime)
    const select = await page.evaluate(async (/** @type {number[]} */ hashes) => {
      const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      const times = []
      for (const ms of hashes) {
        const began = performance.now()
        location.hash = `#l=${ms * 1e6}-`
        await new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }))
        await drawn()
        times.push(performance.now() - began)
      }
      return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]
    }, [1, 2, 5, 10, 20])
    const frame = await page.evaluate(async (/** @type {number} */ frames) => {
      const next = () => new Promise((resolve) => requestAnimationFrame(resolve))
      await next()
      const began = performance.now()
      for (let i = 0; i < frames; i++) {
        dispatchEvent(new KeyboardEvent('keydown', { key: i % 20 < 10 ? 'd' : 'a', bubbles: true }))
        await next()
      }
      return (performance.now() - began) / frames
    }, FRAMES)
    return { open, select, frame }
  } finally {
    await page.close()
  }
}

function checked (command, args) {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) throw new TaskError(`${path.basename(command)} ${args.join(' ')}: exit code ${status}\n${stderr}`)
}

function table (rows) {
  const view = new Table({ head: ['requests', 'report, s', 'with its page', '(again)', 'file, MB', 'to open, ms', 'a selection, ms', 'a frame, ms'], style: { head: [], border: [] } })
  view.push(...rows.map(({ requests, report, ratio, aa, bytes, open, select, frame }) => [requests, (report / 1e3).toFixed(2), ratio.toFixed(2), aa.toFixed(2), (bytes / 1e6).toFixed(2), open.toFixed(0), select.toFixed(0), frame.toFixed(1)]))
  return `${view}`
}

module.exports = { run }

if (require.main === module) main(run)
