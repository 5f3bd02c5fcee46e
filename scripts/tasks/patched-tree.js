'use strict'

// A tree of Node's sources with the series applied: import, export, check.

const { BASE, BRANCH, commitOf, commitPatches, git, patchesOf, readPatches, writePatches } = require('./patch-series')
const { TaskError } = require('./step')

/**
 * Brings a tree to what the patches say. Only files that differ are written, so
 * that a build goes on with what it has.
 * @param {string} tree
 * @param {string} patches their directory
 * @returns {string} the last commit
 * @throws {TaskError} when work would be lost, or a patch does not apply
 */
function importPatches (tree, patches) {
  refuseUncommitted(tree)
  const tip = commitPatches(tree, readPatches(patches))
  const head = commitOf(tree, 'HEAD')
  if (head === tip) return tip
  const known = [BASE, ...branches(tree).filter(name => name.startsWith('series/'))]
  if (!known.some(name => commitOf(tree, name) === head)) {
    throw new TaskError(`${tree} has commits that are not in patches/.\n` +
      "Next step: scripts/patches-export writes them there; 'git branch -f series/old' in that tree gives them up.")
  }
  git(tree, ['checkout', '--quiet', '-B', BRANCH, tip])
  git(tree, ['branch', '--force', `series/${tip.slice(0, 12)}`, tip])
  return tip
}

/**
 * Makes patches/ what a tree's commits are.
 * @param {string} tree
 * @param {string} patches their directory
 * @returns {number} how many patches
 */
function exportPatches (tree, patches) {
  refuseUncommitted(tree)
  const series = patchesOf(tree, 'HEAD')
  writePatches(patches, series)
  // What is exported is not lost when another series is imported.
  const head = commitOf(tree, 'HEAD')
  git(tree, ['branch', '--force', `series/${head.slice(0, 12)}`, head])
  return series.length
}

/**
 * @param {string} tree
 * @param {string} patches their directory
 * @returns {string[]} what is wrong: patches that do not come out as they went in, files that drifted
 */
function patchProblems (tree, patches) {
  const series = readPatches(patches)
  const tip = commitPatches(tree, series)
  const back = patchesOf(tree, tip)
  const problems = series.flatMap((patch, index) => {
    const place = `patches/${patch.group}/${patch.name}`
    if (!back[index] || back[index].name !== patch.name) return [`${place}: its name is not its subject's`]
    return back[index].text === patch.text ? [] : [`${place}: applies, but its export is another text (line numbers?)`]
  })
  if (commitOf(tree, 'HEAD') !== commitOf(tree, BASE)) {
    const drifted = git(tree, ['diff', '--name-only', tip, 'HEAD']).split('\n').filter(Boolean)
    problems.push(...drifted.map(file => `${file}: the tree's commits differ from the series`))
  }
  problems.push(...uncommitted(tree).map(line => `${line.slice(3)}: changed in the tree, not committed`))
  return problems
}

function refuseUncommitted (tree) {
  const changes = uncommitted(tree)
  if (changes.length === 0) return
  throw new TaskError(`${tree} has changes that are not committed:\n  ${changes.slice(0, 20).join('\n  ')}\n` +
    'Next step: commit them there (one intention a commit), or drop them.')
}

function uncommitted (tree) {
  return git(tree, ['status', '--porcelain', '--untracked-files=no'], { trim: false }).split('\n').filter(Boolean)
}

function branches (tree) {
  return git(tree, ['for-each-ref', '--format=%(refname:short)', 'refs/heads']).split('\n')
}

module.exports = { exportPatches, importPatches, patchProblems }
