'use strict'

// What packages are installed on in tests: the smallest Debian, for each
// processor, and package managers. Made once, into the cache of all checkouts.

const fs = require('node:fs')
const path = require('node:path')
const { cacheDirectory } = require('../../../lib/native/patched-node')
const { debianMirror } = require('../debian-sources')
const { TaskError, capture, runStep } = require('../step')

const SUITE = 'bookworm'
/** What Node itself needs: Node 26. */
const INCLUDED = 'libatomic1'
/** Debian's names of processors. */
const TREES = ['amd64', 'arm64']
/** Where a test has its own: its files, a Node, npm, the other managers. */
const MOUNTED = ['home/app', 'opt/node', 'opt/npm', 'opt/managers']
const MANAGERS = ['pnpm@12.4.2', '@yarnpkg/cli-dist@4.18.1', '@oven/bun-linux-x64@1.4.4']

const treeOf = (/** @type {string} */ arch) => path.join(cacheDirectory(), 'trees', `${SUITE}-${arch}-${INCLUDED}`)
const managersDirectory = () => path.join(cacheDirectory(), 'trees', 'managers')

/**
 * @param {string} arch of TREES; of another processor it is unpacked only
 * @returns {Promise<string>} its directory
 * @throws {TaskError}
 */
async function debianTree (arch) {
  const tree = treeOf(arch)
  if (fs.existsSync(tree)) return tree
  const mirror = debianMirror()
  if (!mirror) throw new TaskError('apt has no entry for Debian\'s main archive, from which a tree could be made.')
  const draft = `${tree}.${process.pid}`
  fs.mkdirSync(path.dirname(tree), { recursive: true })
  const foreign = capture(['dpkg', '--print-architecture']).stdout.trim() === arch ? [] : ['--foreign']
  await runStep(`debootstrap-${arch}`, `Debian ${SUITE} for ${arch}: making a tree`,
    ['debootstrap', '--variant=minbase', `--arch=${arch}`, `--include=${INCLUDED}`, ...foreign, SUITE, draft, mirror])
  if (foreign.length > 0) fs.rmSync(path.join(draft, 'proc')) // A link to itself.
  for (const place of [...MOUNTED, 'proc', 'usr/local/bin']) fs.mkdirSync(path.join(draft, place), { recursive: true })
  for (const name of ['npm', 'npx']) fs.symlinkSync(`/opt/npm/bin/${name}-cli.js`, path.join(draft, 'usr/local/bin', name))
  fs.renameSync(draft, tree)
  return tree
}

/** @returns {Promise<void>} @throws {TaskError} */
async function provideManagers () {
  const home = managersDirectory()
  if (fs.existsSync(home)) return
  const draft = `${home}.${process.pid}`
  fs.mkdirSync(draft, { recursive: true })
  fs.writeFileSync(path.join(draft, 'package.json'), '{"private": true}')
  await runStep('managers', `${MANAGERS.join(', ')}: fetching from npm`, ['npm', 'install', '--no-package-lock', ...MANAGERS], { cwd: draft })
  fs.renameSync(draft, home)
}

module.exports = { TREES, debianTree, managersDirectory, provideManagers, treeOf }
