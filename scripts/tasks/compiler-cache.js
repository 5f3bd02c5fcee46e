'use strict'

// What a checkout compiles is kept and found again: by another checkout, and for
// another Node where a source does not depend on it. An installed package
// compiles once, and keeps nothing.

const fs = require('node:fs')
const path = require('node:path')
const { cacheDirectory } = require('../../lib/native/patched-node')
const { capture } = require('./step')
const { ROOT } = require('./tree')

/**
 * @param {NodeJS.ProcessEnv} env of node-gyp or cmake
 * @param {Record<string, string>} how that tool is told of ccache
 * @returns {NodeJS.ProcessEnv} told so where there is one and nobody has chosen a compiler
 */
function withCompilerCache (env, how) {
  const isCheckout = fs.existsSync(path.join(ROOT, 'CMakeLists.txt'))
  if (!isCheckout || env.CXX || !capture(['ccache', '--version']).ok) return env
  return { ...env, ...how, ...cacheEnvironment(ROOT), CCACHE_NOHASHDIR: '1' }
}

/** @param {string} base the paths below it may be others elsewhere @returns {NodeJS.ProcessEnv} */
function cacheEnvironment (base) {
  return { CCACHE_DIR: path.join(cacheDirectory(), 'ccache'), CCACHE_BASEDIR: base }
}

module.exports = { cacheEnvironment, withCompilerCache }
