'use strict'

// The patch series and the git tree that it is made from: patches/GROUP/series
// names the files of a group in order; each file is one commit, its message and
// its diff. All is done in git's objects: no file of a tree is touched here.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { GROUPS, readSeries } = require('../../lib/native/patched-node')
const { TaskError } = require('./step')

const BASE = 'edgewise-base'
const BRANCH = 'edgewise'
// What a group may touch. The embedder's version string belongs to V8.
const TOUCHES = {
  v8: /^(deps\/v8\/|common\.gypi$)/,
  uv: /^deps\/uv\//,
  node: /^(?!deps\/(v8|uv)\/)/
}
// The same commits come out of the same patches, whoever makes them, and when.
const IDENTITY = Object.fromEntries(['AUTHOR', 'COMMITTER'].flatMap(role => [
  [`GIT_${role}_NAME`, 'edgewise'], [`GIT_${role}_EMAIL`, 'edgewise@localhost'], [`GIT_${role}_DATE`, '2025-01-01T00:00:00Z']
]))

/**
 * @typedef {object} Patch
 * @property {string} group 'v8', 'uv' or 'node'
 * @property {string} name of its file
 * @property {string} text message, blank line, diff
 */

/** @param {string} directory patches/ @returns {Patch[]} in the order in which they apply */
function readPatches (directory) {
  return GROUPS.flatMap(group => readSeries(path.join(directory, group)).map(name => {
    return { group, name, text: fs.readFileSync(path.join(directory, group, name), 'utf8') }
  }))
}

/**
 * Makes the files of a directory those of a series, and removes all others.
 * @param {string} directory patches/
 * @param {Patch[]} patches
 */
function writePatches (directory, patches) {
  for (const group of GROUPS) {
    const own = patches.filter(patch => patch.group === group)
    const place = path.join(directory, group)
    fs.mkdirSync(place, { recursive: true })
    for (const file of fs.readdirSync(place).filter(each => each.endsWith('.patch'))) fs.rmSync(path.join(place, file))
    for (const patch of own) fs.writeFileSync(path.join(place, patch.name), patch.text)
    fs.writeFileSync(path.join(place, 'series'), own.map(patch => `${patch.name}\n`).join(''))
  }
}

/**
 * Applies a series to the base of a tree.
 * @param {string} tree a git repository with a tag edgewise-base
 * @param {Patch[]} patches
 * @returns {string} the last commit
 * @throws {TaskError} naming the patch that does not apply
 */
function commitPatches (tree, patches) {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-series-'))
  const env = { ...IDENTITY, GIT_INDEX_FILE: path.join(work, 'index') }
  try {
    let parent = commitOf(tree, BASE)
    git(tree, ['read-tree', parent], { env })
    for (const patch of patches) parent = commitPatch(tree, parent, patch, env)
    return parent
  } finally {
    fs.rmSync(work, { recursive: true })
  }
}

function commitPatch (tree, parent, patch, env) {
  const start = patch.text.search(/^diff --git /m)
  const applied = start < 0
    ? { ok: false, stderr: 'there is no diff in it\n' }
    : tryGit(tree, ['apply', '--cached', '--whitespace=nowarn', '-'], { env, input: patch.text.slice(start) })
  if (!applied.ok) {
    throw new TaskError(`patches/${patch.group}/${patch.name} does not apply:\n${applied.stderr}` +
      'Next step: is the tree the one that patches/base.json names? If it is a newer one, apply the rest by hand and run scripts/patches-export.')
  }
  const message = `${patch.group}: ${patch.text.slice(0, start).trimEnd()}\n`
  return git(tree, ['commit-tree', git(tree, ['write-tree'], { env }), '-p', parent, '-F', '-'], { env, input: message })
}

/**
 * The series that a tree's commits are.
 * @param {string} tree
 * @param {string} tip the last commit
 * @returns {Patch[]}
 * @throws {TaskError} when a commit names no group, or touches what is not its group's
 */
function patchesOf (tree, tip) {
  const commits = git(tree, ['rev-list', '--reverse', `${BASE}..${tip}`]).split('\n').filter(Boolean)
  const patches = commits.map(commit => patchOf(tree, commit))
  return GROUPS.flatMap(group => patches.filter(patch => patch.group === group))
}

function patchOf (tree, commit) {
  const message = git(tree, ['show', '--no-patch', '--format=%B', commit])
  const [, group, body] = /^(v8|uv|node): ([^]*)$/.exec(message) ?? []
  if (!group) throw new TaskError(`Commit ${commit.slice(0, 10)} ("${message.split('\n')[0]}"): a subject starts with ${GROUPS.map(each => `${each}:`).join(', ')}`)
  const subject = body.split('\n')[0]
  const foreign = git(tree, ['diff-tree', '-r', '--name-only', '--no-commit-id', commit]).split('\n').find(file => !TOUCHES[group].test(file))
  if (foreign) throw new TaskError(`Commit ${commit.slice(0, 10)} ("${subject}") is of ${group} and touches ${foreign}`)
  const name = `${subject.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')}.patch`
  return { group, name, text: `${body.trimEnd()}\n\n${diffOf(tree, commit)}` }
}

// Without the hashes of contents, so that it is the same on every tree that it
// applies to alike.
function diffOf (tree, commit) {
  const diff = git(tree, ['diff-tree', '-p', '-r', '--no-commit-id', '--no-renames', '--no-color', '--no-ext-diff', commit], { trim: false })
  return diff.replace(/^(diff --git .*\n(?:(?:old|new|deleted) .*\n)*)index .*\n/gm, '$1')
}

/** @param {string} tree @param {string} name @returns {string} the commit that it names */
function commitOf (tree, name) {
  const found = tryGit(tree, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  if (found.ok) return found.stdout.trim()
  throw new TaskError(`${tree} has no ${name}. Next step: npm run build:node, or scripts/patches-import --source DIR.`)
}

/** @returns {string} what git printed @throws {TaskError} */
function git (tree, args, options = {}) {
  const result = tryGit(tree, args, options)
  if (!result.ok) throw new TaskError(`git ${args.join(' ')} in ${tree}: ${result.stderr.trim()}`)
  return options.trim === false ? result.stdout : result.stdout.trim()
}

/**
 * @param {string} tree
 * @param {string[]} args
 * @param {{env?: NodeJS.ProcessEnv, input?: string}} [options]
 */
function tryGit (tree, args, { env = {}, input = '' } = {}) {
  const result = spawnSync('git', ['-C', tree, ...args], {
    input, encoding: 'utf8', maxBuffer: 1 << 30, env: { ...process.env, ...env }
  })
  const stderr = result.error ? result.error.message : result.stderr
  return { ok: result.status === 0, stdout: result.stdout ?? '', stderr: stderr ?? '' }
}

module.exports = { BASE, BRANCH, commitOf, commitPatches, git, patchesOf, readPatches, writePatches }
