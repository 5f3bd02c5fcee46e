'use strict'

// What a user's registry has: edgewise as it is packed, what is compiled for this
// platform, and the packages that it depends on, as they lie in node_modules. So
// `npm install edgewise` is run as a user types it, without a network.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { ADDON, BOOSTD, LOAD, REPORTER } = require('../../lib/native/native-files')
const { packAll } = require('../../scripts/tasks/prebuilds/packages')
const { packed, serveRegistry } = require('../npm-registry')
const { ROOT } = require('./markdown')

/** @param {string} scratch a directory */
async function startRegistry (scratch) {
  return serveRegistry([...await ownPackages(scratch), ...dependencies(scratch)])
}

/** @param {string} scratch @returns {Promise<import('../npm-registry').Package[]>} */
async function ownPackages (scratch) {
  const files = [[ADDON, `node-v${process.versions.modules}/${path.basename(ADDON)}`], ...[REPORTER, BOOSTD, LOAD].map((file) => [file, path.basename(file)])]
  const platform = { name: `${process.platform}-${process.arch}`, cpu: process.arch, libc: 'glibc', nodes: [process.versions.node.split('.')[0]], files: files.map(([file, as]) => ({ file, as })) }
  return (await packAll([platform], scratch)).map(packed)
}

/** @param {string} scratch @returns {import('../npm-registry').Package[]} what the lockfile says a user gets */
function dependencies (scratch) {
  const locked = Object.entries(JSON.parse(fs.readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')).packages)
  const used = locked.filter(([place, { dev, optional }]) => place !== '' && !dev && !optional)
  return used.map(([place], index) => {
    const file = path.join(scratch, `dependency-${index}.tgz`)
    execFileSync('tar', ['-czf', file, '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', path.join(ROOT, place), '.'])
    return { manifest: JSON.parse(fs.readFileSync(path.join(ROOT, place, 'package.json'), 'utf8')), file }
  })
}

module.exports = { startRegistry }
