'use strict'

// Runs a server under 0x or clinic flame, as their commands do, until it ends by
// itself. What it collects goes to the working directory.

const { STACKS_COLLECT: tool, STACKS_SERVER: script } = process.env

process.on('SIGTERM', () => {}) // It has what it came for when it ends.

const COLLECT = {
  // @ts-ignore: installed on first use
  '0x': () => require('0x')({ argv: [script], collectOnly: true, writeTicks: true, pathToNodeBinary: process.execPath, workingDir: '.', outputDir: 'collected' }),
  clinic: () => new Promise((resolve, reject) => {
    // @ts-ignore: installed on first use
    const Flame = require('@clinic/flame')
    new Flame({ dest: 'collected' }).collect([process.execPath, script], (error) => error ? reject(error) : resolve(undefined))
  })
}

COLLECT[tool]().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
