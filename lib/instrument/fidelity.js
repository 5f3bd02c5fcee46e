'use strict'

// What a recorder can know, per event type: on an unpatched Node, and what a
// patched one changes. Goes into every trace, and from there into every report.
//
// begin, end: `exact`, or `per pass` when several share one event.
// ready: the kinds of its ready time (src/trace/record.h).
// cause: how its registration is known. `id`: the async id's owner, exact.
//   What comes on a connection is of whoever asked there last, or has a request
//   open on it. `shared`: several wait; at causality `promises` the
//   continuations that are resumed are known, at `events` the sink only.

const READ = { begin: 'exact', ready: 'observed', cause: 'the latest question, or the request open there; shared: id' }
const POOL = { begin: 'exact', ready: 'observed', cause: 'id' }
const STAMPED_POOL = { ...POOL, ready: 'completed' }
// dns.lookup is the pool's; a resolver that got no answer gave up in a timer that was due.
const NAMES = { begin: 'exact', ready: 'observed or due', cause: 'id' }
const PASS = { begin: 'per pass', ready: 'due', cause: 'promises: id; events: id where it sends the response' }

const EVENT_TYPES = {
  main: { begin: 'exact', ready: 'none', cause: 'none' },
  accept: { begin: 'exact', ready: 'observed', cause: 'none' },
  tcp_read: READ,
  pipe_read: READ,
  udp_read: READ,
  connect: { begin: 'exact', ready: 'observed', cause: 'id' },
  write: { begin: 'exact', ready: 'upper-bound', cause: 'id' },
  fs_read: POOL,
  fs_readdir: POOL,
  fs_stat: POOL,
  fs_open: POOL,
  fs_write: POOL,
  fs_close: POOL,
  fs_other: POOL,
  dns: NAMES,
  thread_pool: POOL,
  signal: { begin: 'exact', ready: 'observed', cause: 'none' },
  child: { begin: 'exact', ready: 'observed', cause: 'id' },
  timer: PASS,
  immediate: PASS,
  // One wake-up for several: each came at the latest with the last.
  message: { begin: 'exact', ready: 'observed or upper-bound', cause: 'none' },
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
  [NAMES, { begin: 'exact', ready: 'completed or observed or due', cause: 'id' }],
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
 * @param {{ patched?: true | string | null, asyncIds: true | string, interposition: true | string, arrivals: true | string, pool?: true | string, watcher: boolean | string }} found
 * @returns {object} the fidelity of this recording
 */
function fidelityOf ({ patched, asyncIds, interposition, arrivals, pool, watcher }) {
  /** @type {Record<string, string>} */
  const events = {}
  for (const [type, known] of Object.entries(patched === true ? PATCHED_TYPES : EVENT_TYPES)) {
    const row = pool === true && known === POOL ? STAMPED_POOL : known
    const cause = asyncIds === true || !row.cause.includes('id') ? row.cause : NO_IDS
    const timed = watcher === true || (type === 'tcp_read' && arrivals === true)
    const ready = row.ready.includes('observed') && (interposition !== true || !timed) ? NO_CALLS : row.ready
    events[type] = `begin ${row.begin}, ready ${ready}, cause ${cause}`
  }
  events.pool = pool === true ? 'in its queue and at work: exact' : `in its queue and at work: unavailable: ${pool ?? 'not tried'}`
  return patched === true
    ? { ...events, gc: 'exact', jit: MEASURED, ic: MEASURED }
    : { ...events, gc: 'exact, without incremental steps', jit: UNKNOWN, ic: UNKNOWN }
}

module.exports = { fidelityOf, EVENT_TYPES }
