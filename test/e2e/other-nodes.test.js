'use strict'

// The same under other Nodes: those of OTHER_NODES (programs, separated
// by colons), or 24 and 26 from npm, as far as npm can be reached.

const test = require('node:test')
const { provideAddon } = require('../../scripts/tasks/build-addon')
const { describeNode, nodeProgram } = require('../../scripts/tasks/node-release')
const { TaskError } = require('../../scripts/tasks/step')
const { runSuites } = require('./run-suites')

const RELEASES = ['24', '26']
const SUITES = [
  ['test/e2e/servers.test.js', 'test/e2e/processes.test.js', 'test/e2e/boost.test.js', 'test/e2e/stacks.test.js', 'test/e2e/stalls.test.js', 'test/e2e/unseen.test.js'],
  ['--test-name-pattern=^(peers|streams of one|called|fetched|what works on a whole)', 'test/e2e/waits.test.js'],
  ['test/ways/ways.test.js'],
  ['--test-name-pattern=^(chain|file|pooled|Promise|worker|spin)', 'test/truth/truth.test.js']
]

const wanted = process.env.OTHER_NODES?.split(':').filter(Boolean) ?? RELEASES

for (const name of wanted) {
  test(`Node ${name}`, async (t) => {
    let file
    try {
      file = await nodeProgram(name)
    } catch (error) {
      if (!(error instanceof TaskError)) throw error
      return t.skip(`skipped: ${error.message.split('\n')[0]}`)
    }
    if (describeNode(file).abi === process.versions.modules) return t.skip('this is the Node that runs all tests')
    await provideAddon(file)
    for (const suite of SUITES) {
      t.diagnostic(`${describeNode(file).version}: ${suite.at(-1)}: ${await runSuites(file, suite)} passed`)
    }
  })
}
