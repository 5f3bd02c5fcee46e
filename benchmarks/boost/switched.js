'use strict'

// Preloaded into a server: boosting begins and ends by `edgewise on` and
// `edgewise off`, which in an ordinary process switch recording; `on` may bring
// variables of the environment with it, and begins anew: with a heap of which
// what nobody needs any more is collected, if it says so.

const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')
const boosting = require('../../lib/boosting')
const { readConfig } = require('../../lib/config')
const { serve } = require('../../lib/control')

serve({
  on: ({ env = {}, collected = false }) => {
    boosting.stop()
    if (collected) collect()
    return boosting.start(readConfig({ ...process.env, ...env }).config)
  },
  off: () => {
    boosting.stop()
    return {}
  },
  status: () => ({ boost: boosting.status() })
})

// Without a flag at the start, by which the application would see a global gc().
function collect () {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  setFlagsFromString('--no-expose-gc')
}
