'use strict'

// node_modules as the lockfile says.

const fs = require('node:fs')
const path = require('node:path')
const { TaskError, runStep } = require('./step')
const { ROOT } = require('./tree')

/**
 * What node_modules lacks or has in another version than the lockfile.
 * @param {string} [root] the directory of package-lock.json
 * @returns {string[]} one text each, e.g. 'eslint 9.39.5 (is 9.1.0)'
 */
function npmDifferences (root = ROOT) {
  const wanted = readPackages(path.join(root, 'package-lock.json'))
  const present = readPackages(path.join(root, 'node_modules', '.package-lock.json'))
  const differences = []
  for (const [place, entry] of Object.entries(wanted)) {
    if (place === '') continue
    const installed = fs.existsSync(path.join(root, place, 'package.json')) ? present[place]?.version : undefined
    // An optional package for another platform is rightly absent.
    if (installed === entry.version || (entry.optional && !installed)) continue
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
    differences.push(`${name} ${entry.version} (${installed ? `is ${installed}` : 'absent'})`)
  }
  return differences
}

function readPackages (file) {
  if (!fs.existsSync(file)) return {}
  return JSON.parse(fs.readFileSync(file, 'utf8')).packages
}

/** Installs what the lockfile says; the addon is built by a step of its own. */
async function installNpmPackages () {
  // npm would empty the directory behind a link, which is another checkout's.
  if (fs.lstatSync(path.join(ROOT, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new TaskError('node_modules is a link to another checkout, and is not what package-lock.json says. Next step: remove the link.')
  }
  await runStep('npm-ci', 'npm packages: installing', ['npm', 'ci', '--ignore-scripts'], {
    cwd: ROOT,
    env: { ...process.env, npm_config_loglevel: 'error' },
    hint: 'Is the npm registry reachable from here (npm ping), and does package-lock.json match package.json?'
  })
}

module.exports = { npmDifferences, installNpmPackages }
