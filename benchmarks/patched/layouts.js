'use strict'

// The builds with their functions in another order. Where code lies in memory
// changes what a server does in a second by as much as the patches do: each
// round links all programs anew, and the mean over rounds is of many layouts.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { cacheDirectory } = require('../../lib/patched-node')
const { TaskError } = require('../../scripts/tasks/step')

/** What runs in a round: `unpatched` is the base of every ratio, `aa` the same in another layout (A/A). */
const VARIANTS = /** @type {const} */ (['unpatched', 'patched', 'aa'])

/** @typedef {Record<typeof VARIANTS[number], string> & { addon: string }} Programs of a round */

/**
 * @param {import('./builds').Builds} builds
 * @param {number} round
 * @param {string} directory where the programs go; those of another round are overwritten
 * @returns {Promise<Programs>}
 * @throws {TaskError} with the next step, when what was compiled is gone
 */
async function layOut ({ unpatched, patched, addon }, round, directory) {
  const link = (variant, tree, built) =>
    relink(tree, built, path.join(directory, variant), VARIANTS.length * round + VARIANTS.indexOf(variant) + 1)
  return {
    unpatched: await link('unpatched', 'unpatched', unpatched),
    patched: await link('patched', 'patched', patched),
    aa: await link('aa', 'unpatched', unpatched),
    addon
  }
}

// By the command that ninja has linked it with.
async function relink (tree, built, file, seed) {
  const release = path.join(cacheDirectory(), 'node-src', tree, 'out', 'Release')
  if (!isSame(built, path.join(release, 'node'))) {
    throw new TaskError(`${release} does not hold what ${built} was linked from.\nNext step: remove ${path.dirname(path.dirname(built))} and build ` +
      'it again (compiled objects are kept), or measure with --as-built.')
  }
  const commands = (await promisify(execFile)('ninja', ['-C', release, '-t', 'commands', 'node'], { maxBuffer: 1 << 28 })).stdout
  const command = commands.trimEnd().split('\n').at(-1) ?? ''
  const [before, after] = command.split(' -o node ')
  if (after === undefined) throw new TaskError(`${release}: ninja links node by a command that is not understood: ${command}`)
  await promisify(execFile)('sh', ['-c', `${before} -o '${file}' ${after} '-Wl,--shuffle-sections=.text*=${seed}'`], { cwd: release })
  return file
}

function isSame (one, other) {
  return fs.existsSync(other) && fs.readFileSync(one).equals(fs.readFileSync(other))
}

module.exports = { VARIANTS, layOut }
