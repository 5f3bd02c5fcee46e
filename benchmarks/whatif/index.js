'use strict'

// How far predictions of `edgewise whatif` are off: each change is predicted
// from one recording, then made, and recorded again.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const edgewise = require('../../lib')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { main, say } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { NAMES } = require('../apps/app')
const { interruptible } = require('../apps/run')
const { publish } = require('../shared/page-file')
const { mayRunInRealTime } = require('../shared/real-time')
const { cellsOf, measured } = require('./cells')
const { judge } = require('./judge')
const { othersSections, page } = require('./page')
const { AS_IT_IS, WARMUP_S, capacitiesOf, recorded } = require('./record')
const synthetic = require('./synthetic')

const PUBLISHED = path.join(ROOT, 'docs', 'whatif-accuracy.md')
const USAGE = `Usage: npm run bench:whatif -- [options]

Records servers, predicts what changes do to them, makes the changes, and
compares. Needs root: servers run in real time, so that nothing else on the
machine displaces them.

  --apps LIST      of synthetic, ${NAMES.join(', ')} (all)
  --levels LIST    of the saturation throughput, in % (40,60)
  --rounds N       of all changes (6)
  --duration S     that a run measures, after 3 s of warm-up (15)
  --json FILE      the results, run by run
  --page FILE      the page (docs/whatif-accuracy.md after a whole measurement)`
const ALL = ['synthetic', ...NAMES]
/** Of the saturation throughput, where what a change brings to each route is measured. */
const ALONE = 0.2
const ALONE_SEED = 5000

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    apps: { type: 'string', default: ALL.join(',') },
    levels: { type: 'string', default: '40,60' },
    rounds: { type: 'string', default: '6' },
    duration: { type: 'string', default: '15' },
    json: { type: 'string' },
    page: { type: 'string' }
  }, problem)
  const options = { apps: values.apps.split(','), levels: values.levels.split(',').map(Number), rounds: Number(values.rounds), duration: Number(values.duration) }
  /** @type {any[]} */
  const runs = []
  await interruptible(async (signal) => {
    for (const name of options.apps) await measure(name, options, runs, { signal, json: values.json })
  })
  const machine = `${os.cpus().length} x ${os.cpus()[0].model}, Node ${process.version}`
  const whole = options.apps.length === ALL.length && options.rounds >= 6
  const text = page({ machine, options, runs }) + othersSections(fs.readFileSync(PUBLISHED, 'utf8'), ALL)
  publish(text, { page: values.page, whole }, PUBLISHED)
}

function problem (values) {
  const unknown = values.apps.split(',').find((name) => !ALL.includes(name))
  if (unknown !== undefined) return `--apps ${unknown}: there are ${ALL.join(', ')}`
  if (!values.levels.split(',').every((level) => Number(level) >= 5 && Number(level) <= 90)) return `--levels ${values.levels}: numbers from 5 to 90, separated by commas`
  for (const name of ['rounds', 'duration']) {
    if (!(Number(values[name]) >= 1)) return `--${name} ${values[name]}: a number, at least 1`
  }
  return mayRunInRealTime() ? undefined : 'needs root: servers run in real time'
}

async function measure (name, { levels, rounds, duration }, runs, { signal, json }) {
  const app = name === 'synthetic' ? synthetic : name
  const [saturated] = (await capacitiesOf(app, [], signal)).values()
  say(`${name}: ${saturated.toFixed(0)} requests/s at saturation`)
  const cells = []
  for (const cell of cellsOf(name)) cells.push(cell.alone ? await measuredAlone(app, cell, { rate: saturated * ALONE, duration, signal }) : cell)
  for (let round = 1; round <= rounds; round++) {
    for (const level of levels) {
      const rate = Math.max(1, Math.round(saturated * level / 100))
      const record = (cell) => recorded(app, { rate: rate * (cell.load ?? 1), duration, seed: round + (cell.seed ?? 0), env: cell.env, nodeArgs: cell.nodeArgs, signal })
      const { judged, predicted } = await judgeAll(cells, record)
      const capacities = await capacitiesOf(app, cellsOf(name), signal)
      const capacity = [...capacities].flatMap(([cell, came]) => predicted.has(cell) ? [{ cell, came, predicted: predicted.get(cell) }] : [])
      runs.push({ app: name, level, round, judged, capacity })
      for (const { cell, came, predicted: expected } of capacity) say(`${name} ${level} % round ${round}: capacity, ${cell} ${(100 * (expected / came - 1)).toFixed(1)} %`)
      for (const { cell, percentile, predicted, came } of judged) say(`${name} ${level} % round ${round}: ${cell} ${percentile} ${(100 * (predicted / came - 1)).toFixed(1)} %`)
      if (json) fs.writeFileSync(json, JSON.stringify(runs))
    }
  }
}

/** @returns {Promise<import('./cells').Cell>} the cell with what it changes */
async function measuredAlone (app, cell, load) {
  const demands = []
  for (const { env, nodeArgs } of [{ env: {}, nodeArgs: [] }, cell]) {
    const directory = await recorded(app, { ...load, seed: ALONE_SEED, env, nodeArgs })
    demands.push((await edgewise.whatif(directory, { skip: WARMUP_S, replications: 2 })).fit.demands)
    fs.rmSync(directory, { recursive: true })
  }
  return { ...cell, ...measured(demands[0], demands[1]) }
}

/**
 * Each change beside the server as it is, recorded right before: what else the machine's host does changes within minutes.
 */
async function judgeAll (cells, record) {
  const judged = []
  const predicted = new Map()
  for (const cell of cells) {
    const base = await record({})
    try {
      const scenarios = cell.changes.length > 0 ? [{ name: cell.name, changes: cell.changes }] : []
      const { fit, scenarios: [scenario] } = await edgewise.whatif(base, { skip: WARMUP_S, scenarios })
      predicted.set(AS_IT_IS, fit.capacity) // The latest.
      if (scenario?.capacity) predicted.set(cell.name, scenario.capacity[1])
      else if (scenario) say(`${cell.name}: refused: ${scenario.refused}`)
      if (!scenario || scenario.capacity) judged.push(...await judgeOne(cell, { scenario, fit, requests: await requestsOf(base) }, record))
    } finally {
      fs.rmSync(base, { recursive: true })
    }
  }
  return { judged, predicted }
}

async function judgeOne (cell, before, record) {
  const after = await record(cell)
  try {
    const { fit: came } = await edgewise.whatif(after, { skip: WARMUP_S, replications: 2 })
    return judge(cell.name, { ...before, came, path: cell.path })
  } finally {
    fs.rmSync(after, { recursive: true })
  }
}

async function requestsOf (directory) {
  const file = path.join(directory, 'requests.jsonl')
  await edgewise.reportAsync(directory, { skip: WARMUP_S, requestsPath: file, slowest: 0 })
  return fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
}

main(run)
