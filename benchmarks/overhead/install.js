'use strict'

// The servers' own packages, in the cache: no part of the product's.

const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { runStep } = require('../../scripts/tasks/step')
const { PLACE } = require('./place')

const SOURCE = path.join(__dirname, 'servers')
const STAMP = '.installed'

/**
 * Copies servers/PART to the cache and installs what its lockfile says, when
 * that has changed.
 * @param {string} [part] a directory below servers/; '' is servers/ itself
 * @returns {Promise<string>} where it is
 * @throws {import('../../scripts/tasks/step').TaskError} with npm's output
 */
async function installServers (part = '') {
  const source = path.join(SOURCE, part)
  const place = path.join(PLACE, part)
  fs.mkdirSync(place, { recursive: true })
  for (const entry of fs.readdirSync(source, { withFileTypes: true })) {
    if (entry.isFile()) fs.copyFileSync(path.join(source, entry.name), path.join(place, entry.name))
  }
  const wanted = digest(path.join(source, 'package-lock.json'))
  const stamp = path.join(place, STAMP)
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return place
  const name = part === '' ? 'overhead-servers' : `overhead-${part}`
  await runStep(name, `${name}: installing`, ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'],
    { cwd: place, hint: 'Is the npm registry reachable from here (npm ping)?' })
  fs.writeFileSync(stamp, wanted)
  return place
}

/** @param {string} file */
function digest (file) {
  return crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex')
}

module.exports = { installServers }
