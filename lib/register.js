'use strict'

// node --require edgewise/register: records this process as the EDGEWISE_*
// variables say. Never throws: the application goes on, one line tells why.

const fs = require('node:fs')
const path = require('node:path')
const { BroadcastChannel, getEnvironmentData, isMainThread, setEnvironmentData, threadId } = require('node:worker_threads')
const { whenLoaded } = require('./native/binding')
const { STACKS_HZ, readConfig } = require('./config')
const { serve } = require('./control')
const { say } = require('./instrument/say')
const recording = require('./recording')
const { quoted } = require('./shell')

const CHANNEL = 'edgewise-control'
// What is known in this process, also to another copy of this package. Nothing
// lists such data; new threads get it all.
const MARK = `edgewise.registered.${threadId}`
const TOLD = 'edgewise.told'
/** The bytes that all threads share: whether recording is on; whether any but the main one listens. */
const SHARED = { on: 0, heard: 1 }

/** @type {typeof import('./boosting') | null} not loaded by who does not boost: see recording.js */
let boosting = null

// NODE_OPTIONS reaches the command line too, whose own trace would be mixed with
// the one that it is asked about.
function isCommandLine () {
  try {
    return fs.realpathSync(process.argv[1]) === fs.realpathSync(path.join(__dirname, '../bin/edgewise.js'))
  } catch {
    return false // No program, as with -e.
  }
}

function attempt (action, otherwise = 'unrecorded') {
  try {
    return action()
  } catch (error) {
    // Of a full quota one thread tells; the report counts the others.
    if (isMainThread || error.code !== 'RESOURCE_EXHAUSTED') say(`${error.message}; the application goes on ${otherwise}`)
    return undefined
  }
}

function register () {
  const told = attempt(whatIsTold)
  if (!told) return
  const { config, problems, shared } = told
  if (isMainThread) problems.forEach(say)
  const chosen = process.env.EDGEWISE_OUT
  // Cluster workers and child processes record into the same directory.
  if (chosen !== config.out) process.env.EDGEWISE_OUT = config.out
  recording.sayAtEnd(!chosen && isMainThread ? `edgewise: recorded to ${config.out}; read it with: edgewise report ${quoted(config.out)}\n` : '')
  const toThreads = followCommands(config, shared) // Before `on` is read: a command that comes meanwhile is not missed.
  const started = Atomics.load(shared, SHARED.on) && attempt(() => recording.start(config))
  if (started && !chosen && isMainThread) say(`recording to ${config.out}`) // Who is ended by a signal says nothing at the end.
  if (config.boost) attempt(() => boost(config), 'at its normal frequency')
  if (isMainThread) tellOfPatches(recording.status().found?.patched, problems)
  tellOfMissing()
  if (isMainThread) serveCommands(config, shared, toThreads)
}

// Workers obey the main thread: its configuration, and whether recording is on
// now, in memory that all of them see. Their environment may be their own.
function whatIsTold () {
  const known = /** @type {any} */ (isMainThread ? undefined : getEnvironmentData(TOLD))
  if (known) return { ...known, problems: [] }
  const { config, problems } = readConfig()
  const shared = new Uint8Array(new SharedArrayBuffer(2))
  shared[SHARED.on] = Number(config.enabled)
  setEnvironmentData(TOLD, /** @type {any} */ ({ config, shared }))
  return { config, problems, shared }
}

// Of a patched Node: null, this is none; true; or why it cannot be used.
function tellOfPatches (patched, problems) {
  if (typeof patched === 'string') say(`${patched}; recording as on an unpatched Node`)
  const chosen = process.env.EDGEWISE_CAUSALITY && !problems.some((problem) => problem.startsWith('EDGEWISE_CAUSALITY'))
  if (patched === true && chosen) say('EDGEWISE_CAUSALITY has no effect: this patched Node sees every dependency')
}

let toldOfMissing = !isMainThread // Its threads miss the same.

// What the whole recording is worth less without, and no count tells.
function tellOfMissing () {
  const { found } = recording.status()
  if (!found || toldOfMissing) return
  toldOfMissing = true
  if (found.asyncIds !== true) say(`causality is lost, reports will miss what a request waited for: ${found.asyncIds}`)
  if (found.interposition !== true) say(`which connection an event is for is not known: ${found.interposition}`)
  if (typeof found.watcher === 'string') say(`no ready-time watcher, what the kernel does not stamp is an upper bound: ${found.watcher}`)
}

function boost (config) {
  boosting = require('./boosting')
  const { actuator, description, queue } = boosting.start(config)
  if (!isMainThread) return
  say(`boosting (${config.boost}) with ${actuator}: ${description}`)
  if (queue !== true) say(`only collections are seen, not the loop's queue: ${queue}`)
}

// Worker threads follow what the main thread is told.
function followCommands (config, shared) {
  const open = () => {
    const channel = /** @type {any} */ (new BroadcastChannel(CHANNEL))
    channel.unref()
    return channel
  }
  if (isMainThread) {
    // With nobody to tell, no message: it would look like something shared (instrument/following.js).
    let channel = null
    return (command) => {
      if (Atomics.load(shared, SHARED.heard)) (channel ??= open()).postMessage(command)
    }
  }
  open().onmessage = (/** @type {any} */ { data }) => attempt(() => perform(data, config))
  Atomics.store(shared, SHARED.heard, 1)
  return () => {}
}

function perform (command, config) {
  if (command === 'on') {
    recording.start(config)
    tellOfMissing()
  }
  if (command === 'off') recording.stop()
  if (command === 'dump') recording.dump()
  if (command === 'stacks-on') sample(config.stacksHz || STACKS_HZ.usual, config)
  if (command === 'stacks-off') sample(0, config)
  if (command === 'perf-map-on') return recording.perfMap(true)
  if (command === 'perf-map-off') return recording.perfMap(false)
  const boost = boosting?.status()
  return { ...recording.status(), out: config.out, ...boost ? { boost } : {} }
}

/** From now on, and whenever recording begins again. */
function sample (hz, config) {
  recording.sample(hz)
  config.stacksHz = hz
}

function serveCommands (config, shared, toThreads) {
  const handle = (command) => () => {
    const result = perform(command, config)
    if (command === 'on' || command === 'off') Atomics.store(shared, SHARED.on, Number(command === 'on'))
    setEnvironmentData(TOLD, /** @type {any} */ ({ config, shared })) // Of threads that begin from now on.
    toThreads(command)
    return result
  }
  const { path: socket } = serve({
    on: handle('on'),
    off: handle('off'),
    'stacks-on': handle('stacks-on'),
    'stacks-off': handle('stacks-off'),
    'perf-map-on': handle('perf-map-on'),
    'perf-map-off': handle('perf-map-off'),
    dump: handle('dump'),
    status: () => perform('status', config)
  }, { onProblem: say, followed: { count: (request, tell) => require('./instrument/servers/counted').countRequests(request, tell) } })
  // Node itself removes it, but at process.exit().
  if (socket !== null) whenLoaded((native) => native.unlinkAtExit(socket))
}

if (getEnvironmentData(MARK) === undefined) {
  setEnvironmentData(MARK, require.resolve('./register'))
  if (!isCommandLine()) register()
} else if (getEnvironmentData(MARK) !== require.resolve('./register')) {
  say(`another copy records this process already (${getEnvironmentData(MARK)}); this one stays off`)
}
