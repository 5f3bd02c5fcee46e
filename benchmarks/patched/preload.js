'use strict'

// In a server under test: SIGUSR2 switches tracking on and off. The addon's file
// is BENCHMARK_ADDON.

const { on, off } = require(process.env.BENCHMARK_ADDON ?? '')

let tracks = false
process.on('SIGUSR2', () => {
  if (tracks) off()
  else on()
  tracks = !tracks
})
