'use strict'

// What the environment can say to the recorder.

const path = require('node:path')
const { MAX_MS, between, file, flag, oneOf, plainNumber, positive } = require('./values')

// Bytes must be a whole number, and count in 64 bits: most is a thousand terabytes.
const MAX_MB = { stream: 1024, flight: 64, most: 1_000_000_000 }
const RING_RECORDS = { default: 2 ** 17, min: 2, max: 2 ** 22 }
const STACKS_HZ = { default: 0, usual: 100, max: 1000 }
const SERVICE_MOST = 255
/** No bit above has been set yet. */
const BURST = { most: 2 ** 40 }
const STALL_MS = { min: 5 }
const WATCHER_US = { default: 100, min: 20, max: 10_000 }

/** @type {import('./index').Variable[]} */
const RECORDING = [
  {
    name: 'EDGEWISE_OUT',
    key: 'out',
    values: 'a directory',
    default: './edgewise-<pid>',
    text: 'Where the trace goes; created when it is missing.',
    read: file,
    fallback: (config, { pid, cwd }) => path.join(cwd, `edgewise-${pid}`)
  },
  {
    name: 'EDGEWISE_MODE',
    key: 'mode',
    values: 'stream, flight',
    default: 'stream',
    text: 'stream writes everything; flight holds the latest and writes on a dump, a breach of EDGEWISE_SLO_MS, or exit; what it holds outlives a process that is killed.',
    read: oneOf('stream', 'flight'),
    fallback: () => 'stream'
  },
  {
    name: 'EDGEWISE_MAX_MB',
    key: 'maxMb',
    values: `a number > 0, at most ${MAX_MB.most}`,
    default: `${MAX_MB.stream} (stream), ${MAX_MB.flight} (flight)`,
    text: 'Quota in MiB, for all threads and processes that write into one directory: of the trace on disk, with what lay there before (stream), of what is held (flight).',
    read: positive(MAX_MB.most),
    fallback: (config) => MAX_MB[config.mode ?? 'stream']
  },
  {
    name: 'EDGEWISE_CAUSALITY',
    key: 'causality',
    values: 'events, promises',
    default: 'promises',
    text: 'events follows callbacks only; promises also follows continuations that a shared (pooled) connection resumes, from the first thing that requests can share.',
    read: oneOf('events', 'promises'),
    fallback: () => 'promises'
  },
  {
    name: 'EDGEWISE_SLO_MS',
    key: 'sloMs',
    values: `a number > 0, at most ${MAX_MS}`,
    default: 'unset',
    text: 'In flight mode: a request slower than this many ms dumps the trace.',
    read: positive(MAX_MS),
    fallback: () => null
  },
  {
    name: 'EDGEWISE_ENABLED',
    key: 'enabled',
    values: '0, 1',
    default: '1',
    text: '0 starts with recording off; `edgewise on PID` switches it on.',
    read: flag,
    fallback: () => true
  },
  {
    name: 'EDGEWISE_RING_RECORDS',
    key: 'ringRecords',
    values: `a power of two from ${RING_RECORDS.min} to ${RING_RECORDS.max}`,
    default: String(RING_RECORDS.default),
    text: 'Records of 32 bytes that each thread keeps until they are taken to the trace, every 20 ms; what does not fit is dropped and counted.',
    read: ringRecords,
    fallback: () => RING_RECORDS.default
  },
  {
    name: 'EDGEWISE_WATCHER_US',
    key: 'watcherUs',
    values: `0, or a whole number from ${WATCHER_US.min} to ${WATCHER_US.max}`,
    default: String(WATCHER_US.default),
    text: 'How long the ready-time watcher rests between looks, in µs: the largest error of a ready time that the kernel does not stamp (pipes, files, connections to databases). On one processor, or with a quota of less than two, it rests for 2000 at least. 0 switches it off.',
    read: watcherUs,
    fallback: () => WATCHER_US.default
  },
  {
    name: 'EDGEWISE_OFF_CPU',
    key: 'offCpu',
    values: '0, 1',
    default: '1',
    text: '1 records when the thread did not run, and why: preempted, throttled by a CPU quota, blocked. 0 does not.',
    read: flag,
    fallback: () => true
  },
  {
    name: 'EDGEWISE_STACKS',
    key: 'stacksHz',
    values: `0, or a whole number up to ${STACKS_HZ.max}`,
    default: String(STACKS_HZ.default),
    text: 'How often a second the JavaScript stack of a busy loop is recorded; every millisecond in an event that has run for 2 ms. 0 does not.',
    read: stacksHz,
    fallback: () => STACKS_HZ.default
  },
  {
    name: 'EDGEWISE_BURST',
    key: 'burst',
    values: 'DURATION/PERIOD in ms, both powers of two, such as 32/128; or a whole number',
    default: 'unset',
    text: 'Stacks are recorded in bursts only, that begin and end in all processes at the same moments. The number: when all its bits are set in the milliseconds since 1970; 96 is 32/128.',
    read: burst,
    fallback: () => 0
  },
  {
    name: 'EDGEWISE_STALL_MS',
    key: 'stallMs',
    values: `a number from ${STALL_MS.min}, at most ${MAX_MS}`,
    default: 'unset',
    text: 'An event that runs for so many ms is told on stderr while it lasts, with its route and function, and to `edgewise.on(\'stall\')`; in flight mode it dumps the trace.',
    read: between(STALL_MS.min, MAX_MS),
    fallback: () => null
  },
  {
    name: 'EDGEWISE_PATHS',
    key: 'wholePaths',
    values: '0, 1',
    default: '0',
    text: '1 records the whole paths of files, with their names; 0 only the first two directories.',
    read: flag,
    fallback: () => false
  },
  {
    name: 'EDGEWISE_SERVICE',
    key: 'service',
    values: `a name of at most ${SERVICE_MOST} characters`,
    default: 'OTEL_SERVICE_NAME',
    text: 'What a report of several services calls this one; without either, the name of its main file.',
    read: serviceName,
    fallback: () => null
  }
]

/** @param {string} value */
function serviceName (value) {
  return value.length > 0 && value.length <= SERVICE_MOST && !/\p{Cc}/u.test(value) ? value : undefined
}

/**
 * NSDI'18, section 3.3.
 * @param {string} value
 * @returns {number | undefined} the bits that are set in the milliseconds of a burst
 */
function burst (value) {
  const [, duration, period] = (/^(\d+)(?:ms)?\/(\d+)(?:ms)?$/.exec(value) ?? []).map(Number)
  if (period !== undefined) {
    const fits = [duration, period].every((ms) => ms <= BURST.most && Number.isInteger(Math.log2(ms))) && duration < period
    return fits ? period - duration : undefined
  }
  const config = /^\d+$/.test(value) ? Number(value) : NaN
  return config < BURST.most ? config : undefined
}

/** @param {string} value */
function ringRecords (value) {
  const number = plainNumber(value)
  if (number === undefined || number < RING_RECORDS.min || number > RING_RECORDS.max) return undefined
  return Number.isInteger(Math.log2(number)) ? number : undefined
}

/** @param {string} value */
function watcherUs (value) {
  const number = plainNumber(value)
  if (number === undefined || !Number.isInteger(number)) return undefined
  const allowed = number === 0 || (number >= WATCHER_US.min && number <= WATCHER_US.max)
  return allowed ? number : undefined
}

/** @param {string} value */
function stacksHz (value) {
  const number = plainNumber(value)
  return number !== undefined && Number.isInteger(number) && number >= 0 && number <= STACKS_HZ.max ? number : undefined
}

module.exports = { RECORDING, STACKS_HZ, burst }
