'use strict'

// scripts/build-addon: the addon for one Node, the running one or another.

const path = require('node:path')
const { addonFile, addonIsFresh, buildAddon } = require('./addon')
const { parseArguments } = require('./arguments')
const { withLock } = require('./lock')
const { describeNode } = require('./node-release')
const { BUILD } = require('./tree')

const USAGE = `Usage: scripts/build-addon [--node FILE]

Builds the addon when its sources are newer, for the node that runs this or for
the program FILE, and prints where it is. Builds for several Nodes live side by side.`

/** @param {string} nodeFile a node program @returns {Promise<string>} the addon's file */
async function provideAddon (nodeFile) {
  const node = describeNode(nodeFile)
  if (!addonIsFresh(node)) {
    await withLock(path.join(BUILD, '.setup.lock'), () => buildAddon(node))
  }
  return addonFile(node)
}

/** @param {string[]} args of the command line */
async function run (args) {
  const { values } = parseArguments(args, USAGE, { node: { type: 'string', default: process.execPath } })
  console.log(path.relative(process.cwd(), await provideAddon(values.node)))
}

module.exports = { provideAddon, run }
