'use strict'

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { treeProblems } = require('../../scripts/tasks/check-tree')
const { temporaryTree } = require('./temporary-tree')

const HOST = ['registry', 'npmjs', 'org'].join('.')
const GOOD = {
  'src/sources.gypi': '{"variables": {"trace_sources": ["src/trace/a.cc"], "hooks_sources": []}}',
  'src/trace/a.cc': 'int a;\n'.repeat(400),
  'package-lock.json': '{\n  "version": "1"\n}\n',
  'docs/page.md': 'text\n'.repeat(1000)
}

function problemsWith (t, changes) {
  const files = { ...GOOD, ...changes }
  return treeProblems(temporaryTree(t, files), Object.keys(files))
}

test('a tree that keeps the rules has no findings', t => {
  assert.deepStrictEqual(problemsWith(t, {}), [])
})

const TAMPERED = {
  'a source of 401 lines': ['src/trace/a.cc', 'int a;\n'.repeat(401), /a\.cc: 401 lines; 400 are allowed/],
  'a name that says nothing': ['lib/string-utils.js', '', /string-utils\.js: the name says nothing/],
  'a registry host': ['README.md', `one\nhttps://${HOST}/x\n`, /README\.md:2: names a registry's host/],
  'a lockfile that says where a package came from': ['package-lock.json', '{\n  "resolved": "file:x"\n}', /package-lock\.json:2: a lockfile names no registry/],
  'an application\'s lockfile': ['benchmarks/apps/a/package-lock.json', '  "resolved": "x"', /a lockfile names no registry/],
  'a source in no list': ['src/trace/b.cc', '', /src\/trace\/b\.cc is not listed/],
  'a source listed twice': ['src/sources.gypi', '{"variables": {"trace_sources": ["src/trace/a.cc", "src/trace/a.cc"]}}', /a\.cc is listed twice/],
  'a listed source that is not there': ['src/sources.gypi', '{"variables": {"trace_sources": ["src/trace/a.cc", "src/trace/c.cc"]}}', /c\.cc does not exist/],
  'a source in another part\'s list': ['src/sources.gypi', '{"variables": {"hooks_sources": ["src/trace/a.cc"]}}', /a\.cc is listed under hooks_sources/]
}
for (const [what, [file, content, expected]] of Object.entries(TAMPERED)) {
  test(`found: ${what}`, t => {
    const problems = problemsWith(t, { [file]: content })
    assert.strictEqual(problems.length, 1, problems.join('\n'))
    assert.match(problems[0], expected)
  })
}

test('found: the path of the checkout', t => {
  const root = temporaryTree(t, GOOD)
  fs.writeFileSync(path.join(root, 'notes.md'), `see ${root}/src\n`)
  assert.deepStrictEqual(treeProblems(root, [...Object.keys(GOOD), 'notes.md']), ['notes.md:1: names the path of this checkout'])
})

test('binary files are passed over', t => {
  assert.deepStrictEqual(problemsWith(t, { 'test/golden/a.ewt': `\0${HOST}` }), [])
})
