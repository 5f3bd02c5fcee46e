'use strict'

// What needs no compiler of the prebuilt addons: what they are made of, what
// they may need of a machine, and how they are packed.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { execFileSync, spawnSync } = require('node:child_process')
const { test } = require('node:test')
const { checkBaseline } = require('../../scripts/tasks/prebuilds/baseline')
const { ninjaFile } = require('../../scripts/tasks/prebuilds/ninja-file')
const { writeUnits } = require('../../scripts/tasks/units')
const { packAll } = require('../../scripts/tasks/prebuilds/packages')
const { TARGETS } = require('../../scripts/tasks/prebuilds/targets')
const { ROOT } = require('../../scripts/tasks/tree')

function directoryFor (t) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-prebuilds-'))
  t.after(() => fs.rmSync(directory, { recursive: true, force: true }))
  return directory
}

test('a file that needs another library, or a newer C library, is refused', (t) => {
  const directory = directoryFor(t)
  const compile = (/** @type {string} */ name, /** @type {string} */ source, ...flags) => {
    const file = path.join(directory, name)
    const { status, stderr } = spawnSync('g++', ['-x', 'c++', '-shared', '-fPIC', '-o', file, '-', ...flags], { input: source, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    return file
  }
  checkBaseline(compile('old', 'extern "C" int one() { return 1; }', '-nostdlib'))
  assert.throws(() => checkBaseline(compile('foreign', '#include <string>\nstd::string two(int n) { return std::to_string(n); }')), /needs libstdc\+\+\.so\.6.*only the C library is everywhere/)
  // gettid() came with glibc 2.30.
  const newer = '#include <unistd.h>\nextern "C" int three() { return gettid(); }'
  assert.throws(() => checkBaseline(compile('newer', newer, '-nostdlib', '-lc')), /needs GLIBC_2\.3\d.*: the oldest machine has GLIBC_2\.28/)
  const otherwise = 'namespace std::__1 { struct text; } void four(std::__1::text*); extern "C" void five() { four(nullptr); }'
  assert.throws(() => checkBaseline(compile('otherwise', otherwise, '-nostdlib')), /needs _Z4fourPNSt3__14textE: Node\.js has no symbol of libc\+\+/)
  assert.throws(() => checkBaseline(__filename), /readelf/)
})

test('each part is compiled once for a platform, or once for each Node', (t) => {
  const home = directoryFor(t)
  const abseil = directoryFor(t)
  fs.mkdirSync(path.join(abseil, 'absl', 'base'), { recursive: true })
  for (const name of ['log.cc', 'log_test.cc', 'log_benchmark.cc']) fs.writeFileSync(path.join(abseil, 'absl', 'base', name), '')
  const nodes = [{ abi: '115', include: '/headers/20' }, { abi: '137', include: '/headers/24' }]
  const text = ninjaFile(TARGETS[0], { compiler: 'zig', abseil, include: '/headers' }, nodes, writeUnits(home))
  const times = (/** @type {string} */ file) => [...text.matchAll(/: cc (\S+)/g)].filter(([, source]) => source === file).length
  assert.match(fs.readFileSync(path.join(home, 'units', 'trace.cc'), 'utf8'), /^#include "trace\/reader\.cc"$/m)
  assert.equal(times('units/trace.cc'), 1)
  assert.equal(times('units/addon.cc'), 2)
  assert.equal(times('units/reporting.cc'), 1)
  assert.equal(times(path.join(ROOT, 'benchmarks/load/main.cc')), 1)
  assert.deepEqual([...text.matchAll(/: cc (\S+)/g)].flatMap(([, source]) => source.startsWith(abseil) ? path.basename(source) : []), ['log.cc'])
  for (const product of ['node-v115/edgewise.node', 'node-v137/edgewise.node', 'edgewise-report.node', 'edgewise-boostd', 'edgewise-poker', 'edgewise-load']) assert.match(text, new RegExp(`^build ${product}: `, 'm'))
})

test('the package takes those of the platforms, which say where they fit', async (t) => {
  const out = directoryFor(t)
  const compiled = path.join(out, 'compiled')
  fs.writeFileSync(compiled, 'binary', { mode: 0o755 })
  const archives = await packAll([{ name: 'linux-x64-musl', cpu: 'x64', libc: 'musl', nodes: ['20'], files: [{ file: compiled, as: 'node-v115/edgewise.node' }] }], out)
  const { version } = require('../../package.json')
  assert.deepEqual(archives.map((file) => path.basename(file)), [`edgewise-linux-x64-musl-${version}.tgz`, `edgewise-${version}.tgz`])
  const read = (/** @type {string} */ archive, /** @type {string} */ name) => execFileSync('tar', ['-xzOf', archive, `package/${name}`], { encoding: 'utf8' })
  const platform = JSON.parse(read(archives[0], 'package.json'))
  assert.deepEqual([platform.name, platform.version, platform.os, platform.cpu, platform.libc, platform.nodes], ['@edgewise/linux-x64-musl', version, ['linux'], ['x64'], ['musl'], ['20']])
  assert.equal(read(archives[0], 'node-v115/edgewise.node'), 'binary')
  const main = JSON.parse(read(archives[1], 'package.json'))
  assert.deepEqual(main.optionalDependencies, { '@edgewise/linux-x64-musl': version })
  assert.equal(main.devDependencies, undefined)
  assert.match(read(archives[1], 'lib/page/bundle.js'), /DecompressionStream/)
  const names = execFileSync('tar', ['-tzf', archives[1]], { encoding: 'utf8' })
  assert.ok(!/node_modules|\.cache|\.ewt/.test(names))
})

test('what is asked for is checked first', () => {
  for (const [args, said] of /** @type {[string[], RegExp][]} */ ([
    [['--target', 'mips'], /--target mips: must be of linux-x64, linux-arm64/],
    [['--node', 'new'], /--node new: must be versions/]
  ])) {
    const { status, stderr } = spawnSync(process.execPath, [path.join(ROOT, 'scripts/build-prebuilds'), ...args], { encoding: 'utf8' })
    assert.equal(status, 2)
    assert.match(stderr, said)
  }
})
