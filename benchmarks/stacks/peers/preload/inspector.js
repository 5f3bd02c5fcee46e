'use strict'

// V8's profiler as the inspector starts it.

const { Session } = require('node:inspector')
const { INTERVAL_US, sampler } = require('./sampler')

const session = new Session()

function start () {
  session.connect()
  session.post('Profiler.enable')
  if (INTERVAL_US) session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US })
  session.post('Profiler.start')
}

// A session of the process itself answers before post() returns.
function stop () {
  let text = ''
  session.post('Profiler.stop', (error, result) => {
    if (error) throw error
    text = JSON.stringify(result.profile)
  })
  return text
}

module.exports = sampler({ start, stop })
