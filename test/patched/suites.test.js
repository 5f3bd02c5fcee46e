'use strict'

// What `npm test` shows end to end, on the patched Node: recording, boosting,
// workers and clusters, every way to end.

const test = require('node:test')
const { runSuites } = require('../e2e/run-suites')
const { patchedNode } = require('./patched-node')

for (const name of ['servers', 'processes', 'modes', 'endings', 'trouble', 'boost']) {
  test(name, async (t) => {
    t.diagnostic(`${await runSuites(patchedNode(), [`test/e2e/${name}.test.js`])} passed`)
  })
}
