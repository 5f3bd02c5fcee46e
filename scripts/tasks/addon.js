'use strict'

// The native addons and the programs beside them, boostd and poker, built by node-gyp for one Node.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { withCompilerCache } = require('./compiler-cache')
const { requirePackages } = require('./debian-packages')
const { buildKey, headersPrefix } = require('./node-release')
const { TaskError, capture, runStep } = require('./step')
const { ROOT, BUILD, newestChangeMs, madeMs } = require('./tree')
const { compilesUnits, writeSourceLists } = require('./units')

const DESCRIPTION = ['binding.gyp', 'src/sources.gypi']
const INPUTS = ['src', 'binding.gyp', 'package-lock.json']

/**
 * @param {import('./node-release').NodeRelease} node
 * @returns {string} where lib/native/binding.js looks for the addon
 */
function addonFile (node) {
  return path.join(BUILD, buildKey(node), 'edgewise.node')
}

/**
 * @param {import('./node-release').NodeRelease} node
 * @returns {string} where `edgewise boostd` looks for its program: beside the addon
 */
function boostdFile (node) {
  return path.join(path.dirname(addonFile(node)), 'edgewise-boostd')
}

/** @param {import('./node-release').NodeRelease} node @returns {string[]} what is built, the addon that records last */
function products (node) {
  const beside = (/** @type {string} */ name) => path.join(path.dirname(addonFile(node)), name)
  return [boostdFile(node), beside('edgewise-poker'), beside('edgewise-report.node'), addonFile(node)]
}

/** @param {import('./node-release').NodeRelease} node @returns {boolean} whether all is */
function addonIsFresh (node) {
  return Math.min(...products(node).map(madeMs)) > newestChangeMs(INPUTS)
}

/**
 * Builds the addon. node-gyp always writes to ./build of the directory it runs
 * in, so it runs in a directory of its own per Node that links to the sources.
 * @param {import('./node-release').NodeRelease} node
 * @throws {TaskError} naming missing packages, or with the end of the compiler's output
 */
async function buildAddon (node) {
  requirePackages(['addon'])
  const work = path.join(path.dirname(addonFile(node)), compilesUnits() ? 'gyp' : 'gyp-files')
  const beganMs = Date.now()
  const gyp = await gypCommand(node)
  linkSources(work)
  const env = withCompilerCache(gypEnvironment(process.env, node), { CXX: 'ccache g++' })
  const options = { cwd: work, env, hint: 'Next step: read the first error in the log.' }
  if (madeMs(path.join(work, 'build', 'Makefile')) < newestChangeMs(DESCRIPTION)) {
    await runStep('addon-configure', `addon: configuring for Node ${node.version}`, [...gyp, 'configure'], options)
  }
  await runStep('addon-build', `addon: building for Node ${node.version}`,
    [...gyp, 'build', `--jobs=${os.availableParallelism()}`], options)
  for (const file of products(node)) {
    publish(path.join(work, 'build', 'Release', path.basename(file)), file, beganMs)
  }
}

function linkSources (work) {
  fs.mkdirSync(work, { recursive: true })
  for (const name of ['binding.gyp', 'package.json', 'src']) {
    const link = path.join(work, name)
    const target = path.relative(work, path.join(ROOT, name))
    if (fs.lstatSync(link, { throwIfNoEntry: false })) fs.unlinkSync(link)
    fs.symlinkSync(target, link)
  }
  writeSourceLists(work)
}

/**
 * The environment node-gyp runs in: its `node` is the one built for, and no
 * npm_config_* is left, since those (a nodedir or target in a user's .npmrc, as
 * npm passes it on) win over node-gyp's command line: headers of another Node.
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./node-release').NodeRelease} node
 * @returns {NodeJS.ProcessEnv}
 */
function gypEnvironment (env, node) {
  const kept = Object.entries(env).filter(([name]) => !/^npm_(package_)?config_/i.test(name))
  return { ...Object.fromEntries(kept), PATH: `${path.dirname(node.execPath)}${path.delimiter}${env.PATH ?? ''}` }
}

async function gypCommand (node) {
  return [...gypProgram(node), '--release', `--nodedir=${await headersPrefix(node)}`]
}

/** @param {import('./node-release').NodeRelease} node @returns {string[]} the project's own; the one that npm names while it installs us; or npm's, or one on the PATH, as yarn and pnpm have it */
function gypProgram (node) {
  const beside = path.join(path.dirname(path.dirname(fs.realpathSync(process.execPath))), 'lib', 'node_modules', 'npm')
  const file = gypIn(ROOT) ?? process.env.npm_config_node_gyp ?? gypIn(beside)
  if (file) return [node.execPath, file]
  if (capture(['node-gyp', '--version']).ok) return ['node-gyp']
  throw new TaskError("node-gyp is not installed. Next step: in a checkout 'npm ci' or scripts/setup; else 'npm install node-gyp'.")
}

/** @param {string} directory */
function gypIn (directory) {
  try {
    return require.resolve('node-gyp/bin/node-gyp.js', { paths: [directory] })
  } catch {
    return undefined
  }
}

// Renamed into place: a process that has the old file loaded keeps it whole.
// Dated by the build's begin: a source edited meanwhile is newer.
function publish (built, product, beganMs) {
  const draft = `${product}.${process.pid}`
  fs.copyFileSync(built, draft)
  fs.utimesSync(draft, beganMs / 1000, beganMs / 1000)
  fs.renameSync(draft, product)
}

module.exports = { addonFile, addonIsFresh, boostdFile, buildAddon, gypEnvironment }
