'use strict'

// Preloaded into a server: boosting begins and ends by `edgewise on` and
// `edgewise off`, which in an ordinary process switch recording.

const boosting = require('../../lib/boosting')
const { readConfig } = require('../../lib/config')
const { serve } = require('../../lib/control')

const { config } = readConfig()

serve({
  on: () => boosting.start(config),
  off: () => {
    boosting.stop()
    return {}
  }
})
