'use strict'

// The servers' own packages, in the cache: no part of the product's.

const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { runStep } = require('../../scripts/tasks/step')
const { PLACE } = require('../shared/place')

const SOURCE = path.join(__dirname, 'servers')
const STAMP = '.installed'

/**
 * Copies servers/PART to the cache and installs what its lockfile says, when
 * that has changed.
 * @param {string} [part] a directory below servers/; '' is servers/ itself
 * @returns {Promise<string>} where it is
 * @throws {import('../../scripts/tasks/step').TaskError} with npm's output
 */
function installServers (part = '') {
  return installPackages(path.join(SOURCE, part), path.join(PLACE, part), part === '' ? 'overhead-servers' : `overhead-${part}`)
}

/**
 * The same of any directory with a package.json and a lockfile.
 * @param {string} source
 * @param {string} place
 * @param {string} name for the progress line and the log
 * @returns {Promise<string>} place
 * @throws {import('../../scripts/tasks/step').TaskError} with npm's output
 */
async function installPackages (source, place, name) {
  fs.mkdirSync(place, { recursive: true })
  for (const entry of fs.readdirSync(source, { withFileTypes: true })) {
    if (entry.isFile()) fs.copyFileSync(path.join(source, entry.name), path.join(place, entry.name))
  }
  const wanted = digest(path.join(source, 'package-lock.json'))
  const stamp = path.join(place, STAMP)
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return place
  await runStep(name, `${name}: installing`, ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'],
    { cwd: place, hint: 'Is the npm registry reachable from here (npm ping)?' })
  fs.writeFileSync(stamp, wanted)
  return place
}

/** @param {string} file */
function digest (file) {
  return crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex')
}

module.exports = { installPackages, installServers }
