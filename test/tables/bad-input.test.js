'use strict'

// Whatever is wrong: one clear line, and nothing half-written.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { ROOT, temporaryDirectory } = require('../e2e/recorded-app')
const { engines } = require('./engines')

const GOLDEN = path.join(ROOT, 'test/golden')

/** @param {any} t @param {string} name @returns {{ root: string, trace: string }} */
function golden (t, name) {
  const root = temporaryDirectory(t)
  const trace = path.join(root, 'trace')
  fs.mkdirSync(trace)
  fs.copyFileSync(path.join(GOLDEN, `${name}.ewt`), path.join(trace, '1-0.ewt'))
  return { root, trace }
}

/** @param {string} directory @returns {string} of the one recording below it */
const leafOf = (directory) => path.dirname(path.join(directory, fs.readdirSync(directory, { recursive: true }).map(String).find((file) => file.endsWith('meta.parquet')) ?? ''))

test('export: what cannot be read or written is one line, and leaves nothing', async (t) => {
  const found = await engines(t)
  if (!found) return
  const { root, trace } = golden(t, 'recorded-http')
  const out = path.join(root, 'out')
  const refused = (/** @type {string[]} */ args, /** @type {RegExp} */ message, status = 1) => {
    const run = found.edgewise(['export', 'parquet', ...args])
    assert.match(run.stderr, message)
    assert.equal(run.stderr.trim().split('\n').length, 1, run.stderr)
    assert.deepEqual([run.status, run.stdout], [status, ''])
  }
  refused([path.join(root, 'missing'), '--out', out], /^edgewise: .*missing does not exist/)
  fs.mkdirSync(path.join(root, 'foreign'))
  fs.writeFileSync(path.join(root, 'foreign/1-0.ewt'), 'no trace at all')
  refused([path.join(root, 'foreign'), '--out', out], /^edgewise: no usable trace in .*foreign/)
  // The second one fails: there is none of the first.
  refused([trace, path.join(root, 'foreign'), '--out', out], /^edgewise: no usable trace in .*foreign/)
  refused([trace, trace, '--out', out], /a trace is given twice/)
  refused([trace], /required option '--out <DIR2>' not specified/, 2)
  assert.equal(fs.existsSync(out), false)
  fs.writeFileSync(path.join(root, 'file'), '')
  refused([trace, '--out', path.join(root, 'file')], /cannot write tables to .*file: (ENOTDIR|EEXIST)/)
  assert.equal(found.edgewise(['export', 'parquet', trace, '--out', out]).status, 0)
  const before = fs.readdirSync(out, { recursive: true }).sort()
  refused([trace, '--out', out], /exists: this trace has been exported there; remove that, or choose another --out$/m)
  assert.deepEqual(fs.readdirSync(out, { recursive: true }).sort(), before)
})

test('export: of damaged traces what is there; app and host are no paths', async (t) => {
  const found = await engines(t)
  if (!found) return
  const { root, trace } = golden(t, 'faulty')
  const out = path.join(root, 'out')
  const { status, stdout, stderr } = found.edgewise(['export', 'parquet', trace, '--out', out, '--app', '../up', '--host', 'a b*'])
  assert.equal(status, 0, stderr)
  assert.equal(path.dirname(path.dirname(stdout.trim())), path.join(out, 'app=%2E%2E%2Fup/host=a%20b%2A'))
  const answer = found.edgewise(['query', out, 'SELECT DISTINCT app, host FROM requests', '--json'])
  assert.deepEqual(JSON.parse(answer.stdout), [{ app: '../up', host: 'a b*' }], answer.stderr)
})

test('export: a disk that is full', async (t) => {
  const found = await engines(t)
  if (!found) return
  if (process.getuid?.() !== 0) return t.skip('skipped: root only: it mounts a small disk')
  const { root, trace } = golden(t, 'well-formed')
  const disk = path.join(root, 'disk')
  fs.mkdirSync(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk], { encoding: 'utf8' })
  if (mounted.status !== 0) return t.skip(`skipped: no disk can be mounted: ${mounted.stderr}`)
  t.after(() => spawnSync('umount', [disk]))
  const { status, stdout, stderr } = found.edgewise(['export', 'parquet', trace, '--out', path.join(disk, 'out')])
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^edgewise: cannot write .*: No space left on device\n$/)
  assert.deepEqual(fs.readdirSync(disk), [])
})

