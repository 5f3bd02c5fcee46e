'use strict'

// A sampler in the process that it samples. Preloaded with STACKS_PROFILE it
// runs from the start, and writes that file when the process ends; else it is
// switched on by start().

const fs = require('node:fs')

/**
 * @param {{ start: () => void, stop: () => string | Uint8Array }} sampler stop: its profile
 * @returns {{ start: () => void }}
 */
function sampler ({ start, stop }) {
  const file = process.env.STACKS_PROFILE
  if (file) {
    // Before a sampler's own listener, in which it stops by itself.
    process.prependOnceListener('exit', () => fs.writeFileSync(file, stop()))
    start()
  }
  return { start }
}

/** Between two samples; without it, the sampler's own default. */
const INTERVAL_US = process.env.STACKS_INTERVAL_US ? Number(process.env.STACKS_INTERVAL_US) : undefined

module.exports = { INTERVAL_US, sampler }
