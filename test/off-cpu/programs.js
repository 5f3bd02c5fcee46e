'use strict'

// Programs that are known not to run, and why.
//   request  what each request does
//   rival    another process spins on the server's processor
//   quota    of the processor, us of each 100 ms
//   company  another process in the server's control group spins
//   apart    ms between an answer and the next request
//   memory   MiB that the server's control group may hold
//   file     MiB of a file that is not in memory when a request begins
//   off      why it does not run
//   env      of the server
//   sums     the server may not have a ring of its switches

/** @typedef {{ name: string, request: string, off: string[], rival?: boolean, quota?: number, company?: boolean, apart?: number, memory?: number, file?: number, env?: object, sums?: boolean }} Program */

/** @type {Program[]} */
const SEEN = [
  { name: 'computes', request: '/spin/20', off: [] },
  { name: 'computes beside a rival', request: '/spin/20', rival: true, off: ['preempted'] },
  { name: 'computes under a quota', request: '/spin/20', quota: 30_000, off: ['throttled', 'preempted'] },
  { name: 'wakes under a quota that another uses up', request: '/spin/2', quota: 30_000, company: true, apart: 7, off: ['throttled', 'preempted'] },
  { name: 'collects under a quota', request: '/collect/20', quota: 30_000, off: ['throttled', 'preempted'] },
  { name: 'collects beside a rival', request: '/collect/20', rival: true, off: ['preempted'] },
  { name: 'waits for a lock', request: '/lock/20', off: ['blocked'] },
  { name: 'waits for a lock beside a rival', request: '/lock/20', rival: true, off: ['blocked', 'preempted'] },
  { name: 'reads a file from a disk', request: '/read/0', file: 16, off: ['blocked'] },
  { name: 'maps a file from a disk', request: '/touch/131072', file: 8, off: ['fault'] },
  { name: 'maps more than it may hold', request: '/storm/65536', file: 96, memory: 96, off: ['fault', 'blocked'] }
]

module.exports = [
  ...SEEN,
  ...SEEN.map((program) => ({ ...program, name: `${program.name}, by sums`, sums: true })),
  { name: 'computes beside a rival, and may not be looked at', request: '/spin/20', rival: true, off: [], env: { EDGEWISE_OFF_CPU: '0' } }
]
