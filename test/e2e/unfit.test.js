'use strict'

// Machines, Nodes and packages that do not fit: one line says so, and the
// application runs on.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')

const ROOT = path.join(__dirname, '../..')
const BUILT = path.join(ROOT, 'build', `node-v${process.versions.modules}-${process.platform}-${process.arch}`)
const LIBC = process.report.getReport().header.glibcVersionRuntime ? '' : '-musl'
const OWN = `linux-${process.arch}${LIBC}`
const OTHER_LIBC = `linux-${process.arch}${LIBC ? '' : '-musl'}`
const OTHER_PROCESSOR = process.arch === 'x64' ? 'linux-arm64' : 'linux-x64'
const UNRECORDED = '; the application goes on unrecorded\n'
const COMPILE = "'npm rebuild edgewise --foreground-scripts', which compiles it and says what that needs"

/**
 * The package in an application's node_modules, with those of platforms beside it.
 *
 * @param {any} t
 * @param {Record<string, Record<string, string | Buffer>>} platforms files of each
 */
function installed (t, platforms) {
  const application = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-unfit-')))
  t.after(() => fs.rmSync(application, { recursive: true, force: true }))
  const home = path.join(application, 'node_modules', 'edgewise')
  for (const name of ['lib', 'bin', 'scripts', 'patches', 'package.json']) fs.cpSync(path.join(ROOT, name), path.join(home, name), { recursive: true })
  for (const name of Object.keys(require('../../package.json').dependencies)) {
    fs.mkdirSync(path.dirname(path.join(application, 'node_modules', name)), { recursive: true })
    fs.symlinkSync(path.join(ROOT, 'node_modules', name), path.join(application, 'node_modules', name))
  }
  for (const [platform, files] of Object.entries(platforms)) {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(application, 'node_modules', '@edgewise', platform, name)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, content)
    }
  }
  const run = (/** @type {string[]} */ args, env = {}) => {
    const { EDGEWISE_OUT: _, NODE_OPTIONS: __, ...own } = process.env
    return spawnSync(process.execPath, args, { cwd: application, env: { ...own, ...env }, encoding: 'utf8' })
  }
  /** @param {string} [before] what is made of this machine first */
  const serve = (before = '') => {
    fs.writeFileSync(path.join(application, 'before.js'), before)
    return run(['--require', './before.js', '--require', 'edgewise/register', '-e', 'setTimeout(() => console.log("served"), 10)'])
  }
  return { application, run, serve }
}

const nodes = (/** @type {string[]} */ list) => JSON.stringify({ name: '@edgewise/any', nodes: list })

for (const { name, platforms, said } of /** @type {{ name: string, platforms: Record<string, Record<string, string>>, said: string }[]} */ ([
  {
    name: 'no package of a platform',
    platforms: {},
    said: `the addon is not built for Node ${process.version} (${path.basename(BUILT)}); run 'npm install @edgewise/${OWN}', or ${COMPILE}`
  },
  {
    name: 'a Node with another ABI than those that are packed',
    platforms: { [OWN]: { 'package.json': nodes(['97', '98']) } },
    said: `@edgewise/${OWN} is for Node 97, 98, and this is Node ${process.version}; use one of those, or run ${COMPILE}`
  },
  {
    name: 'what is installed is for the other C library',
    platforms: { [OTHER_LIBC]: { 'package.json': nodes(['20']) } },
    said: `@edgewise/${OTHER_LIBC} is installed, and this Node (${process.arch}, ${LIBC ? 'musl' : 'glibc'}) needs @edgewise/${OWN}; run 'npm install @edgewise/${OWN}', or ${COMPILE}`
  },
  {
    name: 'what is installed is for another processor',
    platforms: { [OTHER_PROCESSOR]: { 'package.json': nodes(['20']) } },
    said: `@edgewise/${OTHER_PROCESSOR} is installed, and this Node (${process.arch}, ${LIBC ? 'musl' : 'glibc'}) needs @edgewise/${OWN}; run 'npm install @edgewise/${OWN}', or ${COMPILE}`
  }
])) {
  test(name, (t) => {
    const { run, serve } = installed(t, platforms)
    const { status, stdout, stderr } = serve()
    assert.deepEqual([status, stdout, stderr], [0, 'served\n', `edgewise: ${said}${UNRECORDED}`])
    const doctor = run(['node_modules/edgewise/bin/edgewise.js', 'doctor', '--json'])
    assert.equal(doctor.status, 1)
    const { checks } = JSON.parse(doctor.stdout)
    assert.equal(checks.find((/** @type {any} */ check) => check.name === 'addon').reason, said)
  })
}

test('an addon of another Node, or no addon at all, under the right name', (t) => {
  const at = `node-v${process.versions.modules}/edgewise.node`
  const { serve } = installed(t, { [OWN]: { 'package.json': nodes(['20']), [at]: 'no ELF file' } })
  const { status, stdout, stderr } = serve()
  assert.deepEqual([status, stdout], [0, 'served\n'])
  assert.match(stderr, /^edgewise: the addon does not load in Node v[^\n]*; run 'npm rebuild edgewise [^\n]*; the application goes on unrecorded\n$/)
})

for (const [platform, arch] of [['darwin', 'arm64'], ['win32', 'x64'], ['linux', 's390x']]) {
  const fake = `for (const [name, value] of Object.entries(${JSON.stringify({ platform, arch })})) Object.defineProperty(process, name, { value })`
  const never = `edgewise records on Linux on x64 and arm64 only, and this is ${platform} on ${arch}`
  test(`${platform} on ${arch}`, (t) => {
    const { run, serve } = installed(t, {})
    const { status, stdout, stderr } = serve(fake)
    assert.deepEqual([status, stdout, stderr], [0, 'served\n', `edgewise: ${never}${UNRECORDED}`])
    const install = run(['--require', './before.js', 'node_modules/edgewise/scripts/install'])
    assert.deepEqual([install.status, install.stderr], [0, `edgewise: ${never}; the application is installed without it\n`])
  })
}

test('a profile that nothing would record ends before its load begins, and says why', (t) => {
  const { application, run } = installed(t, {})
  fs.writeFileSync(path.join(application, 'app.js'), "require('node:http').createServer((request, response) => response.end()).listen(0)")
  const { status, stderr } = run(['node_modules/edgewise/bin/edgewise.js', 'profile', '--load', 'echo loaded > loaded', '--', process.execPath, 'app.js'])
  assert.equal(status, 1)
  assert.match(stderr, /edgewise: no trace was written to [^\n]*: the addon is not built for Node [^\n]*\n$/)
  assert.ok(!fs.existsSync(path.join(application, 'loaded')))
  const recorded = run(['node_modules/edgewise/bin/edgewise.js', 'record', '--', process.execPath, '-e', '0'])
  assert.equal(recorded.status, 1)
  assert.match(recorded.stderr, /edgewise: no trace was written to [^\n]*: the addon is not built for Node [^\n]*\n$/)
})
