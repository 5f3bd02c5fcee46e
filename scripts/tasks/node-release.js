'use strict'

// One installed Node: what it is, and where the headers to build for it are.

const fs = require('node:fs')
const path = require('node:path')
const { findPatchedNode } = require('../../lib/native/patched-node')
const { TaskError, capture, runStep } = require('./step')
const { CACHE } = require('./tree')

const PATCHED = 'patched'
const VERSION = /^\d+(\.\d+){0,2}$/
const QUESTION = 'JSON.stringify({execPath: process.execPath, version: process.version, ' +
  'abi: process.versions.modules, platform: process.platform, arch: process.arch})'

/**
 * @typedef {object} NodeRelease
 * @property {string} execPath
 * @property {string} version 'v20.20.2'
 * @property {string} abi NODE_MODULE_VERSION
 * @property {string} platform
 * @property {string} arch
 */

/**
 * @param {string} file a node program
 * @returns {NodeRelease}
 * @throws {TaskError} when it is not one
 */
function describeNode (file) {
  const { ok, stdout, stderr } = capture([file, '-p', QUESTION])
  try {
    if (ok) return JSON.parse(stdout)
  } catch {}
  throw new TaskError(`${file} is not a node program that runs here: ${stderr.trim() || stdout.trim() || 'no answer'}`, 2)
}

/**
 * Where a build for some Node goes, so that builds for several live side by side.
 * @param {NodeRelease} node
 * @returns {string} e.g. 'node-v115-linux-x64'
 */
function buildKey (node) {
  return `node-v${node.abi}-${node.platform}-${node.arch}`
}

/**
 * The prefix whose include/node holds the headers of a Node: its own, or that
 * of the npm package with the same release, which is fetched when need be.
 * Never a download from anywhere else (node-gyp's default).
 * @param {NodeRelease} node
 * @returns {Promise<string>} for node-gyp's --nodedir
 * @throws {TaskError} when there are none, with the next step
 */
async function headersPrefix (node) {
  const beside = path.dirname(path.dirname(fs.realpathSync(node.execPath)))
  if (headersAbi(beside) === node.abi) return beside
  const found = headersAbi(beside)
  const why = found
    ? `the headers in ${beside}/include/node are of another Node (module version ${found}, not ${node.abi})`
    : `there are no headers in ${beside}/include/node`
  try {
    return await fetchRelease(node.version.slice(1), `headers of Node ${node.version}`)
  } catch (error) {
    throw new TaskError(`${error.message}\n\nThe addon needs the headers of Node ${node.version}, and ${why}.\n` +
      `Next step: install the headers of this Node, or run 'npm pack ${packageName(node)}@${node.version.slice(1)}' ` +
      'where npm works: the package holds bin/node and include/node.')
  }
}

function headersAbi (prefix) {
  const file = path.join(prefix, 'include', 'node', 'node_version.h')
  if (!fs.existsSync(file)) return undefined
  return /#define NODE_MODULE_VERSION (\d+)/.exec(fs.readFileSync(file, 'utf8'))?.[1]
}

function packageName ({ platform, arch }) {
  return `node-${platform}-${arch}`
}

/**
 * Takes a Node release (program and headers) from its npm package into the
 * cache, once.
 * @param {string} wanted an exact version or a range npm understands: '22', '22.23.3'
 * @param {string} [what] for the progress line
 * @param {string} [arch] of the machine that it runs on
 * @returns {Promise<string>} its prefix, with bin/node and include/node
 * @throws {TaskError} when npm does not have it
 */
async function fetchRelease (wanted, what = `Node ${wanted}`, arch = process.arch) {
  const name = packageName({ platform: process.platform, arch })
  const releases = path.join(CACHE, 'node')
  fs.mkdirSync(releases, { recursive: true })
  const exact = path.join(releases, arch === process.arch ? wanted : `${wanted}-${arch}`)
  if (fs.existsSync(path.join(exact, 'bin', 'node'))) return exact
  const work = fs.mkdtempSync(path.join(releases, 'fetch-'))
  try {
    await runStep('npm-pack', `${what}: fetching ${name}@${wanted} from npm`,
      ['npm', 'pack', '--silent', '--pack-destination', work, `${name}@${wanted}`])
    const archive = fs.readdirSync(work).find(file => file.endsWith('.tgz')) ?? ''
    const unpacked = capture(['tar', '-xzf', path.join(work, archive), '-C', work])
    if (!unpacked.ok) throw new TaskError(`${archive} does not unpack: ${unpacked.stderr}`)
    fs.rmSync(exact, { recursive: true, force: true })
    fs.renameSync(path.join(work, 'package'), exact)
    return exact
  } finally {
    fs.rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Whether a command line's --node means something: a program, or a version.
 * @param {string} wanted
 */
function isNodeName (wanted) {
  return wanted === PATCHED || VERSION.test(wanted) || fs.existsSync(wanted)
}

/**
 * @param {string} wanted a node program, a version that npm has ('22', '22.23.3'), or 'patched'
 * @returns {Promise<string>} the program's absolute path
 * @throws {TaskError} when npm does not have it, or it is not built
 */
async function nodeProgram (wanted) {
  if (wanted === PATCHED) {
    const { file, built, howToBuild } = findPatchedNode()
    if (!built) throw new TaskError(`The patched Node is not built. Next step: ${howToBuild} (about an hour, once)`)
    return file
  }
  return VERSION.test(wanted) ? path.join(await fetchRelease(wanted), 'bin', 'node') : path.resolve(wanted)
}

module.exports = { describeNode, buildKey, fetchRelease, headersAbi, headersPrefix, isNodeName, nodeProgram }
