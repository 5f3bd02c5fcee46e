'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { PACKAGES, installPackages, missingPackages, requirePackages } = require('../../scripts/tasks/debian-packages')
const { temporaryTree, addPrograms } = require('./temporary-tree')

const SCRIPTS = path.join(__dirname, '..', '..', 'scripts')
const DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n'
const ALWAYS = ['addon', 'build']
const BUILD_NAMES = PACKAGES.filter(entry => ALWAYS.includes(entry.group)).map(entry => entry.name)

// A machine where dpkg knows `installed`, `works` are the commands that succeed, and steps are only noted.
function machineWith ({ osRelease = DEBIAN, uid = 0, interactive = false, installed = [], works = [], fail = [] }) {
  const steps = []
  return {
    osRelease,
    uid,
    interactive,
    steps,
    capture: command => ({
      ok: works.some(each => command.join(' ').startsWith(each)),
      stdout: command[0] === 'dpkg-query' ? installed.map(name => `ii  ${name}\n`).join('') : '',
      stderr: ''
    }),
    runStep: async (name, _title, command) => {
      steps.push(command.join(' '))
      const message = fail.shift()
      if (message) throw new Error(message)
      return ''
    }
  }
}

test('what dpkg has, or what works, is not missing', () => {
  assert.deepStrictEqual(missingPackages(ALWAYS, machineWith({ installed: BUILD_NAMES })), [])
  const byHand = machineWith({ installed: BUILD_NAMES.filter(name => name !== 'cmake'), works: ['cmake --version'] })
  assert.deepStrictEqual(missingPackages(ALWAYS, byHand), [])
  const without = machineWith({ installed: BUILD_NAMES.filter(name => name !== 'cmake') })
  assert.deepStrictEqual(missingPackages(ALWAYS, without).map(entry => entry.name), ['cmake'])
})

test('a removed package whose settings remain is missing', () => {
  const machine = machineWith({})
  machine.capture = () => ({ ok: false, stdout: BUILD_NAMES.map(name => `rc  ${name}\n`).join(''), stderr: '' })
  assert.deepStrictEqual(missingPackages(ALWAYS, machine).map(entry => entry.name), BUILD_NAMES)
})

test('every package has a reason and a proof, and is listed once', () => {
  for (const entry of PACKAGES) {
    assert.ok(entry.reason, entry.name)
    assert.ok(entry.command || entry.pkgConfig || entry.header, entry.name)
  }
  assert.strictEqual(new Set(PACKAGES.map(entry => entry.name)).size, PACKAGES.length)
})

const TWO = PACKAGES.filter(entry => ['cmake', 'libabsl-dev'].includes(entry.name))

test('root: one installation, no update of the lists', async () => {
  const machine = machineWith({})
  await installPackages(TWO, machine)
  assert.strictEqual(machine.steps.length, 1)
  assert.match(machine.steps[0], /^env DEBIAN_FRONTEND=noninteractive apt-get .*install --yes --no-install-recommends libabsl-dev cmake$/)
})

test('sudo without a password, or with one a person can type', async () => {
  const quiet = machineWith({ uid: 1000, works: ['sudo -n true'] })
  await installPackages(TWO, quiet)
  assert.match(quiet.steps[0], /^sudo -n env/)
  const typed = machineWith({ uid: 1000, works: ['sudo -V'], interactive: true })
  await installPackages(TWO, typed)
  assert.match(typed.steps[0], /^sudo env/)
})

test('the lists are updated only when a package is not found', async () => {
  const machine = machineWith({ fail: ['E: Unable to locate package cmake'] })
  await installPackages(TWO, machine)
  assert.deepStrictEqual(machine.steps.map(step => / (install|update)( |$)/.exec(step)[1]), ['install', 'update', 'install'])
  const other = machineWith({ fail: ['E: dpkg was interrupted'] })
  await assert.rejects(installPackages(TWO, other), /dpkg was interrupted/)
  assert.strictEqual(other.steps.length, 1)
})

