'use strict'

// @datadog/pprof's wall-time profiler.

const path = require('node:path')
const { INTERVAL_US, sampler } = require('./sampler')

const { time } = require(path.join(String(process.env.STACKS_PEERS), 'node_modules', '@datadog', 'pprof'))

module.exports = sampler({
  start: () => time.start(INTERVAL_US ? { intervalMicros: INTERVAL_US } : {}),
  stop: () => time.stop().encode()
})
