'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { placeOf } = require('../../lib/export/layout')
const { sqlError } = require('../../lib/query/errors')
const { saved, savedQuery } = require('../../lib/query/saved')
const { packageCopy } = require('./package-copy')

test('query: without DuckDB, how to install it, before anything is read', (t) => {
  const { cwd, run } = packageCopy(t)
  fs.mkdirSync(path.join(cwd, 'trace'))
  fs.writeFileSync(path.join(cwd, 'trace/7-0.ewt'), 'trace')
  const { status, stdout, stderr } = run(['query', 'trace', 'routes'])
  assert.deepEqual([status, stdout, stderr], [1, '', 'edgewise: query needs DuckDB, which is not installed: npm install --save-dev @duckdb/node-api\n'])
  assert.deepEqual(fs.readdirSync(cwd), ['trace'])
})

test('query: what does not load is told as it is', (t) => {
  const { cwd, run, write } = packageCopy(t)
  fs.mkdirSync(path.join(cwd, 'node_modules/@duckdb/node-api'), { recursive: true })
  write('node_modules/@duckdb/node-api/index.js', "throw new Error('Error relocating libduckdb.so\\nsymbol not found')")
  fs.mkdirSync(path.join(cwd, 'trace'))
  assert.equal(run(['query', 'trace', 'routes']).stderr, 'edgewise: DuckDB (@duckdb/node-api) does not load here: Error relocating libduckdb.so\n')
})

test('query: saved questions say what they ask', (t) => {
  const { run } = packageCopy(t)
  const { status, stdout } = run(['query', '--list'])
  assert.equal(status, 0)
  assert.deepEqual(stdout.trim().split('\n').map((line) => line.split(/ {2,}/)), saved().map(({ name, about }) => [name, about]))
  for (const { name, about } of saved()) {
    assert.match(about, /^[A-Z].*\.$/, name)
    assert.match(savedQuery(name) ?? '', /SELECT/)
  }
  assert.equal(savedQuery('../cli/index'), undefined)
  assert.equal(savedQuery('no-such'), undefined)
})

test('query: errors of SQL name the place', () => {
  const told = (/** @type {string} */ message, /** @type {string} */ sql) => sqlError(new Error(message), sql).message
  assert.equal(told('Binder Error: no foo!\nCandidate bindings: "a"\n\nLINE 2:   foo\n          ^', 'SELECT\n  foo\nFROM v'),
    'SQL, line 2, column 3: Binder Error: no foo! Candidate bindings: "a"')
  assert.equal(told('Failed to extract statements: Parser Error: x\n\nLINE 1: SELEC 1\n        ^', 'SELEC 1'), 'SQL, line 1, column 1: Parser Error: x')
  const long = `SELECT ${'a, '.repeat(50)}foo`
  assert.equal(told(`Binder Error: x\n\nLINE 1: ...${long.slice(100, 160)}\n${' '.repeat(8 + 3 + long.indexOf('foo') - 100)}^`, long), `SQL, line 1, column ${long.indexOf('foo') + 1}: Binder Error: x`)
  assert.equal(told('Permission Error: no', 'COPY'), 'SQL: Permission Error: no')
})

test('export: where the tables of a recording lie', () => {
  const recording = { host: 'web-1', command: 'server.js', unixMs: Date.UTC(2026, 10, 29, 9, 18, 38), key: '0a1b2c3d' }
  assert.equal(placeOf(recording, {}), 'app=server/host=web-1/date=2026-11-29/20261129T091838Z-0a1b2c3d')
  assert.equal(placeOf({ ...recording, host: '', command: '' }, {}), 'app=unknown/host=unknown/date=2026-11-29/20261129T091838Z-0a1b2c3d')
  assert.equal(placeOf(recording, { app: '../x=y', host: '..' }), 'app=%2E%2E%2Fx%3Dy/host=%2E%2E/date=2026-11-29/20261129T091838Z-0a1b2c3d')
})
