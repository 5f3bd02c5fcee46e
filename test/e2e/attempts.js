'use strict'

// Some tests judge times, or what was sampled. A busy machine can spoil one run of them, and not several.

const { AssertionError } = require('node:assert')
const test = require('node:test')

const ATTEMPTS = 4

/**
 * A test that is right if one of its attempts is. Those that were not are told.
 * @param {string} name
 * @param {(t: any) => Promise<void> | void} run judges
 * @param {(attempt: number) => boolean | Promise<boolean>} [again] whether there is another attempt after one that was not right; prepares it
 */
function timedTest (name, run, again = (attempt) => attempt < ATTEMPTS) {
  test(name, async (t) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(t)
      } catch (error) {
        if (!(error instanceof AssertionError) || !await again(attempt)) throw error
        t.diagnostic(`attempt ${attempt}: ${error.message.split('\n')[0]}`)
      }
    }
  })
}

module.exports = { timedTest }