test('neither root nor sudo: exactly what is missing, and the command', async () => {
  const machine = machineWith({ uid: 1000 })
  await assert.rejects(installPackages(TWO, machine), error => {
    assert.strictEqual(error.exitCode, 1)
    assert.match(error.message, /Missing Debian packages:\n {2}libabsl-dev {2}Abseil.*\n {2}cmake {8}builds the core/)
    assert.match(error.message, /not root.*As root: apt-get update && apt-get install libabsl-dev cmake$/)
    return true
  })
  assert.deepStrictEqual(machine.steps, [])
})

test('a step that does not install says what to install', () => {
  const machine = machineWith({ installed: ['g++', 'make', 'python3', 'pkg-config', 'nlohmann-json3-dev'] })
  assert.throws(() => requirePackages(['addon'], machine), /libabsl-dev {2}Abseil[^]*Next step, as root: apt-get update && apt-get install libabsl-dev$/)
  requirePackages(['addon'], machineWith({ installed: BUILD_NAMES }))
  assert.deepStrictEqual(machine.steps, [])
})

test('another system: what is missing, and its name', async () => {
  const fedora = machineWith({ osRelease: 'PRETTY_NAME="Fedora Linux 41"\nID=fedora\n' })
  await assert.rejects(installPackages(TWO, fedora), /libabsl-dev[^]*cmake[^]*This system is Fedora Linux 41: only Debian and Ubuntu/)
  await assert.rejects(installPackages(TWO, machineWith({ osRelease: '' })), /This system is an unknown one/)
  const derived = machineWith({ osRelease: 'ID=linuxmint\nID_LIKE="ubuntu debian"\n' })
  await installPackages(TWO, derived)
  assert.strictEqual(derived.steps.length, 1)
})

test('scripts/setup --check on a machine with nothing: names every package, changes nothing', t => {
  const root = temporaryTree(t)
  const bin = addPrograms(root, { 'dpkg-query': 'exit 1', 'apt-get': `touch ${root}/called` })
  const result = spawnSync(process.execPath, [path.join(SCRIPTS, 'setup'), '--check', '--with', 'check'],
    { env: { PATH: bin }, encoding: 'utf8' })
  assert.strictEqual(result.status, 1, result.stderr)
  for (const name of [...BUILD_NAMES, 'clang-format', 'clang-tidy']) assert.ok(result.stderr.includes(`\n  ${name} `), name)
  assert.ok(!fs.existsSync(path.join(root, 'called')))
})

test('the real tools: lists are fetched, packages installed, and then nothing is missing', t => {
  const root = temporaryTree(t, { installed: '' })
  const bin = addPrograms(root, {
    'dpkg-query': `while read -r name; do echo "ii  $name"; done < ${root}/installed`,
    'apt-get': `echo "$*" >> ${root}/calls
case "$*" in
*update) : > ${root}/lists ;;
*install*) [ -e ${root}/lists ] || { echo "E: Unable to locate package cmake"; exit 100; }
  for name; do echo "$name"; done >> ${root}/installed ;;
esac`
  })
  fs.symlinkSync('/usr/bin/env', path.join(bin, 'env'))
  fs.writeFileSync(path.join(root, 'run.js'), `
    const packages = require(${JSON.stringify(path.join(SCRIPTS, 'tasks', 'debian-packages.js'))})
    const machine = { ...packages.thisMachine(), osRelease: 'ID=debian', uid: 0 }
    packages.installPackages(packages.missingPackages(['addon', 'build'], machine), machine).then(() => {
      console.log(JSON.stringify(packages.missingPackages(['addon', 'build'], machine)))
    })`)
  const result = spawnSync(process.execPath, [path.join(root, 'run.js')], { env: { PATH: bin }, encoding: 'utf8' })
  assert.strictEqual(result.stdout.trim(), '[]', result.stderr)
  const calls = fs.readFileSync(path.join(root, 'calls'), 'utf8').trim().split('\n')
  assert.strictEqual(calls.length, 3)
  assert.ok(calls[2].endsWith(`--no-install-recommends ${BUILD_NAMES.join(' ')}`), calls[2])
})
