'use strict'

// The least that a tracer on async_hooks does: three hooks that count.

const { createHook } = require('node:async_hooks')

const counts = { init: 0, before: 0, after: 0 }

createHook({
  init () { counts.init++ },
  before () { counts.before++ },
  after () { counts.after++ }
}).enable()
