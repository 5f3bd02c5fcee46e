'use strict'

// Several services under one load, for an experiment on them: started where
// they do not run, watched, and stopped where we have started them.

const { setTimeout: sleep } = require('node:timers/promises')
const { findSocket } = require('../control')
const { cpuList, cpusOf, quotaOf, sharing } = require('../slow/cores')
const { cutsOf } = require('../slow/cuts')
const { Experiment, LONGEST_PAUSE_NS } = require('../slow/experiment')
const { against, asJson, whole } = require('../slow/result')
const { describe, start } = require('./child')
const { EXIT, Failure, note } = require('./failure')
const { listenersOf, treeOf } = require('./process-tree')
const { recordedEnvironment } = require('./recording')
const { CHILD_STDIO, listening } = require('./server')

/** @typedef {import('../slow/services').Service} Service */
/** @typedef {import('./child').Child} Child */
/** @typedef {{ service: Service, child: Child | null, pids: number[] }} Started child: null where it ran already */

const GRACE_MS = 5000
const COUNT_MS = 5000
const LOOK_MS = 50
/** Of the processors of a service: below, it is not what limits them all. */
const BUSY = 0.9

/**
 * @param {Service[]} services the one that users ask first
 * @param {any} options of the command line; load: a shell command; quietLoad: what it prints is for nobody; directory: for sockets; program: the poker
 * @param {AbortSignal} interrupted
 * @returns {Promise<Record<string, any> | null>} what was found; null: interrupted before there was anything
 * @throws {Failure}
 */
async function withServices (services, options, interrupted) {
  /** @type {Started[]} */
  const started = []
  const over = new AbortController()
  const signal = AbortSignal.any([interrupted, over.signal])
  /** @type {Child | null} */
  let load = null
  try {
    const url = await startAll(services, started, options, interrupted)
    if (url === null) return null
    const running = await countable(started, options)
    const notes = refuseUnfit(running, options)
    load = await startLoad(url, running, options)
    endWith(over, [...started, { service: { name: 'the load' }, child: load }])
    note(`${services[0].name} listens on ${url}; ${options.warmup} s of load to warm up`)
    await sleep(1000 * options.warmup, undefined, { signal })
    return await experiment(running, { ...options, notes, signal, stopped: interrupted })
  } catch (error) {
    if (interrupted.aborted) return null
    throw over.signal.aborted ? over.signal.reason : error
  } finally {
    await load?.stop(GRACE_MS)
    for (const { child } of [...started].reverse()) await child?.stop(GRACE_MS)
  }
}

/**
 * The first last: it asks the others.
 * @returns {Promise<string | null>} where that listens; null: interrupted
 */
async function startAll (services, started, { directory, wait, port }, interrupted) {
  const env = { ...recordedEnvironment(process.env, directory), EDGEWISE_ENABLED: '0' }
  let url = null
  for (const service of [...services.slice(1), services[0]]) {
    const { pid, name } = service
    const child = pid === undefined ? await launch(service, env) : null
    started.push({ service, child, pids: [] })
    if (child) note(`starting ${name}: ${service.command.join(' ')}`)
    const isFirst = service === services[0]
    const found = child
      ? await listening(child, { wait, port: isFirst ? port : undefined }, interrupted).catch((error) => { throw new Failure(`${name}: ${error.message}`) })
      : listenersOf(treeOf(pid)).find((listener) => !port || listener.port === port)
    if (interrupted.aborted) return null
    if (isFirst && !found) throw new Failure(`${name}: process ${pid} listens on no TCP port; --port names the port`)
    if (found) url = `http://${found.address}:${found.port}`
  }
  started.reverse()
  for (const each of started) each.pids = treeOf(each.child?.pid ?? each.service.pid)
  return url
}

/** @param {Service} service @param {NodeJS.ProcessEnv} env @returns {Promise<Child>} */
function launch ({ command = [], shell, cpus, env: own, cwd }, env) {
  const line = shell ? ['/bin/sh', '-c', `exec ${command[0]}`] : command
  return start(placed(line, cpus), { env: { ...env, ...own }, stdio: CHILD_STDIO, ...cwd && { cwd } })
}

/** @param {string[]} line @param {string | undefined} cpus */
const placed = (line, cpus) => cpus === undefined ? line : ['taskset', '-c', cpus, ...line]

/**
 * @param {Started[]} started
 * @param {any} options
 * @returns {Promise<import('../slow/experiment').Running[]>}
 * @throws {Failure} a service that must count its requests does not
 */
async function countable (started, { target, calls }) {
  const running = []
  for (const [i, { service: { name }, child, pids }] of started.entries()) {
    if (pids.length === 0) throw new Failure(`${name}: there is no process ${child?.pid ?? started[i].service.pid}`)
    if (pids.includes(process.pid)) throw new Failure(`${name}: its processes include this command, which cannot pause itself`, EXIT.usage)
    const must = i === 0 || (name === target && calls === undefined)
    running.push({ name, pids, counted: await socketsOf(pids, must), cpus: cpusOf(pids) })
    if (must && running[i].counted.length === 0) throw new Failure(uncounted(name, i === 0))
  }
  return running
}

/** @param {string} name @param {boolean} first */
function uncounted (name, first) {
  const how = 'its requests are counted by edgewise in it, and it does not answer: it must be a server of Node.js, started here or with `node --require edgewise/register` (EDGEWISE_ENABLED=0 is enough)'
  return first
    ? `${name} is what users ask: ${how}. Make the first server of Node.js behind it the first service`
    : `${name} is the target: ${how}; or say with --calls how often a request of a user asks it`
}

