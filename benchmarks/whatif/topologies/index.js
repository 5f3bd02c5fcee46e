'use strict'

// How far predictions of the throughput are off, on the nine topologies of the
// Slowpoke paper: by arithmetic from recordings, and by pausing the others
// (`edgewise slow`). The truth: the target, really made faster.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout } = require('node:timers/promises')
const { POKER } = require('../../../lib/native/native-files')
const { processorNs } = require('../../../lib/slow/cores')
const { Experiment } = require('../../../lib/slow/experiment')
const { parseArguments } = require('../../../scripts/tasks/arguments')
const { main, say } = require('../../../scripts/tasks/step')
const { ROOT } = require('../../../scripts/tasks/tree')
const { interruptible } = require('../../apps/run')
const { mayRunInRealTime, schedule } = require('../../shared/real-time')
const { byArithmetic } = require('./arithmetic')
const { Deployment } = require('./deployment')
const { errorsOf, section, signed, write } = require('./page')
const { PLACEMENTS, TOPOLOGIES, build, targetOf } = require('./topologies')

const PUBLISHED = path.join(ROOT, 'docs', 'whatif-accuracy.md')
const USAGE = `Usage: npm run bench:topologies -- [options]

Runs each topology with each target and predicts its throughput after the
target's work is cut: by arithmetic from a recording, and by pausing the other
services. Then it is cut. Needs root and two processors: one for the target and
the load generator, one for all others, where they go before all else.

  --topologies LIST  of ${Object.keys(TOPOLOGIES).join(', ')} (all)
  --modes LIST       of sequential, concurrent (both)
  --placements LIST  of ${PLACEMENTS.join(', ')} (all)
  --seconds S        that a run measures (2.5)
  --warmup S         (10)
  --json FILE        the results, kept after each deployment
  --resume           go on with what --json FILE has not
  --page FILE        whose section on topologies is written (docs/whatif-accuracy.md after a whole measurement)`
const CUTS = [0.2, 0.5, 0.8]
/** Requests of users, a round. */
const USERS_A_ROUND = 20
/** Of the target's work, while code is compiled. */
const WARMING_UP = 0.1
/** Until what was asked during the warm-up is answered. */
const SETTLED_S = 1
/** Until code runs as fast without the recording's as it can. */
const CALM_MS = 2000
/** In real time, so that it takes up at once what services count. */
const PRIORITY = 12

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    topologies: { type: 'string', default: Object.keys(TOPOLOGIES).join(',') },
    modes: { type: 'string', default: 'sequential,concurrent' },
    placements: { type: 'string', default: PLACEMENTS.join(',') },
    seconds: { type: 'string', default: '2.5' },
    warmup: { type: 'string', default: '10' },
    json: { type: 'string' },
    resume: { type: 'boolean' },
    page: { type: 'string' }
  }, problem)
  const { json, resume } = values
  /** @type {any[]} */
  const results = resume && json && fs.existsSync(json) ? JSON.parse(fs.readFileSync(json, 'utf8')) : []
  const wanted = values.topologies.split(',').flatMap((topology) => values.modes.split(',').flatMap((mode) => values.placements.split(',').map((placement) => ({ topology, mode, placement }))))
  const isSame = (/** @type {any} */ one) => (/** @type {any} */ other) => ['topology', 'mode', 'placement'].every((key) => one[key] === other[key])
  schedule(process.pid, ['--fifo'], PRIORITY)
  await interruptible(async (signal) => {
    for (const one of wanted.filter((each) => !results.some(isSame(each)))) {
      results.push({ ...one, ...await measure(one, { seconds: Number(values.seconds), warmupS: Number(values.warmup), signal }) })
      tell(results.at(-1))
      if (json) fs.writeFileSync(json, JSON.stringify(results))
    }
  })
  const text = section(results, { machine: `${os.cpus().length} x ${os.cpus()[0].model}, Node ${process.version}`, seconds: values.seconds })
  process.stdout.write(`${text}\n`)
  const whole = results.length === Object.keys(TOPOLOGIES).length * PLACEMENTS.length * 2
  if (values.page ?? whole) write(values.page ?? PUBLISHED, text)
}

