'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')

test('what index.d.ts promises can be required and imported by name', async () => {
  const types = fs.readFileSync(path.join(__dirname, '../../lib/index.d.ts'), 'utf8')
  const promised = [...types.matchAll(/^export function (\w+)/gm)].map(([, name]) => name).sort()
  assert.ok(promised.includes('request'))
  assert.deepEqual(Object.keys(require('../../lib')).sort(), promised)
  const imported = Object.keys(await import('edgewise')).filter((name) => !['default', 'module.exports'].includes(name))
  assert.deepEqual(imported.sort(), promised)
})

test('a number that no option of a report takes is named as it was given', () => {
  const { report } = require('../../lib')
  const asking = (/** @type {object} */ options) => () => report(__dirname, /** @type {any} */ (options))
  assert.throws(asking({ slowest: 2 ** 32 - 1 }), /^Error: slowest 4294967295 is not between 0 and 1000$/)
  assert.throws(asking({ request: 1e300 }), /^Error: request 9007199254740991 is not between/)
  for (const skip of [NaN, -Infinity]) assert.throws(asking({ skip }), /^Error: (no trace in|skip -\d+ ns must not)/)
})

test('reportAsync finds what report does, beside the event loop; an aborted one says so', async () => {
  const { report, reportAsync } = require('../../lib')
  const golden = path.join(__dirname, '../golden')
  assert.deepEqual(await reportAsync(golden), report(golden))
  await assert.rejects(reportAsync(golden, { slowest: -1 }), { code: 'INVALID_ARGUMENT', message: /^slowest -1 is not between/ })
  await assert.rejects(reportAsync(golden, { signal: AbortSignal.abort() }), { code: 'CANCELLED' })
})
