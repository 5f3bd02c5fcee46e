'use strict'

// npm run build:node: the patched Node, from sources to the cache.

const crypto = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { PATCHES, cacheDirectory, findPatchedNode } = require('../../lib/native/patched-node')
const { parseArguments } = require('./arguments')
const { withLock } = require('./lock')
const { compileNode, installNode } = require('./node-build')
const { describeNode } = require('./node-release')
const { provideSource } = require('./node-source')
const { importPatches } = require('./patched-tree')
const { setup } = require('./setup')
const { TaskError, elapsed, say } = require('./step')

const PATCHED = 'patched'
const UNPATCHED = 'unpatched'
const USAGE = `Usage: npm run build:node [-- [--source DIR] [--jobs N] [--debug | --unpatched]]

Builds Node with the patches of patches/ and installs it into the cache, where
edgewise finds it. Takes about an hour on 2 cores; what is done is kept, so that
an interrupted build goes on. Does nothing when that Node is there.

  --source DIR  the sources: a checkout of the version that patches/base.json
                names; otherwise Debian's source package, fetched by apt
  --jobs N      compilers at a time (default: the number of processors)
  --debug       a debug build, which checks much more and is slow
  --unpatched   the same Node without the patches, to compare with`

/** @param {string[]} args of the command line */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    source: { type: 'string' },
    jobs: { type: 'string', default: String(os.availableParallelism()) },
    debug: { type: 'boolean', default: false },
    unpatched: { type: 'boolean', default: false }
  }, problem)
  const variant = values.debug ? 'debug' : values.unpatched ? 'unpatched' : ''
  const wanted = findPatchedNode({ variant })
  if (!wanted.built) {
    const sources = sourcesDirectory()
    await withLock(path.join(sources, '.build.lock'), () => buildNode(wanted.file, sources, values))
  }
  const { version } = describeNode(wanted.file)
  say(`Node ${version}, ${variant || 'patched'} (${wanted.hash}):`)
  console.log(wanted.file)
}

function problem (values, positionals) {
  if (positionals.length) return `'${positionals[0]}': no such argument`
  if (!/^[1-9]\d*$/.test(values.jobs)) return `--jobs ${values.jobs}: a number of compilers, at least 1`
  if (values.debug && values.unpatched) return '--debug and --unpatched exclude each other'
  if (values.source && !fs.existsSync(values.source)) return `--source ${values.source}: no such directory`
}

async function buildNode (file, sources, { source, jobs, debug, unpatched }) {
  if (fs.existsSync(file)) return
  const began = Date.now()
  await setup({ groups: ['node'], builds: 'none' })
  const base = readBase()
  const kind = debug ? 'patched-debug' : unpatched ? UNPATCHED : PATCHED
  const tree = path.join(sources, treeName(kind, source))
  await provideSource(tree, base, sources, source && path.resolve(source))
  if (!unpatched) importPatches(tree, PATCHES)
  const built = await compileNode(tree, base, { sources, jobs: Number(jobs), debug })
  const { version } = describeNode(built)
  if (version !== `v${base.version}`) throw new TaskError(`${built} says it is ${version}, not v${base.version}`)
  installNode(built, file)
  say(`node: built in ${elapsed(began)}`)
}

const readBase = () => JSON.parse(fs.readFileSync(path.join(PATCHES, 'base.json'), 'utf8'))

/** @returns {Promise<string>} the tree of Node's sources without the patches, which is fetched when it is missing */
async function provideTree () {
  const sources = sourcesDirectory()
  const tree = path.join(sources, UNPATCHED)
  await setup({ groups: ['node'], builds: 'none' })
  await withLock(path.join(sources, '.build.lock'), () => provideSource(tree, readBase(), sources))
  return tree
}

function sourcesDirectory () {
  const directory = path.join(cacheDirectory(), 'node-src')
  fs.mkdirSync(directory, { recursive: true })
  return directory
}

// Side by side, since each keeps what it has compiled, and what it was
// configured for.
function treeName (kind, source) {
  if (!source) return kind
  return `${kind}-${crypto.createHash('sha256').update(path.resolve(source)).digest('hex').slice(0, 8)}`
}

/** @returns {string} the tree that patches-* work on unless told another */
function patchedTree () {
  return path.join(sourcesDirectory(), PATCHED)
}

module.exports = { patchedTree, provideTree, run }
