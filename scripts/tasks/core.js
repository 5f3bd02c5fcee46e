'use strict'

// The core without Node, its tests and the load generator, built by CMake.

const fs = require('node:fs')
const path = require('node:path')
const { withCompilerCache } = require('./compiler-cache')
const { runStep, capture } = require('./step')
const { ROOT, BUILD, newestChangeMs, madeMs } = require('./tree')
const { compilesUnits } = require('./units')

const STAMP = '.built'
const LAUNCHED = { CMAKE_CXX_COMPILER_LAUNCHER: 'ccache' }
const INPUTS = ['CMakeLists.txt', 'src', 'test/native', 'test/load', 'benchmarks']
// Upgraded libraries call for a new build as well; ninja finds out which parts.
const DPKG_STATE = '/var/lib/dpkg/status'

/** The load generator, as CMake knows it. */
const LOAD = 'edgewise-load'

/**
 * @param {string} [target] one of CMake's; none: all
 * @param {string} [directory] the build directory
 * @returns {boolean} whether it was built from the sources as they are
 */
function coreIsFresh (target, directory = BUILD) {
  const made = [STAMP, ...target ? [stampOf(target)] : []].map(stamp => madeMs(path.join(directory, stamp)))
  return Math.max(...made) > newestChangeMs([...INPUTS, DPKG_STATE])
}

function stampOf (target) {
  return target === undefined ? STAMP : `${STAMP}-${target}`
}

/**
 * Builds everything a CMakeLists.txt describes, or one target of it.
 * @param {string} [directory] the build directory
 * @param {{title?: string, source?: string, define?: string[], prefix?: string[], target?: string}} [options] source: the directory of CMakeLists.txt; define: 'NAME=VALUE' for cmake; prefix: a command the build runs under
 * @throws {import('./step').TaskError} with the end of the compiler's output
 */
async function buildCore (directory = BUILD, { title = 'core', source = ROOT, define = [], prefix = [], target = undefined } = {}) {
  const beganMs = Date.now()
  const name = title.replaceAll(' ', '-')
  if (!isConfigured(directory, source)) {
    const defines = [`EDGEWISE_UNITS=${compilesUnits() ? 'ON' : 'OFF'}`, ...define].map(text => `-D${text}`)
    await runStep(`${name}-configure`, `${title}: configuring`,
      [...prefix, 'cmake', '-S', source, '-B', directory, '-G', 'Ninja', ...defines],
      { env: withCompilerCache(process.env, LAUNCHED) })
  }
  const only = target === undefined ? [] : ['--target', target]
  await runStep(`${name}-build`, `${title}: building`, [...prefix, 'cmake', '--build', directory, ...only], { env: withCompilerCache(buildEnvironment(), {}) })
  const stamp = path.join(directory, stampOf(target))
  fs.writeFileSync(stamp, '')
  fs.utimesSync(stamp, beganMs / 1000, beganMs / 1000)
}

// A checkout that was moved or copied holds a cache that names the old place.
function isConfigured (directory, source) {
  const cache = path.join(directory, 'CMakeCache.txt')
  if (!fs.existsSync(cache) || !fs.existsSync(path.join(directory, 'build.ninja'))) return false
  if (fs.readFileSync(cache, 'utf8').includes(`CMAKE_HOME_DIRECTORY:INTERNAL=${source}\n`)) return true
  fs.rmSync(cache)
  return false
}

// Ninja's default (cores + 2) swaps on machines with little memory per core.
function buildEnvironment () {
  const cores = capture(['nproc']).stdout.trim() || '2'
  return { ...process.env, CMAKE_BUILD_PARALLEL_LEVEL: process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? cores }
}

module.exports = { LOAD, coreIsFresh, buildCore }
