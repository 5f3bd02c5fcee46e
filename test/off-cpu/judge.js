'use strict'

// What a report says that the requests of a program did not run for, against what the kernel said to their handlers.
// What Node did before and after a handler, the handler does not know: each sum lies between that of the handlers
// and that of the thread, which has done nothing else. The scheduler does not count all that a quota has stopped: who
// did not sleep could have run, and what is left of the request's time.

/** Of each sum, and ns a request. */
const BOUNDS = { share: 0.02, ns: 0.2e6 }
/** On its way to sleep the kernel looks for other work: nobody's time, in which the thread is not off the processor yet. */
const AWAY_NS = 200e3
const OFF = ['preempted', 'throttled', 'fault', 'blocked']

/**
 * @typedef {{ what: string, least: number, most: number, told: number, error: number }} Row ns a request; error: how far what is told is beyond
 * @param {import('./programs').Program} program
 * @param {{ known: import('./run').Known[], all: import('./run').All, stolen: number, told: any[] }} run
 * @returns {Row[]}
 */
function judge (program, { known, all, stolen, told }) {
  const count = told.length
  const sumOf = (list, of) => list.reduce((sum, each) => sum + of(each), 0) / count
  const off = (...kinds) => sumOf(told, ({ not_running: not }) => kinds.reduce((sum, kind) => sum + not[`${kind}_ns`], 0))
  const row = (what, least, most, is) => ({ what, least, most, told: is, error: Math.max(0, least - is, is - most) })
  const cpu = sumOf(known, (each) => each.cpu)
  const unserved = ({ wall, cpu, delay, sleeps }) => sleeps === 0 ? wall - cpu : delay
  const delay = sumOf(known, unserved)
  // To the guest, what a hypervisor takes is nobody's time.
  const slept = sumOf(known, (each) => each.wall - each.cpu - unserved(each))
  // Around a handler, too: Node waits for those that help it to collect.
  const asleep = (all.wall - all.cpu - all.idle) / count - delay
  const nobodys = (stolen + all.sleeps * AWAY_NS) / count
  const there = sumOf(told, ({ latency_ns: latency, io_ns: io }) => latency - io)
  const most = Math.max(all.delay / count, program.quota ? there - cpu - slept : 0)
  const rows = [
    row('running', cpu, all.cpu / count + nobodys, there - off(...OFF)),
    row('unserved', delay - stolen / count, most, off('preempted', 'throttled')),
    row('slept', slept - nobodys, Math.max(slept, asleep), off('fault', 'blocked'))
  ]
  const none = (kind) => rows.push(row(kind, 0, 0, off(kind)))
  if (!program.quota) none('throttled')
  if (!program.off.includes('fault')) none('fault')
  // Most of what it does not run for is outside of its handlers: no sum of theirs is a limit.
  if (!program.off.includes('blocked') && (program.off.includes('fault') || program.company)) none('blocked')
  return rows
}

/** @param {Row} row */
const isWrong = ({ least, most, error }) => error > Math.max(BOUNDS.ns, BOUNDS.share * Math.max(least, most))

module.exports = { OFF, isWrong, judge }
