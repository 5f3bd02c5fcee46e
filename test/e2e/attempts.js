'use strict'

// Some tests judge times, or what was sampled. A busy machine can spoil one run of them, and not several.

const { AssertionError } = require('node:assert')
const test = require('node:test')

const ATTEMPTS = 4

/**
 * A test that is right if one of its attempts is. Those that were not are told.
 * @param {string} name
 * @param {(t: any) => Promise<void>} run starts all that it judges
 */
function timedTest (name, run) {
  test(name, async (t) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(t)
      } catch (error) {
        if (attempt === ATTEMPTS || !(error instanceof AssertionError)) throw error
        t.diagnostic(`attempt ${attempt}: ${error.message.split('\n')[0]}`)
      }
    }
  })
}

module.exports = { timedTest }
