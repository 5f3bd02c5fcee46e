'use strict'

// What npm runs where edgewise is installed. Where the package of this platform
// fits, nothing is to be done; else the addon is compiled. If it cannot be, the
// application is installed all the same: what is missing is said here, and where
// somebody records.

const { load, loadReporter } = require('../../lib/native/binding')
const { CHECKOUT, PREBUILT, nextStep, unsupported } = require('../../lib/native/native-files')
const { provideAddon } = require('./build-addon')
const { installNpmPackages } = require('./npm-packages')
const { say } = require('./step')

async function run () {
  const never = unsupported()
  if (never) return say(`edgewise: ${never}; the application is installed without it`)
  if (PREBUILT && loads()) return
  if (CHECKOUT) return installCheckout()
  try {
    await provideAddon(process.execPath)
  } catch (error) {
    say(`${/** @type {Error} */ (error).message}\nedgewise: the addon is not compiled, nothing is recorded until it is; ${nextStep()}`)
  }
}

/** A link to a checkout, or the checkout itself: npm installs no packages behind a link. */
async function installCheckout () {
  if (!isInstalled('node-addon-api/package.json')) await installNpmPackages()
  await provideAddon(process.execPath)
  const { buildPage, pageIsFresh } = require('./page') // Only here: it needs a package that nobody else has.
  if (!pageIsFresh()) buildPage()
}

/** @param {string} file of a package */
function isInstalled (file) {
  try {
    return require.resolve(file) !== ''
  } catch {
    return false
  }
}

function loads () {
  try {
    load()
    loadReporter()
    return true
  } catch {
    return false
  }
}

module.exports = { run }