function problem (values) {
  const lists = { topologies: Object.keys(TOPOLOGIES), modes: ['sequential', 'concurrent'], placements: PLACEMENTS }
  for (const [name, allowed] of Object.entries(lists)) {
    const unknown = values[name].split(',').find((/** @type {string} */ each) => !allowed.includes(each))
    if (unknown !== undefined) return `--${name} ${unknown}: there are ${allowed.join(', ')}`
  }
  for (const name of ['seconds', 'warmup']) if (!(Number(values[name]) > 0)) return `--${name} ${values[name]}: a number above 0`
  if (values.resume && !values.json) return '--resume: give the file of the results with --json'
  if (os.cpus().length < 2) return 'needs two processors'
  return mayRunInRealTime() ? undefined : 'needs root: services go before all else that runs'
}

async function measure ({ topology, mode, placement }, { seconds, warmupS, signal }) {
  const target = targetOf(topology, placement)
  const built = build(topology, target)
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-topology-'))
  const deployment = new Deployment()
  /** @type {Experiment | undefined} */
  let experiment
  try {
    await deployment.start(built, { target, concurrent: mode === 'concurrent', directory })
    const batch = Math.max(4, Math.round(USERS_A_ROUND * built.calls[target]))
    experiment = new Experiment({ services: await deployment.running(), target, program: POKER, directory, batch, seconds, parallel: 1, signal, say })
    await warmUp(deployment, usOf(built.services, target), 1000 * warmupS)
    signal.throwIfAborted()
    const found = await observe(experiment, deployment, built.services)
    await experiment.close()
    await deployment.stop()
    const cutsNs = found.cuts.map(({ ns }) => ns)
    return { target, ...found, arithmetic: await byArithmetic(deployment.processes, { target, cutsNs, ...found }) }
  } finally {
    await experiment?.close()
    await deployment.stop()
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

/** @param {import('./topologies').Service[]} services @param {string} target @returns {number} its work, µs of spin() */
const usOf = (services, target) => /** @type {import('./topologies').Service} */ (services.find(({ name }) => name === target)).us

/** Code is compiled by how often it has run: all services are asked more often while the target hardly works. */
async function warmUp (deployment, us, ms) {
  await deployment.change(WARMING_UP * us)
  await setTimeout(ms)
  await deployment.change(us)
}

/**
 * Recorded; then without recording as it is, slowed and cut in turn, and as it is once more.
 * @param {Experiment} experiment
 * @param {Deployment} deployment
 * @param {import('./topologies').Service[]} services
 */
async function observe (experiment, deployment, services) {
  const { name, paceNs } = deployment.targetProcess
  const us = usOf(services, name)
  const asItIs = async () => (await experiment.once(null, 1)).throughput
  const cutBy = async (/** @type {number} */ share) => {
    await deployment.change((1 - share) * us)
    const came = await asItIs()
    await deployment.change(us)
    return came
  }
  const pid = /** @type {number} */ (deployment.load?.pid)
  const skipS = deployment.loadedS + SETTLED_S
  const before = processorNs([pid])
  const began = performance.now()
  const recorded = await asItIs()
  const generatorNs = (processorNs([pid]) - before) / ((performance.now() - began) / 1000) / recorded
  await deployment.stopRecording()
  await setTimeout(CALM_MS)
  const first = await asItIs()
  const cuts = []
  for (const share of CUTS) {
    const ns = share * us * paceNs
    const slowed = await experiment.once({ name: `${100 * share} %`, ns }, 1)
    cuts.push({ share, ns, slowed, came: await cutBy(share) })
  }
  return { skipS, generatorNs, first, last: await asItIs(), cuts }
}

function tell (result) {
  const { topology, mode, placement, first } = result
  const { again, came, arithmetic, pauses } = errorsOf(result)
  const each = CUTS.map((share, i) => `${100 * share} % cut: came ${signed(came[i])} %, pauses off by ${signed(pauses[i])} %, arithmetic by ${signed(arithmetic[i])} %`)
  say(`${topology}, ${mode}, ${placement}: ${first.toFixed(0)} requests/s, again ${again.map(signed).join(', ')} %; ${each.join('; ')}`)
}

main(run)
