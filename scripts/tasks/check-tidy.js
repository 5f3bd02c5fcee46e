'use strict'

// clang-tidy over every C++ file, two at a time. A file that had no finding is
// not looked at again until it, a header of the tree it includes, the flags or
// the configuration change. Where many files of a part of src/ are to be looked
// at, several are at once: most of the time goes into headers.

const { createHash } = require('node:crypto')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { cacheDirectory } = require('../../lib/native/patched-node')
const { describeNode, headersPrefix } = require('./node-release')
const { capture, say } = require('./step')
const { ROOT, BUILD } = require('./tree')
const { sourceLists } = require('./units')

// By content: a file that another checkout has looked at is the same here.
const CACHE = path.join(cacheDirectory(), 'tidy')
/** Files that are looked at together. */
const TOGETHER = 12
const HEADERS_OF_NODE = /^\s*#\s*include\s+<(napi|node|node_[a-z_]+|uv|v8[a-z-]*)\.h>/m

/**
 * @param {string[]} files C++ sources (.cc), relative to the root
 * @returns {Promise<string[]>} what clang-tidy found, a text per file
 */
async function tidyProblems (files) {
  fs.mkdirSync(CACHE, { recursive: true })
  const flags = await flagsByFile(files)
  const salt = capture(['clang-tidy', '--version']).stdout + fs.readFileSync(path.join(ROOT, '.clang-tidy'), 'utf8')
  const due = files.map(file => ({ file, flags: flags(file), stamp: stampOf(file, flags(file), salt) }))
    .filter(({ stamp }) => !fs.existsSync(stamp))
  if (due.length) say(`  clang-tidy: ${due.length} of ${files.length} files changed since they were last looked at`)
  const problems = []
  const looks = looksAt(due)
  const worker = async () => {
    for (let next = looks.shift(); next; next = looks.shift()) {
      const found = await tidy(next)
      if (found) problems.push(found)
      else for (const { stamp } of next) fs.writeFileSync(stamp, '')
    }
  }
  await Promise.all(Array.from({ length: os.availableParallelism() }, worker))
  return problems
}

/** @typedef {{ file: string, flags: string[], stamp: string }} Due */

/**
 * The files of a part are compiled at once, too: they can be.
 * @param {Due[]} due
 * @returns {Due[][]} what is looked at together
 */
function looksAt (due) {
  const partOf = new Map(Object.entries(sourceLists()).flatMap(([part, files]) => files.map(file => [file, part])))
  const groups = new Map()
  const looks = []
  for (const each of due) {
    const key = `${partOf.get(each.file)}\0${each.flags.join('\0')}`
    const group = partOf.has(each.file) ? groups.get(key) : undefined
    if (group && group.length < TOGETHER) {
      group.push(each)
      continue
    }
    const begun = [each]
    groups.set(key, begun)
    looks.push(begun)
  }
  return looks
}

/** @param {Due[]} look @returns {Promise<string>} what was found */
function tidy (look) {
  const [{ file, flags }] = look
  const args = look.length === 1 ? ['--quiet', file] : ['--quiet', '--checks=-bugprone-suspicious-include', unitOf(look)]
  args.push('--', ...flags)
  return new Promise(resolve => {
    execFile('clang-tidy', args, { cwd: ROOT, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      resolve(error ? `${stdout}${stdout.includes('error:') ? '' : stderr}`.trim() : '')
    })
  })
}

/** @param {Due[]} look @returns {string} a file that includes them */
function unitOf (look) {
  const directory = path.join(BUILD, 'tidy')
  fs.mkdirSync(directory, { recursive: true })
  const unit = path.join(directory, `${look[0].file.replaceAll('/', '-')}`)
  fs.writeFileSync(unit, look.map(({ file }) => `#include "${path.join(ROOT, file)}"\n`).join(''))
  return unit
}

// CMake knows the flags of the core; the parts that include Node's headers are
// built by node-gyp, which writes no such list.
async function flagsByFile (files) {
  const commands = JSON.parse(fs.readFileSync(path.join(BUILD, 'compile_commands.json'), 'utf8'))
  const known = new Map(commands.flatMap(({ file, command }) => sourcesOf(file).map(source => [path.relative(ROOT, source), coreFlags(command)])))
  const ofNode = new Set(files.filter(file => !known.has(file) && includesNode(file)))
  const prefix = ofNode.size ? await headersPrefix(describeNode(process.execPath)) : ''
  const plain = ['-std=c++20', '-Wall', '-Wextra', '-Wno-unused-parameter', `-I${path.join(ROOT, 'src')}`, `-I${ROOT}`]
  const node = [...plain, '-DNODE_ADDON_API_DISABLE_CPP_EXCEPTIONS', '-DNODE_ADDON_API_DISABLE_DEPRECATED', '-DNAPI_VERSION=8',
    '-isystem', path.join(ROOT, 'node_modules', 'node-addon-api'), '-isystem', path.join(prefix, 'include', 'node')]
  return file => known.get(file) ?? (ofNode.has(file) ? node : plain)
}

// CMake compiles several files at once: from one of its own, which includes them.
function sourcesOf (file) {
  if (!/\/Unity\/unity_\d+_cxx\.cxx$/.test(file)) return [file]
  return [...fs.readFileSync(file, 'utf8').matchAll(/^#include "([^"]+)"/mg)].map(([, source]) => source)
}

function includesNode (file) {
  return [...withOwnHeaders(file)].some(each => HEADERS_OF_NODE.test(fs.readFileSync(path.join(ROOT, each), 'utf8')))
}

// Only what changes the meaning of the code: GCC has options clang-tidy refuses.
function coreFlags (command) {
  const words = command.split(/\s+/)
  return words.flatMap((word, index) => {
    if (word === '-isystem') return [word, words[index + 1]]
    return /^-(I|D|std=|W(all|extra|no-unused-parameter))/.test(word) ? [word] : []
  })
}

function stampOf (file, flags, salt) {
  const hash = createHash('sha256').update(salt).update(flags.join('\0').replaceAll(ROOT, '.'))
  for (const each of withOwnHeaders(file)) hash.update(each).update(fs.readFileSync(path.join(ROOT, each)))
  return path.join(CACHE, hash.digest('hex'))
}

// The file and the headers of the tree it includes, however deep.
function withOwnHeaders (file, seen = new Set()) {
  if (seen.has(file)) return seen
  seen.add(file)
  const text = fs.readFileSync(path.join(ROOT, file), 'utf8')
  for (const [, header] of text.matchAll(/^\s*#\s*include\s+"([^"]+)"/mg)) {
    const places = [`src/${header}`, header, path.posix.join(path.posix.dirname(file), header)]
    const found = places.find(place => fs.existsSync(path.join(ROOT, place)))
    if (found) withOwnHeaders(found, seen)
  }
  return seen
}

module.exports = { tidyProblems }
