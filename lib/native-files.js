'use strict'

// Where what is compiled lies: built here, for several Nodes side by side, or
// taken from the package of this platform.

const fs = require('node:fs')
const path = require('node:path')

const KEY = `node-v${process.versions.modules}-${process.platform}-${process.arch}`
const ROOT = path.join(__dirname, '..')
const BUILT = path.join(ROOT, 'build', KEY)
const ADDON_FILE = 'edgewise.node'
const REPORTER_FILE = 'edgewise-report.node'
const BOOSTD_FILE = 'edgewise-boostd'
const LOAD_FILE = 'edgewise-load'
/** A package has no lockfile. */
const CHECKOUT = fs.existsSync(path.join(ROOT, 'package-lock.json'))

const { addon, reporter, boostd, load, prebuilt } = found()

/** @returns {string} the package that holds what is compiled for this platform */
function platformPackage () {
  return `@edgewise/${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`
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
    load: path.join(root, LOAD_FILE),
    prebuilt: true
  }
}

function packageRoot () {
  try {
    return path.dirname(require.resolve(`${platformPackage()}/package.json`))
  } catch {
    return undefined
  }
}

/** @returns {string} what makes it be there */
function nextStep () {
  if (CHECKOUT) return 'run scripts/build-addon with this node'
  const compile = "'npm rebuild edgewise --foreground-scripts', which compiles it and says what that needs"
  return packageRoot() === undefined ? `run 'npm install ${platformPackage()}', or ${compile}` : `run ${compile}`
}

module.exports = {
  CHECKOUT,
  KEY,
  /** Whether it comes from the package of this platform. */
  PREBUILT: prebuilt,
  /** What records and boosts: for one Node. */
  ADDON: addon,
  /** What reports: for every Node. */
  REPORTER: reporter,
  /** The daemon: what `edgewise boostd` starts. */
  BOOSTD: boostd,
  /** The load generator. */
  LOAD: load,
  nextStep
}
