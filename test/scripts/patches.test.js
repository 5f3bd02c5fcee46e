'use strict'

const assert = require('node:assert')
const { execFileSync, spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { PATCHES, cacheDirectory, findPatchedNode } = require('../../lib/native/patched-node')
const { fetchFiles, sourceEntry } = require('../../scripts/tasks/debian-sources')
const { readPatches } = require('../../scripts/tasks/patch-series')
const { exportPatches, importPatches, patchProblems } = require('../../scripts/tasks/patched-tree')
const { temporaryTree } = require('./temporary-tree')

const LINES = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`).join('')
const FILES = { 'deps/v8/src/a.cc': LINES, 'deps/uv/src/b.c': LINES, 'lib/c.js': LINES, 'common.gypi': LINES }

// A small tree of sources with a commit per group, in another order than the
// series has, and the patches that they make.
function exported (t) {
  const tree = temporaryTree(t, FILES)
  const patches = temporaryTree(t, { 'base.json': '{}' })
  const git = (...args) => execFileSync('git', ['-C', tree, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { encoding: 'utf8' })
  const commit = (file, from, to, message) => {
    const place = path.join(tree, file)
    fs.writeFileSync(place, fs.readFileSync(place, 'utf8').replace(from, to))
    git('commit', '--quiet', '--all', '--message', message)
  }
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'as it came')
  git('tag', 'edgewise-base')
  commit('lib/c.js', 'line 3\n', 'line three\n', 'node: three is a word\n\nWhy: it reads better.\nTest: none')
  commit('deps/v8/src/a.cc', 'line 20\n', 'line twenty\nand more\n', 'v8: twenty, and more')
  commit('deps/v8/src/a.cc', 'line 25\n', 'line 25!\n', 'v8: twenty-five!')
  exportPatches(tree, patches)
  return { tree, patches, git, commit }
}

test('export writes a file a commit and a series a group; import gives the same tree and the same patches', t => {
  const { tree, patches, git } = exported(t)
  assert.strictEqual(fs.readFileSync(path.join(patches, 'v8/series'), 'utf8'), 'twenty-and-more.patch\ntwenty-five.patch\n')
  assert.match(fs.readFileSync(path.join(patches, 'node/three-is-a-word.patch'), 'utf8'),
    /^three is a word\n\nWhy: it reads better.\nTest: none\n\ndiff --git a\/lib\/c\.js b\/lib\/c\.js\n---/)
  const before = git('rev-parse', 'HEAD^{tree}')
  git('checkout', '--quiet', '-B', 'edgewise', 'edgewise-base')
  const tip = importPatches(tree, patches)
  assert.strictEqual(git('rev-parse', 'HEAD^{tree}'), before)
  assert.deepStrictEqual(patchProblems(tree, patches), [])
  assert.strictEqual(importPatches(tree, patches), tip, 'the same commits come out of the same patches')
})

test('check finds a tampered tree: a commit, a changed file', t => {
  const { tree, patches, commit } = exported(t)
  fs.appendFileSync(path.join(tree, 'common.gypi'), 'more\n')
  assert.deepStrictEqual(patchProblems(tree, patches), ['common.gypi: changed in the tree, not committed'])
  commit('lib/c.js', 'line 9\n', 'line nine\n', 'node: nine')
  assert.deepStrictEqual(patchProblems(tree, patches).sort(), [
    "common.gypi: the tree's commits differ from the series", "lib/c.js: the tree's commits differ from the series"
  ])
})

test('check finds a tampered patch: one that drifted, was renamed, or does not apply', t => {
  const { tree, patches } = exported(t)
  const file = path.join(patches, 'v8/twenty-five.patch')
  const text = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, text.replace(/@@ -23,7 \+2\d,7 @@/, '@@ -22,7 +22,7 @@'))
  assert.match(patchProblems(tree, patches).join('\n'), /twenty-five\.patch: applies, but its export is another text/)
  fs.writeFileSync(file, text.replace('twenty-five!', 'another name'))
  assert.match(patchProblems(tree, patches).join('\n'), /twenty-five\.patch: its name is not its subject's/)
  fs.writeFileSync(file, text.replace('-line 25', '-line 52'))
  assert.throws(() => patchProblems(tree, patches), /patches\/v8\/twenty-five\.patch does not apply:/)
})

test('export refuses what belongs to no group, and import what would be lost', t => {
  const { tree, patches, git, commit } = exported(t)
  commit('lib/c.js', 'line 9\n', 'line nine\n', 'node: nine')
  assert.throws(() => importPatches(tree, patches), /has commits that are not in patches\//)
  fs.appendFileSync(path.join(tree, 'lib/c.js'), 'more\n')
  assert.throws(() => importPatches(tree, patches), /changes that are not committed:\n {3}M lib\/c\.js/)
  git('checkout', '--quiet', '.')
  commit('lib/c.js', 'line 10\n', 'line ten\n', 'uv: ten')
  assert.throws(() => exportPatches(tree, patches), /\("ten"\) is of uv and touches lib\/c\.js/)
  git('commit', '--quiet', '--amend', '--message', 'ten')
  assert.throws(() => exportPatches(tree, patches), /a subject starts with v8:, uv:, node:/)
})

test('the built Node is found by what it is built from', t => {
  const { patches } = exported(t)
  const cache = temporaryTree(t, {})
  const found = findPatchedNode({ patches, cache })
  assert.strictEqual(found.built, false)
  fs.mkdirSync(path.dirname(found.file), { recursive: true })
  fs.writeFileSync(found.file, '')
  assert.deepStrictEqual(findPatchedNode({ patches, cache }), { ...found, built: true })
  fs.appendFileSync(path.join(patches, 'node/three-is-a-word.patch'), '\n')
  assert.notStrictEqual(findPatchedNode({ patches, cache }).hash, found.hash)
})

test("apt's entry for another suite's sources is derived from the machine's", () => {
  const main = 'Types: deb\n# a comment\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\nComponents: main contrib\nSigned-By: /key.gpg'
  const entries = [main.replace('/debian', '/debian-security'), main.replace('Types: deb\n', 'Types: deb\nEnabled: no\n'), main]
  assert.strictEqual(sourceEntry(entries, 'trixie'),
    'Types: deb-src\nSuites: trixie\nComponents: main\nURIs: http://mirror.example/debian\nSigned-By: /key.gpg\n')
  assert.strictEqual(sourceEntry(['URIs: https://mirror.example/archive/debian/20260101T000000Z\nComponents: main'], 'trixie').split('\n')[3],
    'URIs: https://mirror.example/archive/debian/20260101T000000Z')
  assert.throws(() => sourceEntry([], 'trixie'), /--source DIR/)
})

test('what the series applies to is known by its content', () => {
  const { debian } = JSON.parse(fs.readFileSync(path.join(PATCHES, 'base.json'), 'utf8'))
  const known = JSON.parse(fs.readFileSync(path.join(PATCHES, 'sources.json'), 'utf8'))
  for (const [name, version] of [[debian.source, debian.version], ['c-ares', debian['c-ares']]]) {
    assert.ok(Object.values(known[`${name} ${version}`]).every(sha256 => /^[0-9a-f]{64}$/.test(sha256)), name)
  }
})

test('files of a version that the archive no longer lists are fetched from beside the one that it does', t => {
  const sha256 = text => createHash('sha256').update(text).digest('hex')
  const mirror = temporaryTree(t, { 'pool/thing_1.tar.gz': 'one', 'pool/thing_2.tar.gz': 'two' })
  for (const name of ['have', 'home/lists/partial', 'home/archives/partial']) fs.mkdirSync(path.join(mirror, name), { recursive: true })
  fs.writeFileSync(path.join(mirror, 'Sources'), `Package: thing
Format: 1.0
Binary: thing
Version: 2-1
Directory: pool
Checksums-Sha256:
 ${sha256('two')} 3 thing_2.tar.gz
`)
  fs.writeFileSync(path.join(mirror, 'list'), `deb-src [trusted=yes allow-insecure=yes] file:${mirror} ./\n`)
  const apt = [`Dir::Etc::sourcelist=${mirror}/list`, 'Dir::Etc::sourceparts=/dev/null', `Dir::State::lists=${mirror}/home/lists`,
    `Dir::Cache=${mirror}/home`, 'APT::Sandbox::User='].flatMap(option => ['-o', option])
  const updated = spawnSync('apt-get', [...apt, 'update'], { encoding: 'utf8' })
  assert.strictEqual(updated.status, 0, updated.stderr)
  const here = path.join(mirror, 'have')
  assert.strictEqual(fetchFiles(here, apt, 'thing', { 'thing_1.tar.gz': sha256('one') }), undefined)
  assert.strictEqual(fs.readFileSync(path.join(here, 'thing_1.tar.gz'), 'utf8'), 'one')
  assert.match(fetchFiles(here, apt, 'thing', { 'thing_2.tar.gz': sha256('one') }), /Hash Sum mismatch/)
  assert.match(fetchFiles(here, apt, 'thing', { 'thing_0.tar.gz': sha256('zero') }), /thing_0/)
  assert.match(fetchFiles(here, apt, 'other', { 'other_1.tar.gz': sha256('one') }), /other/)
})

test('who asks for the tests of the patched Node without a build is told how to build it', t => {
  const result = spawnSync(path.join(__dirname, '..', '..', 'scripts', 'test'), ['patched'], {
    encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: temporaryTree(t) }
  })
  assert.match(result.stderr, /^patched tests: there is no Node with the patches as they are \(\w{16}\); to build it, in about an hour: npm run build:node$/m)
  assert.strictEqual(result.status, 1)
})

test('the tests that a patch names are there', () => {
  const directory = path.join(__dirname, '../../patches')
  const patches = readPatches(directory)
  assert.ok(patches.length > 0)
  for (const { name, text } of patches) {
    const named = /^Test: (.+)$/m.exec(text)?.[1].split(', ')
    assert.ok(named, `${name} names no test`)
    for (const file of named) assert.ok(fs.existsSync(path.join(directory, '..', file)), `${name} names ${file}`)
  }
})

test('a user without a home has the cache in the checkout', t => {
  const { XDG_CACHE_HOME } = process.env
  delete process.env.XDG_CACHE_HOME
  t.after(() => XDG_CACHE_HOME === undefined || (process.env.XDG_CACHE_HOME = XDG_CACHE_HOME))
  t.mock.method(os, 'homedir', () => { throw new Error('uv_os_homedir returned ENOENT') })
  assert.strictEqual(cacheDirectory(), path.join(__dirname, '../../.cache/edgewise'))
})