/** @param {number[]} pids @param {boolean} must wait for one @returns {Promise<string[]>} control sockets */
async function socketsOf (pids, must) {
  for (const deadline = performance.now() + COUNT_MS; ; await sleep(LOOK_MS)) {
    const found = pids.flatMap((pid) => {
      try {
        return [findSocket(pid)]
      } catch {
        return []
      }
    })
    if (found.length > 0 || !must || performance.now() > deadline) return found
  }
}

/**
 * @param {import('../slow/experiment').Running[]} running
 * @param {any} options
 * @returns {string[]} what is to be said of the result
 * @throws {Failure} pauses would say nothing
 */
function refuseUnfit (running, { target }) {
  const { refused, shared } = sharing(running, target)
  if (refused) throw new Failure(refused, EXIT.usage)
  for (const { name, pids } of running) {
    const quota = pids.map((pid) => quotaOf(pid)).find(Boolean)
    if (quota) throw new Failure(`${name} has a quota of processor time (${quota}): who was paused makes up for it before the period ends, so that pauses say nothing. Give it processors instead (cpuset, taskset)`)
  }
  return shared.length > 0 ? [`${shared.join(', ')} share processors with each other: that is counted, as all of them are paused together`] : []
}

/** @param {string} url @param {import('../slow/experiment').Running[]} running @param {any} options */
function startLoad (url, running, { load, quietLoad, loadCpus, target }) {
  const taken = new Set(running.flatMap(({ cpus }) => [...cpus]))
  const free = [...cpusOf([process.pid])].filter((cpu) => !taken.has(cpu))
  const own = running.find(({ name }) => name === target)
  const cpus = loadCpus ?? cpuList(free.length > 0 ? free : own?.cpus ?? [])
  const env = { ...process.env, EDGEWISE_ENABLED: '0', PORT: new URL(url).port, URL: url }
  return start(placed(['/bin/sh', '-c', load], cpus), { env, stdio: quietLoad ? ['ignore', 'ignore', 'inherit'] : CHILD_STDIO })
}

/** @param {AbortController} over @param {{ service: { name: string }, child: Child | null }[]} all */
function endWith (over, all) {
  for (const { service, child } of all) {
    child?.done.then((end) => over.abort(new Failure(`${service.name} ${describe(end)} before all was measured${service.name === 'the load' ? ': let it last longer' : ''}`)))
  }
}

/**
 * @param {import('../slow/experiment').Running[]} running
 * @param {any} options
 * @returns {Promise<Record<string, any>>}
 * @throws {Failure}
 */
async function experiment (running, { notes, stopped, by, repetitions, for: seconds, ...options }) {
  const setup = { ...options, services: running, seconds, say: (/** @type {string} */ text) => note(`run ${text}`) }
  const experiment = new Experiment(setup)
  try {
    const looked = await experiment.look()
    const cuts = cutsOf(by, looked.targetNs)
    for (const cut of cuts) refuseLong(cut, experiment.pauseOf(cut), options)
    note(`${options.target} takes ${(looked.targetNs / 1000).toFixed(0)} µs of a processor a request, and is asked ${looked.calls.toFixed(2)} times by a request of a user`)
    await experiment.run(cuts, repetitions).catch((error) => { if (!stopped.aborted) throw error })
    return resultOf(experiment, { ...options, looked, cuts, notes, running })
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    throw error instanceof Failure || options.signal.aborted ? error : new Failure(message)
  } finally {
    await experiment.close()
  }
}

/** @param {{ name: string }} cut @param {number} pauseNs @param {any} options */
function refuseLong ({ name }, pauseNs, { batch }) {
  if (pauseNs <= LONGEST_PAUSE_NS) return
  throw new Failure(`--by ${name}: the others would be paused for ${(pauseNs / 1e6).toFixed(0)} ms at once, and more than ${LONGEST_PAUSE_NS / 1e6} ms is no slowdown: --batch ${batch} must be smaller`, EXIT.usage)
}

/** @param {Experiment} experiment @param {any} options */
function resultOf (experiment, { target, batch, looked, cuts, notes, running }) {
  const runs = whole(experiment.runs)
  const bases = runs.filter(({ cut }) => cut === null).map(({ throughput }) => throughput)
  const common = { schema: 1, target, batch, repetitions: bases.length }
  if (bases.length === 0) return common
  const idle = /** @type {string} */ (runs.find(({ cut }) => cut !== null && !cuts.some(({ name }) => name === cut))?.cut)
  const services = running.map(({ name, cpus }, /** @type {number} */ i) => ({ name, cpus: cpuList(cpus), busy: looked.services[i].busy }))
  const limits = services.some(({ busy }, /** @type {number} */ i) => busy >= BUSY * Math.min(1, running[i].cpus.size))
  const said = [
    ...notes,
    ...cuts.filter(({ ns }) => ns > looked.targetNs).map(({ name }) => `${target} takes less than ${name} of a processor a request: it can be that much faster only if it waits for something of its own`),
    ...limits ? [] : ['no service keeps a processor busy: a lock or another inner limit holds them, or the load does not saturate them (--connections)']
  ]
  return {
    ...common,
    calls: looked.calls,
    parallel: looked.parallel,
    target_ns: looked.targetNs,
    throughput: bases.reduce((sum, each) => sum + each, 0) / bases.length,
    cuts: cuts.map(({ name, ns }) => ({ name, ns, ...asJson(against(runs, name)) })),
    idle: { name: idle, ...asJson(against(runs, idle)) },
    services,
    notes: said,
    runs
  }
}

module.exports = { withServices }
