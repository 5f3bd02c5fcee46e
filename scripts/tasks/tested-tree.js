'use strict'

// Remembers for which state of the tree all tests passed, so that a check right
// after npm test need not run them a second time.

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { capture } = require('./step')
const { ROOT, BUILD } = require('./tree')

const STAMP = path.join(BUILD, '.tests-passed')

/**
 * The files git tracks or would track.
 * @returns {string[]} relative to the root; empty where this is no git checkout
 */
function treeFiles () {
  const listed = capture(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  if (!listed.ok) return []
  const files = listed.stdout.split('\0').filter(Boolean)
  return [...new Set(files)].filter(file => fs.existsSync(path.join(ROOT, file))).sort()
}

/** @returns {string} of the tree's content and the running Node */
function treeHash () {
  const hash = createHash('sha256').update(process.version)
  for (const file of treeFiles()) {
    const full = path.join(ROOT, file)
    const content = fs.lstatSync(full).isSymbolicLink() ? fs.readlinkSync(full) : fs.readFileSync(full)
    hash.update(`${file}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/**
 * Notes that every test has passed.
 * @param {string} hash treeHash() from before the first test
 */
function recordPass (hash) {
  fs.writeFileSync(STAMP, `${hash} ${new Date().toISOString()}`)
}

/** @returns {string | undefined} when all tests passed on exactly this tree and Node, if they did */
function passedAt () {
  if (!fs.existsSync(STAMP) || treeFiles().length === 0) return undefined
  const [hash, when] = fs.readFileSync(STAMP, 'utf8').split(' ')
  return hash === treeHash() ? when : undefined
}

module.exports = { treeFiles, treeHash, recordPass, passedAt }
