'use strict'

// What the provider `stock` (an unpatched Node) can know, per event type. Goes
// into every trace, and from there into every report.
//
// begin, end: `exact`, or `per pass` when several share one event.
// ready: the kinds of its ready time (src/trace/record.h).
// cause: how its registration is known. `id`: the async id's owner, exact.
//   `shared`: a descriptor that serves many requests; at causality `promises`
//   the continuations it resumes are known, at `events` the sink only.

const READ = { begin: 'exact', ready: 'observed', cause: 'shared' }
const POOL = { begin: 'exact', ready: 'observed', cause: 'id' }
const PASS = { begin: 'per pass', ready: 'due', cause: 'promises: id; events: id where it sends the response' }

const EVENT_TYPES = {
  main: { begin: 'exact', ready: 'none', cause: 'none' },
  accept: { begin: 'exact', ready: 'observed', cause: 'none' },
  tcp_read: READ,
  pipe_read: READ,
  udp_read: READ,
  write: { begin: 'exact', ready: 'upper-bound', cause: 'id' },
  fs_read: POOL,
  fs_readdir: POOL,
  fs_stat: POOL,
  fs_open: POOL,
  fs_write: POOL,
  fs_close: POOL,
  fs_other: POOL,
  dns: POOL,
  thread_pool: POOL,
  signal: { begin: 'exact', ready: 'observed', cause: 'none' },
  child: { begin: 'exact', ready: 'observed', cause: 'id' },
  timer: PASS,
  immediate: PASS,
  message: { begin: 'exact', ready: 'observed', cause: 'none' },
  close: { begin: 'exact', ready: 'due', cause: 'id' },
  poll: { begin: 'exact', ready: 'upper-bound', cause: 'id' },
  fs_event: { begin: 'exact', ready: 'observed', cause: 'none' },
  promise: { begin: 'exact', ready: 'resolved', cause: 'promises: exact; events: unavailable' },
  next_tick: { begin: 'part of its event', ready: 'resolved', cause: 'id, where it responds or makes a promise' }
}

const NO_IDS = 'unavailable: the async ids of this Node were not found'
const NO_CALLS = 'upper-bound'
const UNKNOWN = 'unavailable: stock Node does not tell'

/**
 * @param {{ asyncIds: true | string, interposition: true | string, arrivals: true | string, watcher: boolean }} found
 * @returns {object} the fidelity of this recording
 */
function fidelityOf ({ asyncIds, interposition, arrivals, watcher }) {
  /** @type {Record<string, string>} */
  const events = {}
  for (const [type, row] of Object.entries(EVENT_TYPES)) {
    const cause = asyncIds === true || !row.cause.includes('id') ? row.cause : NO_IDS
    const timed = watcher || (type === 'tcp_read' && arrivals === true)
    const ready = row.ready === 'observed' && (interposition !== true || !timed) ? NO_CALLS : row.ready
    events[type] = `begin ${row.begin}, ready ${ready}, cause ${cause}`
  }
  return { ...events, gc: 'exact, without incremental steps', jit: UNKNOWN, ic: UNKNOWN }
}

module.exports = { fidelityOf, EVENT_TYPES }
