'use strict'

// So many ticks that what announces them is called from optimized code, without
// a context.

const assert = require('node:assert')
const events = require(process.argv[2])

const ROUNDS = 100
const TICKS = 1000

assert.strictEqual(events.enable(1), 0)
events.listen()
let round = 0
let parts = 0

function go () {
  parts += events.takeNotices().filter(({ what, asyncId, lastAsyncId }) => {
    return what === 'begin part' && asyncId > 0 && lastAsyncId >= asyncId
  }).length
  if (++round <= ROUNDS) return tick(TICKS)
  assert.ok(parts >= ROUNDS * TICKS, `${parts} parts`)
  console.log(parts)
}

function tick (left) {
  if (left) process.nextTick(tick, left - 1)
  else setImmediate(go)
}

go()
