'use strict'

// The patched Node as an addon of stock headers sees it.

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { PATCHES } = require('../../lib/native/patched-node')
const { readPatches } = require('../../scripts/tasks/patch-series')
const { addonFile } = require('../../scripts/tasks/addon')
const { describeNode } = require('../../scripts/tasks/node-release')
const { buildAddon } = require('../build-addon')
const { eventsAddon } = require('./events-addon')
const { patchedNode, runPatched } = require('./patched-node')

for (const name of ['times', 'node-events', 'many-parts', 'pool']) {
  test(name, async () => { runPatched([], name, { args: [await eventsAddon()] }) })
}

test('thread-pool', async () => {
  runPatched([], 'thread-pool', { args: [await buildAddon('test/addon/work.cc', patchedNode())] })
})

test('it is Node 20 for addons: same version, same ABI, and the product loads', () => {
  const node = describeNode(patchedNode())
  const { version } = JSON.parse(fs.readFileSync(path.join(PATCHES, 'base.json'), 'utf8'))
  assert.strictEqual(node.version, `v${version}`)
  assert.strictEqual(node.abi, '115')
  const loaded = spawnSync(node.execPath, ['-p', 'typeof require(process.argv[1])', addonFile(node)], { encoding: 'utf8' })
  assert.strictEqual(loaded.stdout, 'object\n', loaded.stderr)
})

test('the addon knows a stock Node by the absence of the interface', async () => {
  const program = 'console.log(require(process.argv[1]).version())'
  const version = node => spawnSync(node, ['-e', program, '--', file], { encoding: 'utf8' }).stdout
  const file = await eventsAddon()
  assert.strictEqual(version(patchedNode()), '2\n')
  assert.strictEqual(version(process.execPath), '0\n')
})

test('a snapshot is built without events, and a stock one is refused', t => {
  const work = fs.mkdtempSync(path.join(require('node:os').tmpdir(), 'edgewise-snapshot-'))
  t.after(() => fs.rmSync(work, { recursive: true }))
  const program = path.join(__dirname, 'programs', 'snapshot.js')
  const blob = path.join(work, 'own.blob')
  const file = patchedNode()
  const run = (node, ...args) => spawnSync(node, args, { encoding: 'utf8', cwd: work })
  const built = run(file, '--allow-natives-syntax', '--snapshot-blob', blob, '--build-snapshot', program)
  assert.strictEqual(built.status, 0, built.stderr)
  const restored = run(file, '--allow-natives-syntax', '--snapshot-blob', blob, 'main.js')
  assert.strictEqual(restored.stdout, 'built 0 false, restored 0\n', restored.stderr)
  const stock = path.join(work, 'stock.blob')
  if (run(process.execPath, '--snapshot-blob', stock, '--build-snapshot', program).status === 0) {
    assert.notStrictEqual(run(file, '--snapshot-blob', stock, 'main.js').status, 0)
  }
})

test('src/hooks/event_api.h is the interface that the series adds', () => {
  const { text } = readPatches(PATCHES).find(patch => patch.name === 'event-words-and-c-api.patch')
  const added = /^\+\+\+ b\/deps\/v8\/src\/execution\/event-api\.h\n@@.*\n((?:\+.*\n)*)/m.exec(text)?.[1].replace(/^\+/mg, '')
  // Each is formatted as its neighbours are.
  const words = source => source.replace(/\s+/g, ' ')
  assert.strictEqual(words(fs.readFileSync(path.join(__dirname, '../../src/hooks/event_api.h'), 'utf8')), words(added))
})
