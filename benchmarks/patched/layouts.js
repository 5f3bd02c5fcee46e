'use strict'

// The builds with their object files in another order. Where code lies in memory
// changes what a server does in a second by as much as the patches do: each
// round links all programs anew, and the mean over rounds is of many layouts.
// (Functions in a random order, each by itself, make a Node half as fast.)

const { execFile } = require('node:child_process')
const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { cacheDirectory } = require('../../lib/patched-node')
const { TaskError } = require('../../scripts/tasks/step')

/** What runs in a round: `unpatched` is the base of every ratio, `aa` the same in another layout (A/A). */
const VARIANTS = /** @type {const} */ (['unpatched', 'patched', 'aa'])

const WHOLE_ARCHIVES = /-Wl,--whole-archive (.*?) -Wl,--no-whole-archive/g

/** @typedef {Record<typeof VARIANTS[number], string> & { addon: string }} Programs of a round */

const run = promisify(execFile)

/**
 * @param {import('./builds').Builds} builds
 * @param {number} round
 * @param {string} directory where the programs go; those of another round are overwritten
 * @returns {Promise<Programs>} unpatched and patched in the same order, aa in another
 * @throws {TaskError} with the next step, when what was compiled is gone
 */
async function layOut ({ unpatched, patched, addon }, round, directory) {
  const file = (variant) => path.join(directory, variant)
  return {
    unpatched: await relink('unpatched', unpatched, file('unpatched'), `${round}`),
    patched: await relink('patched', patched, file('patched'), `${round}`),
    aa: await relink('unpatched', unpatched, file('aa'), `${round} again`),
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
  const { stdout } = await run('ninja', ['-C', release, '-t', 'commands', 'node'], { maxBuffer: 1 << 28 })
  const command = stdout.trimEnd().split('\n').at(-1) ?? ''
  const archives = [...command.matchAll(WHOLE_ARCHIVES)].flatMap(([, names]) => names.split(' '))
  if (archives.length === 0 || !command.includes(' -o node ')) throw new TaskError(`${release}: ninja links node by a command that is not understood: ${command}`)
  const objects = []
  for (const archive of archives) objects.push(...(await run('ar', ['t', archive], { cwd: release })).stdout.trim().split('\n'))
  const list = `${file}.objects`
  fs.writeFileSync(list, shuffled(objects, seed).join('\n'))
  // All of them are linked, whatever the archives that follow would contribute.
  const reordered = command.replace(WHOLE_ARCHIVES, '').replace(' -o node ', ` -o '${file}' '@${list}' `)
  await run('sh', ['-c', reordered], { cwd: release })
  return file
}

/**
 * @param {string[]} names
 * @param {string} seed the same seed gives what two lists have in common the same order
 */
function shuffled (names, seed) {
  const place = (name) => crypto.createHash('sha256').update(`${seed} ${name}`).digest('hex')
  return names.map((name) => ({ name, place: place(name) })).sort((a, b) => a.place < b.place ? -1 : 1).map(({ name }) => name)
}

function isSame (one, other) {
  return fs.existsSync(other) && fs.readFileSync(one).equals(fs.readFileSync(other))
}

module.exports = { VARIANTS, layOut }
