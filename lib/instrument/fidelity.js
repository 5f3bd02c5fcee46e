'use strict'

// What a recorder can know, per event type: on an unpatched Node, and what a
// patched one changes. Goes into every trace, and from there into every report.
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

// A patched Node: whom shared connections call back is known, each callback of
// a pass begins by itself, the thread pool says when it has finished.
const PATCHED = new Map([
  [READ, { begin: 'exact', ready: 'observed', cause: 'id, or the functions that it calls' }],
  [POOL, { begin: 'exact', ready: 'completed', cause: 'id' }],
  [PASS, { begin: 'exact', ready: 'due', cause: 'id' }]
])
const PATCHED_TYPES = {
  ...Object.fromEntries(Object.entries(EVENT_TYPES).map(([type, row]) => [type, PATCHED.get(row) ?? row])),
  promise: { begin: 'exact', ready: 'resolved', cause: 'exact' },
  next_tick: { begin: 'exact', ready: 'resolved', cause: 'id' }
}
const MEASURED = 'exact, exclusive of collections'

const NO_IDS = 'unavailable: the async ids of this Node were not found'
const NO_CALLS = 'upper-bound'
const UNKNOWN = 'unavailable: stock Node does not tell'

/**
 * @param {{ patched?: true | string | null, asyncIds: true | string, interposition: true | string, arrivals: true | string, watcher: boolean | string }} found
 * @returns {object} the fidelity of this recording
 */
function fidelityOf ({ patched, asyncIds, interposition, arrivals, watcher }) {
  /** @type {Record<string, string>} */
  const events = {}
  for (const [type, row] of Object.entries(patched === true ? PATCHED_TYPES : EVENT_TYPES)) {
    const cause = asyncIds === true || !row.cause.includes('id') ? row.cause : NO_IDS
    const timed = watcher === true || (type === 'tcp_read' && arrivals === true)
    const ready = row.ready === 'observed' && (interposition !== true || !timed) ? NO_CALLS : row.ready
    events[type] = `begin ${row.begin}, ready ${ready}, cause ${cause}`
  }
  return patched === true
    ? { ...events, gc: 'exact', jit: MEASURED, ic: MEASURED }
    : { ...events, gc: 'exact, without incremental steps', jit: UNKNOWN, ic: UNKNOWN }
}

module.exports = { fidelityOf, EVENT_TYPES }
