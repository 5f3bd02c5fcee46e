'use strict'

// The package of edgewise, and one for each platform with what is compiled.

const fs = require('node:fs')
const path = require('node:path')
const { SCOPE } = require('../../../lib/native/native-files')
const { buildManual } = require('../build-man')
const { pageIsFresh, buildPage } = require('../page')
const { TaskError, capture } = require('../step')
const { BUILD, ROOT } = require('../tree')
const { TARGETS } = require('./targets')

/** Where packages go unless another place is named. */
const PACKAGES = path.join(BUILD, 'packages')

/** @returns {string[]} the archives of this version that are there; none, where that of edgewise itself is not */
function packedArchives (directory = PACKAGES) {
  const { version } = require(path.join(ROOT, 'package.json'))
  const there = (/** @type {string} */ name) => fs.existsSync(path.join(directory, name))
  const platforms = TARGETS.map(({ name }) => `edgewise-${name}-${version}.tgz`).filter(there)
  const main = `edgewise-${version}.tgz`
  return there(main) && platforms.length > 0 ? [main, ...platforms].map((name) => path.join(directory, name)) : []
}

/** @typedef {{ name: string, cpu: string, libc: string, nodes: string[], files: { file: string, as: string }[] }} Platform */

/**
 * @param {Platform[]} platforms
 * @param {string} out a directory
 * @returns {Promise<string[]>} the archives
 * @throws {TaskError}
 */
async function packAll (platforms, out) {
  fs.mkdirSync(out, { recursive: true })
  const own = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  return [...platforms.map((platform) => packPlatform(platform, own, out)), packMain(own, out)]
}

/** @param {Platform} platform @param {Record<string, any>} own package.json */
function packPlatform ({ name, cpu, libc, nodes, files }, { version, license, engines }, out) {
  return staged(`package-${name}`, out, (stage) => {
    writeJson(path.join(stage, 'package.json'), {
      name: `${SCOPE}/${name}`,
      version,
      description: `What edgewise has compiled for ${name}`,
      license,
      engines,
      os: ['linux'],
      cpu: [cpu],
      libc: [libc],
      nodes
    })
    for (const { file, as } of files) {
      fs.mkdirSync(path.dirname(path.join(stage, as)), { recursive: true })
      fs.copyFileSync(file, path.join(stage, as))
    }
  })
}

/** It takes that of the platforms, of all that are packed, which fits; and it is compiled where none does. @param {Record<string, any>} own package.json @param {string} out */
function packMain (own, out) {
  if (!pageIsFresh()) buildPage()
  const packed = TARGETS.filter(({ name }) => fs.existsSync(path.join(out, `edgewise-${name}-${own.version}.tgz`)))
  buildManual()
  return staged('package-main', out, (stage) => {
    for (const name of own.files) fs.cpSync(path.join(ROOT, name), path.join(stage, name), { recursive: true })
    const { devDependencies: _, ...kept } = own
    writeJson(path.join(stage, 'package.json'), {
      ...kept,
      optionalDependencies: Object.fromEntries(packed.map(({ name }) => [`${SCOPE}/${name}`, own.version]))
    })
  })
}

/** @param {string} name @param {string} out @param {(stage: string) => void} fill @returns {string} the archive */
function staged (name, out, fill) {
  const stage = path.join(BUILD, 'prebuilds', name)
  fs.rmSync(stage, { recursive: true, force: true })
  fs.mkdirSync(stage, { recursive: true })
  fill(stage)
  const { ok, stdout, stderr } = capture(['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', out], { cwd: stage })
  if (!ok) throw new TaskError(`npm pack in ${stage}: ${stderr}`)
  return path.join(out, JSON.parse(stdout)[0].filename)
}

const writeJson = (/** @type {string} */ file, /** @type {any} */ value) => fs.writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)

module.exports = { PACKAGES, packAll, packedArchives }