test('query: what is no recording, no tables, of another version, or damaged', async (t) => {
  const found = await engines(t)
  if (!found) return
  const { root, trace } = golden(t, 'recorded-http')
  const tables = path.join(root, 'tables')
  assert.equal(found.edgewise(['export', 'parquet', trace, '--out', tables]).status, 0)
  const leaf = leafOf(tables)
  const refused = (/** @type {string[]} */ args, /** @type {RegExp} */ message, status = 1) => {
    const run = found.edgewise(['query', ...args])
    assert.match(run.stderr, message)
    assert.equal(run.stderr.trim().split('\n').length, 1, run.stderr)
    assert.deepEqual([run.status, run.stdout], [status, ''])
  }
  refused([], /what is the question\?/, 2)
  refused([tables], /what is the question\?/, 2)
  refused(['routes'], /of which recording\? Give directories before "routes"/, 2)
  refused([tables, 'rutes'], /"rutes" is no saved query: there are .*routes/, 2)
  refused([path.join(root, 'missing'), 'routes'], /missing does not exist/)
  refused([tables, ' -- nothing'], /there is no question in it/)
  refused([tables, 'SELECT\n  foo FROM requests'], /SQL, line 2, column 3: Binder Error: Referenced column "foo" not found/)
  refused([tables, `SELECT ${'1, '.repeat(60)}foo FROM requests`], /SQL, line 1, column 188: Binder Error/)
  refused([tables, 'SELEC 1'], /SQL, line 1, column 1: Parser Error: syntax error at or near "SELEC"/)
  const parquet = path.join(root, 'answer.parquet')
  refused([tables, 'SELECT 1; SELECT 2', '--parquet', parquet], /--parquet takes the answer of one question, and these are 2/)
  refused([tables, '\nSELECT foo', '--parquet', parquet], /SQL, line 2, column 8: Binder Error/)
  refused([tables, "SELECT 1) TO '/tmp/x'; --", '--parquet', parquet], /SQL, line 1/)
  assert.equal(fs.existsSync(parquet), false)
  fs.mkdirSync(path.join(root, 'empty'))
  refused([path.join(root, 'empty'), 'routes'], /holds neither a trace nor tables/)
  const meta = fs.readFileSync(path.join(leaf, 'meta.parquet'))
  // As a later edgewise would: the version is the last "1" after its key.
  const later = Buffer.from(meta)
  const at = later.lastIndexOf('edgewise.schema') + 'edgewise.schema'.length
  assert.equal(later.toString('latin1', at, at + 3), '\x18\x011')
  later[at + 2] = '2'.charCodeAt(0)
  fs.writeFileSync(path.join(leaf, 'meta.parquet'), later)
  refused([tables, 'routes'], /has tables of version 2, and this edgewise reads version 1/)
  fs.copyFileSync(path.join(root, 'tables', path.relative(tables, leaf), 'meta.parquet'), path.join(root, 'kept'))
  fs.writeFileSync(path.join(leaf, 'meta.parquet'), meta.subarray(0, meta.length - 5))
  refused([tables, 'routes'], /a table cannot be read: .*meta\.parquet.*: export its trace again/)
  fs.writeFileSync(path.join(leaf, 'meta.parquet'), 'PAR1')
  refused([tables, 'routes'], /a table cannot be read: .*: export its trace again/)
  const run = found.edgewise(['query', trace, "COPY (SELECT 1 AS a) TO '/dev/null'"])
  assert.equal(run.status, 1)
  fs.writeFileSync(path.join(leaf, 'meta.parquet'), meta)
  fs.rmSync(path.join(leaf, 'gcs.parquet'))
  refused([tables, 'routes'], /lacks gcs\.parquet: export its trace again/)
})

test('query: a damaged table of any kind is an error, not an end', async (t) => {
  const found = await engines(t)
  if (!found) return
  const { root, trace } = golden(t, 'recorded-http')
  const tables = path.join(root, 'tables')
  assert.equal(found.edgewise(['export', 'parquet', trace, '--out', tables]).status, 0)
  const file = path.join(leafOf(tables), 'requests.parquet')
  const whole = fs.readFileSync(file)
  for (const at of [4, 40, Math.floor(whole.length / 2), whole.length - 60]) {
    const damaged = Buffer.from(whole)
    for (let i = 0; i < 8; i++) damaged[at + i] ^= 0xA5
    fs.writeFileSync(file, damaged)
    const { status, stderr } = found.edgewise(['query', tables, 'SELECT * FROM requests ORDER BY ALL', '--json'])
    assert.ok(status === 0 || (status === 1 && /^edgewise: .+\n$/.test(stderr)), `${at}: ${status} ${stderr}`)
  }
})
