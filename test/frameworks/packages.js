'use strict'

// The frameworks, from npm: a directory of the cache for each lockfile, where
// the applications of apps/ are run.

const { execFile } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { cacheDirectory } = require('../../lib/native/patched-node')
const { withLock } = require('../../scripts/tasks/lock')

const APPS = path.join(__dirname, 'apps')
const UNREACHABLE = /E(AI_AGAIN|CONNREFUSED|CONNRESET|NOTFOUND|TIMEDOUT)|network/

/**
 * @param {string} [name] a directory beside this file, with package.json and lockfile
 * @returns {Promise<{ directory: string } | { reason: string }>} where they are installed; or why npm cannot be reached
 */
async function installed (name = 'packages') {
  const source = path.join(__dirname, name)
  const lockfile = fs.readFileSync(path.join(source, 'package-lock.json'))
  const directory = path.join(cacheDirectory(), 'frameworks', createHash('sha256').update(lockfile).digest('hex').slice(0, 16))
  const done = path.join(directory, '.complete')
  return withLock(`${directory}.lock`, async () => {
    if (fs.existsSync(done)) return { directory }
    fs.cpSync(source, directory, { recursive: true })
    try {
      // Not ci: it refuses a lockfile without those packages of other platforms that a registry lacks.
      await promisify(execFile)('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory, env: { ...process.env, npm_config_loglevel: 'error' } })
    } catch (error) {
      if (UNREACHABLE.test(error.stderr)) return { reason: `npm cannot be reached: ${error.stderr.split('\n')[0]}` }
      throw error
    }
    fs.writeFileSync(done, '')
    return { directory }
  })
}

/**
 * @param {import('node:test').TestContext} t skipped where npm cannot be reached
 * @param {string} [name] as for installed()
 * @returns {Promise<string | null>} a directory with the applications, from where they find their packages; it goes with the test
 */
async function appsDirectory (t, name) {
  const found = await installed(name)
  if ('reason' in found) {
    t.skip(`skipped: ${found.reason}`)
    return null
  }
  const directory = fs.mkdtempSync(path.join(found.directory, 'run-'))
  t.after(() => fs.rmSync(directory, { recursive: true, force: true }))
  fs.cpSync(APPS, directory, { recursive: true })
  fs.copyFileSync(path.join(__dirname, '../e2e/apps/serving.js'), path.join(directory, 'serving.js'))
  return directory
}

module.exports = { appsDirectory, installed }
