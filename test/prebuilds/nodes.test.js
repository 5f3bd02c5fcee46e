'use strict'

// Each Node: from the packed archives to a report, without a compiler and
// without root's rights.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { NODES } = require('../../scripts/tasks/prebuilds/targets')
const { giveArchives, profiles, writeApplication } = require('./application')
const { machine } = require('./machine')
const { startRegistry } = require('./registry')

for (const node of NODES) {
  test(`Node ${node}`, async (t) => {
    const here = await machine(t, { node, registry: await startRegistry(t) })
    assert.equal((await here.run(['sh', '-c', 'command -v g++ gcc cc clang make python3'])).stdout, '', 'there is no compiler')
    assert.equal((await here.run(['id', '-u'])).stdout, '1000\n')
    writeApplication(here.home)
    const installed = await here.run(['npm', 'install', ...giveArchives(here.home, 'linux-x64')])
    assert.equal(installed.code, 0, installed.stderr)
    const profiled = await profiles(here)
    t.diagnostic(`npm install ${installed.seconds.toFixed(1)} s, profile of 4 s and report ${profiled.seconds.toFixed(1)} s`)
  })
}
