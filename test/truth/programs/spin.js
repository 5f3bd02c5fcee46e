'use strict'

// A handler that computes for 20 ms while three others arrive: each waits for
// all that is ahead of it, and the report must say for whom.

const assert = require('node:assert/strict')
const { serve, spin } = require('../witness')

const SPIN_MS = { long: 20, short: 10, warm: 0 }

module.exports = {
  name: 'spin',
  file: __filename,
  async drive (client) {
    const [first, ...others] = await client.connectWarm(4, '/warm')
    for (let round = 0; round < 4; round++) {
      const answers = [first.get(`/long/r${round}`)]
      for (const [i, other] of others.entries()) {
        await client.sleep(3)
        answers.push(other.get(`/short/r${round}x${i}`))
      }
      await Promise.all(answers)
      await client.sleep(5)
    }
  },
  /**
   * Whom each request waited for, by name and time.
   * @param {any[]} compared
   * @param {Map<string, { from: number, to: number }>} sent
   * @returns {number} above 1: a time is off by more than allowed
   */
  check (compared, sent) {
    let excess = 0
    const timed = compared.filter(({ warm }) => !warm)
    for (const { truth, request, row } of timed) {
      const [step] = truth.steps
      const { from, to } = sent.get(truth.route) ?? { from: 0, to: 0 }
      const sentNs = Math.min(Math.max(row.start_ns, from), to)
      const ahead = timed.map((other) => {
        const [{ begin, end }] = other.truth.steps
        const ns = Math.min(end, step.begin) - Math.max(begin, sentNs)
        return { what: `${other.truth.route} tcp_read`, ns: other.truth === truth ? 0 : ns }
      })
      const told = request.path[0].blocked_by
      // Collections, compilation and inline-cache misses in their work are named
      // apart; and only three are named.
      const elseNs = row.queue_ns - told.filter(({ what }) => !/^(GC|JIT|IC) /.test(what)).reduce((sum, { ns }) => sum + ns, 0)
      for (const { what, ns } of told.filter((each) => each.what.startsWith('GET') && each.ns > 3e6)) {
        const real = ahead.find((each) => each.what === what)?.ns ?? 0
        assert.ok(real > 0, `${truth.route} did not wait for ${what}; the report: ${JSON.stringify(told)}`)
        excess = Math.max(excess, Math.abs(ns - real) / (0.1 * real + 1e6 + elseNs))
      }
    }
    return excess
  }
}

function handlerOf (ms) {
  return (witness, request, response) => {
    const step = witness.enter('source', 'tcp_read', null)
    spin(ms)
    witness.finish(response, step, ['source'])
  }
}

if (require.main === module) {
  serve(Object.fromEntries(Object.entries(SPIN_MS).map(([name, ms]) => [name, handlerOf(ms)])))
}
