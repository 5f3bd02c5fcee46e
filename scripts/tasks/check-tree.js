'use strict'

// Rules about the files of the tree as such.

const fs = require('node:fs')
const path = require('node:path')

const MAX_LINES = 400
const SOURCE = /\.(cc|h|js|d\.ts|sh|py)$/
const EMPTY_NAMES = /(^|[-_./])(utils?|managers?|misc|common)([-_.]|$)/
// Escaped, so that this file does not break its own rule.
const REGISTRY = /\b(registry\.(npmjs|yarnpkg|npmmirror)|npmjs\.(org|com)|(deb|security|ftp)\.debian\.org|archive\.ubuntu|pypi\.org|files\.pythonhosted)\b/
const LOCKFILE = /(^|\/)(package-lock|npm-shrinkwrap)\.json$/

/**
 * @param {string} root of the tree
 * @param {string[]} files relative to the root
 * @returns {string[]} what breaks a rule, one line each
 */
function treeProblems (root, files) {
  const problems = files.flatMap(file => fileProblems(root, file))
  return [...problems, ...sourceListProblems(root, files)]
}

function fileProblems (root, file) {
  const full = path.join(root, file)
  if (!fs.statSync(full).isFile()) return []
  const text = fs.readFileSync(full, 'utf8')
  if (text.includes('\0')) return []
  const problems = []
  const lines = text.split('\n')
  if (SOURCE.test(file)) {
    if (lines.length - 1 > MAX_LINES) problems.push(`${file}: ${lines.length - 1} lines; ${MAX_LINES} are allowed`)
    if (EMPTY_NAMES.test(path.basename(file))) problems.push(`${file}: the name says nothing of what is in it`)
  }
  lines.forEach((line, index) => {
    const why = lineProblem(line, file, root)
    if (why) problems.push(`${file}:${index + 1}: ${why}`)
  })
  return problems
}

function lineProblem (line, file, root) {
  if (LOCKFILE.test(file) && /^\s*"resolved":/.test(line)) return 'a lockfile names no registry (npm: omit-lockfile-registry-resolved)'
  const registry = REGISTRY.exec(line)
  if (registry) return `names a registry's host (${registry[0]})`
  if (line.includes(`${root}/`)) return 'names the path of this checkout'
  return undefined
}

// Both builds take their sources from one list; a file that is not in it is
// neither built nor checked.
function sourceListProblems (root, files) {
  const list = 'src/sources.gypi'
  const { variables } = JSON.parse(fs.readFileSync(path.join(root, list), 'utf8'))
  const present = files.filter(file => /^src\/.*\.cc$/.test(file))
  const listed = Object.entries(variables).flatMap(([name, sources]) => sources.map(file => ({ name, file })))
  const problems = listed.filter(({ file }, index) => listed.findIndex(each => each.file === file) !== index)
    .map(({ file }) => `${list}: ${file} is listed twice`)
  for (const { name, file } of listed) {
    if (!present.includes(file)) problems.push(`${list}: ${file} does not exist`)
    if (`${file.split('/')[1]}_sources` !== name) problems.push(`${list}: ${file} is listed under ${name}`)
  }
  const unlisted = present.filter(file => !listed.some(each => each.file === file))
  return [...problems, ...unlisted.map(file => `${list}: ${file} is not listed`)]
}

module.exports = { treeProblems }
