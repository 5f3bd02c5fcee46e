'use strict'

// Where applications are installed: outside the checkout, once a version.

const crypto = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const { withLock } = require('../../scripts/tasks/lock')
const { TaskError, runStep, say } = require('../../scripts/tasks/step')

const DONE = '.installed'

/** @returns {string} $EDGEWISE_CACHE, or edgewise in the user's cache directory */
function cacheRoot () {
  if (process.env.EDGEWISE_CACHE) return path.resolve(process.env.EDGEWISE_CACHE)
  return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'edgewise')
}

/**
 * Installs an application's npm packages as its lockfile says, unless that very
 * lockfile's are there already.
 * @param {object} app
 * @param {string} app.name
 * @param {string} app.folder holds package.json and package-lock.json
 * @param {string[]} [app.npmArgs] more arguments of `npm ci`
 * @param {string[]} [app.files] our files that belong beside its node_modules
 * @param {number} [app.revision] counts what prepare() has made; another
 *   revision is another installation
 * @param {(installed: string) => Promise<void>} [app.prepare] what is left to
 *   do after npm; when it throws, nothing counts as installed
 * @returns {Promise<string>} the directory it is installed in
 * @throws {TaskError} with the end of npm's output
 */
async function installed (app) {
  const manifests = ['package.json', 'package-lock.json']
  const hash = crypto.createHash('sha256').update(String(app.revision ?? 1))
  for (const file of manifests) hash.update(fs.readFileSync(path.join(app.folder, file)))
  const target = path.join(cacheRoot(), 'apps', app.name, hash.digest('hex').slice(0, 16))
  if (!fs.existsSync(path.join(target, DONE))) await install(app, manifests, target)
  for (const file of app.files ?? []) place(path.join(app.folder, file), path.join(target, path.basename(file)))
  return target
}

async function install (app, manifests, target) {
  createFolder(target)
  await withLock(`${target}.lock`, async () => {
    if (fs.existsSync(path.join(target, DONE))) return // another process did it
    fs.rmSync(target, { recursive: true, force: true })
    fs.mkdirSync(target)
    for (const file of manifests) fs.copyFileSync(path.join(app.folder, file), path.join(target, file))
    await runStep(`npm-${app.name}`, `${app.name}: installing its npm packages (once)`,
      ['npm', 'ci', '--no-audit', '--no-fund', ...(app.npmArgs ?? [])], {
        cwd: target,
        env: npmEnvironment(),
        hint: 'The versions are pinned in ' + path.join(app.folder, 'package-lock.json') +
          '. If the registry lacks one, or cannot be reached, set npm\'s registry and run the command again.'
      })
    if (app.prepare) {
      say(`${app.name}: preparing`)
      await app.prepare(target)
    }
    fs.writeFileSync(path.join(target, DONE), `${process.version}\n`)
  })
}

/** Copies a file that changed; a process that reads it meanwhile sees it whole. */
function place (from, to) {
  const text = fs.readFileSync(from)
  if (fs.existsSync(to) && fs.readFileSync(to).equals(text)) return
  fs.writeFileSync(`${to}.${process.pid}`, text)
  fs.renameSync(`${to}.${process.pid}`, to)
}

function createFolder (folder) {
  try {
    fs.mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new TaskError(`cannot create ${folder}: ${error.message}. ` +
      'Set EDGEWISE_CACHE to a directory this user may write.')
  }
}

/** npm run by npm would take the outer command's settings for its own. */
function npmEnvironment () {
  const entries = Object.entries(process.env).filter(([name]) =>
    !/^npm_(config_(local_)?prefix|package|lifecycle|command|execpath)/i.test(name) &&
    name !== 'NODE_OPTIONS' && name !== 'NODE_ENV')
  return Object.fromEntries(entries)
}

module.exports = { cacheRoot, installed }
