'use strict'

// Preloaded into a server: boosting begins and ends by `edgewise on` and
// `edgewise off`, which in an ordinary process switch recording; `on` may bring
// variables of the environment with it, and begins anew.

const boosting = require('../../lib/boosting')
const { readConfig } = require('../../lib/config')
const { serve } = require('../../lib/control')

serve({
  on: ({ env = {} }) => {
    boosting.stop()
    return boosting.start(readConfig({ ...process.env, ...env }).config)
  },
  off: () => {
    boosting.stop()
    return {}
  },
  status: () => ({ boost: boosting.status() })
})
