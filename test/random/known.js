'use strict'

// What is told wrongly today, by kind, and why. Programs of these kinds run and
// are reported, and fail nothing. The table is to become empty; a bound is never
// loosened instead.

/** @type {{ name: string, kind: RegExp, why: string }[]} the first that fits holds */
const KNOWN = [
  {
    name: 'pipelined',
    kind: /^(pipelined|followed): /,
    why: 'requests that share packets of a connection: what came while the loop was busy is as young as the last packet, and whose response is held back is not told'
  },
  {
    name: 'arrivals on one connection',
    kind: /^start of .*(with body|given up): late$/,
    why: 'a head that waits in the kernel is as young as the body, or the end of the connection, that came after it'
  },
  {
    name: 'functions in a queue of user code',
    kind: /^(lost |cause of )?(line-\w+|emit) callback/,
    why: 'stock Node does not show whose function a shared connection or an emitter calls (docs/architecture.md, "What is not seen")'
  },
  {
    name: 'computing of others in its slice',
    kind: /^(line-\w+|emit): io told as exec$/,
    why: 'what a shared connection or an emitter calls after it, in the same slice, is told as its own execution, and what it waits for next as begun later'
  },
  {
    name: 'new connection',
    kind: /^(lost )?(connect|lookup|assigned)\b/,
    why: 'the question cannot leave before the loop has run the callback of the lookup and of connect(); that wait is told as I/O'
  },
  {
    name: 'body by listeners',
    kind: /^(lost )?body\b/,
    why: 'the event that brings the body belongs to nobody'
  },
  {
    name: 'timers in an event of another kind',
    kind: /^(timer|abort \w+|emit)( behind another)? in \w+: /,
    why: 'timers that run right after the check phase, closing handles or a completion are told as part of that event, ready when it was'
  },
  {
    name: 'timer set again after a long pass',
    kind: /^(timer|abort \w+|emit)( behind another)?: queue told as io$/,
    why: 'a timer that became due while a pass of timers ran: Node sets its handle again, to a millisecond later, and that time is told as its due time'
  },
  {
    name: 'several timers in one pass',
    kind: /^(timer|abort \w+|emit) behind another: /,
    why: 'the timers that one pass runs share the due time of its first (docs/architecture.md, "What is not seen")'
  },
  {
    name: 'several answers in one read',
    kind: /^line-\w+ behind another: /,
    why: 'one read is one event, ready since its first bytes'
  }
]

/** @param {string} kind @returns {string | undefined} the name of the entry, if it is known */
function knownAs (kind) {
  return KNOWN.find((each) => each.kind.test(kind))?.name
}

module.exports = { KNOWN, knownAs }
