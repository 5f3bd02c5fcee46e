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
const { cacheDirectory } = require('../../lib/native/patched-node')
const { TaskError } = require('../../scripts/tasks/step')

/** What runs in a round: `unpatched` is the base of every ratio, `aa` the same in another layout (A/A). */
const VARIANTS = /** @type {const} */ (['unpatched', 'patched', 'aa'])

const WHOLE_ARCHIVES = /-Wl,--whole-archive (.*?) -Wl,--no-whole-archive/g

/** @typedef {Record<typeof VARIANTS[number], string> & { addon: string }} Programs of a round */

/**
 * @typedef {object} Link how a build was linked
 * @property {string} directory in which
 * @property {string} command
 * @property {string[]} objects all that are linked, whoever uses them
 */

const run = promisify(execFile)

/**
 * @param {import('./builds').Builds} builds
 * @returns {Promise<{ unpatched: Link, patched: Link }>}
 * @throws {TaskError} with the next step, when what was compiled is gone
 */
async function findLinks ({ unpatched, patched }) {
  return { unpatched: await linkOf('unpatched', unpatched), patched: await linkOf('patched', patched) }
}

/**
 * @param {{ unpatched: Link, patched: Link }} links
 * @param {number} round
 * @param {string} directory where the programs go; those of another round are overwritten
 * @returns {Promise<Omit<Programs, 'addon'>>} unpatched and patched in the same order, aa in another
 */
async function layOut ({ unpatched, patched }, round, directory) {
  const file = (variant) => path.join(directory, variant)
  return {
    unpatched: await relink(unpatched, file('unpatched'), `${round}`),
    patched: await relink(patched, file('patched'), `${round}`),
    aa: await relink(unpatched, file('aa'), `${round} again`)
  }
}

async function linkOf (tree, built) {
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
  return { directory: release, command, objects }
}

async function relink ({ directory, command, objects }, file, seed) {
  const list = `${file}.objects`
  fs.writeFileSync(list, shuffled(objects, seed).join('\n'))
  const reordered = command.replace(WHOLE_ARCHIVES, '').replace(' -o node ', ` -o '${file}' '@${list}' `)
  await run('sh', ['-c', reordered], { cwd: directory })
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

module.exports = { VARIANTS, findLinks, layOut }
