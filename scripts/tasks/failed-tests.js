'use strict'

// A reporter of node:test: what failed, and why, in a few lines each. They are
// shown once more when all suites have run.

const path = require('node:path')
const { ROOT } = require('./tree')

const MOST_LINES = 12
const MOST_LETTERS = 200 // a line

/** @param {AsyncIterable<{ type: string, data: any }>} events */
module.exports = async function * failedTests (events) {
  for await (const { type, data } of events) {
    const error = data?.details?.error
    if (type !== 'test:fail' || error?.failureType === 'subtestsFailed') continue
    const message = String(error?.cause?.message ?? error?.cause ?? error?.message)
    const lines = message.split('\n').slice(0, MOST_LINES).map((line) => `  ${line.slice(0, MOST_LETTERS)}`)
    yield `${data.file ? `${path.relative(ROOT, data.file)}: ` : ''}${data.name}\n${lines.join('\n')}\n`
  }
}
