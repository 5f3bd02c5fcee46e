'use strict'

// The script of the page that `edgewise report --html` writes, in one piece.

const fs = require('node:fs')
const path = require('node:path')
const { say } = require('./step')
const { ROOT, newestChangeMs, madeMs } = require('./tree')

const MAIN = path.join(ROOT, 'lib', 'page', 'app', 'main.js')
const BUNDLE = path.join(ROOT, 'lib', 'page', 'bundle.js')
const INPUTS = ['lib/page/app', 'package-lock.json', 'scripts/tasks/page.js']
/** The first that have DecompressionStream. */
const BROWSERS = ['chrome103', 'firefox113', 'safari16.4']

function pageIsFresh () {
  return madeMs(BUNDLE) > newestChangeMs(INPUTS)
}

function buildPage () {
  const { buildSync } = require('esbuild') // Only here: the set-up installs it.
  const draft = `${BUNDLE}.${process.pid}`
  try {
    buildSync({ entryPoints: [MAIN], outfile: draft, bundle: true, minify: true, format: 'iife', target: BROWSERS, charset: 'utf8', platform: 'neutral', mainFields: ['main'], legalComments: 'inline', logLevel: 'warning' })
    fs.renameSync(draft, BUNDLE)
  } finally {
    fs.rmSync(draft, { force: true })
  }
  say(`page: built (${(fs.statSync(BUNDLE).size / 1000).toFixed(0)} kB)`)
}

module.exports = { buildPage, pageIsFresh }
