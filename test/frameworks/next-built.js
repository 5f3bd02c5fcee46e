'use strict'

// The application of apps-next/, built by Next where its packages are: once for
// each state of its sources.

const { execFile } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { withLock } = require('../../scripts/tasks/lock')

const SOURCES = path.join(__dirname, 'apps-next')

/**
 * @param {string} packages where they are installed
 * @returns {Promise<string>} the application, with what `next build` makes in it
 */
async function builtNext (packages) {
  const directory = path.join(packages, `next-${hashOfSources()}`)
  const done = path.join(directory, '.complete')
  return withLock(`${directory}.lock`, async () => {
    if (fs.existsSync(done)) return directory
    fs.rmSync(directory, { recursive: true, force: true })
    fs.cpSync(SOURCES, directory, { recursive: true })
    await promisify(execFile)(path.join(packages, 'node_modules/.bin/next'), ['build'], {
      cwd: directory,
      env: { ...process.env, NODE_OPTIONS: '--max-old-space-size=1024', NEXT_TELEMETRY_DISABLED: '1' }
    })
    completeStandalone(directory)
    fs.writeFileSync(done, '')
    return directory
  })
}

function hashOfSources () {
  const hash = createHash('sha256')
  const files = fs.readdirSync(SOURCES, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const file of files.map(({ parentPath, path: older, name }) => path.join(parentPath ?? older, name)).sort()) {
    hash.update(`${path.relative(SOURCES, file)}\0${fs.readFileSync(file, 'utf8')}\0`)
  }
  return hash.digest('hex').slice(0, 16)
}

// As Next has its users do.
function completeStandalone (/** @type {string} */ directory) {
  const standalone = path.join(directory, '.next/standalone', path.basename(directory))
  for (const each of ['public', '.next/static']) fs.cpSync(path.join(directory, each), path.join(standalone, each), { recursive: true })
}

/** @param {string} directory of builtNext() @returns {string} what a client calls the only server action by */
function actionOf (directory) {
  const { node } = JSON.parse(fs.readFileSync(path.join(directory, '.next/server/server-reference-manifest.json'), 'utf8'))
  return Object.keys(node)[0]
}

module.exports = { actionOf, builtNext }
