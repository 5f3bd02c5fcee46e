'use strict'

// Where what is compiled lies: built here, for several Nodes side by side, or
// taken from the package of this platform.

const fs = require('node:fs')
const path = require('node:path')

const KEY = `node-v${process.versions.modules}-${process.platform}-${process.arch}`
const ROOT = path.join(__dirname, '..', '..')
const BUILT = path.join(ROOT, 'build', KEY)
const ADDON_FILE = 'edgewise.node'
const REPORTER_FILE = 'edgewise-report.node'
const BOOSTD_FILE = 'edgewise-boostd'
const POKER_FILE = 'edgewise-poker'
const LOAD_FILE = 'edgewise-load'
/** A package has no lockfile. */
const CHECKOUT = fs.existsSync(path.join(ROOT, 'package-lock.json'))
const PROCESSORS = ['x64', 'arm64']
const SCOPE = '@edgewise'

const { addon, reporter, boostd, poker, load, prebuilt } = found()

/** @returns {string} the package that holds what is compiled for this platform */
function platformPackage () {
  return `${SCOPE}/${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`
}

/** Whether this process has musl as its C library: by the loader that its program names. */
function isMusl () {
  if (process.platform !== 'linux') return false
  const head = Buffer.alloc(4096)
  try {
    const file = fs.openSync('/proc/self/exe', 'r')
    fs.readSync(file, head, 0, head.length, 0)
    fs.closeSync(file)
  } catch {
    return false // Then what is compiled for glibc does not load, and that is said.
  }
  return head.includes('/ld-musl-')
}

function found () {
  const built = {
    addon: path.join(BUILT, ADDON_FILE),
    reporter: path.join(BUILT, REPORTER_FILE),
    boostd: path.join(BUILT, BOOSTD_FILE),
    poker: path.join(BUILT, POKER_FILE),
    load: path.join(ROOT, 'build', 'benchmarks', 'load', LOAD_FILE),
    prebuilt: false
  }
  if (fs.existsSync(built.addon)) return built
  const root = packageRoot()
  if (root === undefined) return built
  return {
    addon: path.join(root, `node-v${process.versions.modules}`, ADDON_FILE),
    reporter: path.join(root, REPORTER_FILE),
    boostd: path.join(root, BOOSTD_FILE),
    poker: path.join(root, POKER_FILE),
    load: path.join(root, LOAD_FILE),
    prebuilt: true
  }
}

function packageRoot (name = platformPackage()) {
  try {
    return path.dirname(require.resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}

/** @returns {string | undefined} why nothing is ever there for this machine; undefined: there may be */
function unsupported () {
  if (process.platform === 'linux' && PROCESSORS.includes(process.arch)) return undefined
  return `edgewise records on Linux on ${PROCESSORS.join(' and ')} only, and this is ${process.platform} on ${process.arch}`
}

/** @returns {string} why the addon is not there, and what makes it be there */
function whyMissing () {
  const never = unsupported()
  if (never) return never
  const wanted = platformPackage()
  const root = packageRoot(wanted)
  const nodes = root && JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).nodes
  if (nodes) return `${wanted} is for Node ${nodes.join(', ')}, and this is Node ${process.version}; use one of those, or ${nextStep()}`
  const other = PROCESSORS.flatMap((cpu) => [`${SCOPE}/linux-${cpu}`, `${SCOPE}/linux-${cpu}-musl`]).find((name) => packageRoot(name))
  if (other && !root) return `${other} is installed, and this Node (${process.arch}, ${isMusl() ? 'musl' : 'glibc'}) needs ${wanted}; ${nextStep()}`
  return `the addon is not built for Node ${process.version} (${KEY}); ${nextStep()}`
}

/** @returns {string} what makes it be there */
function nextStep () {
  if (CHECKOUT) return 'run scripts/build-addon with this node'
  const compile = "'npm rebuild edgewise --foreground-scripts', which compiles it and says what that needs"
  return packageRoot() === undefined ? `run 'npm install ${platformPackage()}', or ${compile}` : `run ${compile}`
}

module.exports = {
  ADDON_FILE,
  CHECKOUT,
  KEY,
  SCOPE,
  /** Whether it comes from the package of this platform. */
  PREBUILT: prebuilt,
  /** What records and boosts: for one Node. */
  ADDON: addon,
  /** What reports: for every Node. */
  REPORTER: reporter,
  /** The daemon: what `edgewise boostd` starts. */
  BOOSTD: boostd,
  /** What pauses a service: what `edgewise slow` starts beside each. */
  POKER: poker,
  /** The load generator. */
  LOAD: load,
  nextStep,
  unsupported,
  whyMissing
}
