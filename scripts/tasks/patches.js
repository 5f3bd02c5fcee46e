'use strict'

// scripts/patches-import, -export and -check.

const path = require('node:path')
const { PATCHES } = require('../../lib/native/patched-node')
const { parseArguments } = require('./arguments')
const { patchedTree } = require('./build-node')
const { exportPatches, importPatches, patchProblems } = require('./patched-tree')
const { TaskError, say } = require('./step')

const TREE = `  --source DIR  the tree, a git repository whose tag edgewise-base is the
                unpatched Node (default: the one that npm run build:node made)`
const USAGES = {
  import: `Usage: scripts/patches-import [--source DIR]

Applies patches/ to a tree of Node's sources, a commit for each patch.

${TREE}`,
  export: `Usage: scripts/patches-export [--source DIR]

Writes the commits of a tree to patches/, a patch for each. A subject begins
with v8:, uv: or node:, the group whose files the commit touches.

${TREE}`,
  check: `Usage: scripts/patches-check [--source DIR]

Applies patches/ to the base of a tree and exports them again: they must come
out as they are, and the tree must be what they make. Changes nothing.

${TREE}`
}

/** @param {string[]} args of the command line */
async function runImport (args) {
  const tip = importPatches(treeOf('import', args), PATCHES)
  say(`patches-import: the tree is at ${tip.slice(0, 12)}`)
}

/** @param {string[]} args of the command line */
async function runExport (args) {
  say(`patches-export: ${exportPatches(treeOf('export', args), PATCHES)} patches`)
}

/** @param {string[]} args of the command line */
async function runCheck (args) {
  const problems = patchProblems(treeOf('check', args), PATCHES)
  if (problems.length) throw new TaskError(`${problems.join('\n')}\npatches-check: ${problems.length} found`)
  say('patches-check: the series applies, comes out as it is, and is what the tree has')
}

function treeOf (command, args) {
  const { values } = parseArguments(args, USAGES[command], { source: { type: 'string', default: patchedTree() } })
  return path.resolve(values.source)
}

module.exports = { runImport, runExport, runCheck }
