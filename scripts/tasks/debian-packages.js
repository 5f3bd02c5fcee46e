'use strict'

// The Debian packages this project needs: the one list, and how they are installed.

const fs = require('node:fs')
const { TaskError, say, capture, runStep } = require('./step')

/**
 * `has` is the proof used where dpkg does not know the package (another
 * distribution, or a tool built by hand): `command`, `pkgConfig` or `header`.
 * @typedef {{name: string, group: string, reason: string, command?: string, pkgConfig?: string, header?: string}} Package
 */

/** @type {Package[]} */
const PACKAGES = [
  { name: 'g++', group: 'addon', command: 'g++', reason: 'compiles the addon and the core (C++20)' },
  { name: 'make', group: 'addon', command: 'make', reason: 'node-gyp builds the addon with it' },
  { name: 'python3', group: 'addon', command: 'python3', reason: 'node-gyp is configured by it' },
  { name: 'pkg-config', group: 'addon', command: 'pkg-config', reason: 'finds Abseil for the addon' },
  { name: 'libabsl-dev', group: 'addon', pkgConfig: 'absl_flat_hash_map', reason: 'Abseil: status, strings, hash tables' },
  { name: 'libpapi-dev', group: 'build', header: 'papi.h', reason: 'PAPI: instructions per cycle of collections, where the processor counts' },
  { name: 'cmake', group: 'build', command: 'cmake', reason: 'builds the core, its tests and the load generator' },
  { name: 'ninja-build', group: 'build', command: 'ninja', reason: 'runs the build that cmake describes' },
  { name: 'ccache', group: 'build', command: 'ccache', reason: 'keeps what was compiled: for the next checkout, and for other Nodes' },
  { name: 'libgtest-dev', group: 'build', header: 'gtest/gtest.h', reason: 'GoogleTest, for the native tests' },
  { name: 'libgmock-dev', group: 'build', header: 'gmock/gmock.h', reason: 'GoogleMock, for the native tests' },
  { name: 'libbenchmark-dev', group: 'build', header: 'benchmark/benchmark.h', reason: 'Google Benchmark, for ns per event' },
  { name: 'libcli11-dev', group: 'build', header: 'CLI/CLI.hpp', reason: 'reads the arguments of the load generator' },
  { name: 'nlohmann-json3-dev', group: 'addon', header: 'nlohmann/json.hpp', reason: 'writes the JSON of a report' },
  { name: 'git', group: 'build', command: 'git', reason: 'keeps the sources of Node and the patches apart; tests do so, too' },
  { name: 'redis-server', group: 'test', command: 'redis-server', reason: 'a truth program starts one of its own and shares its connection' },
  { name: 'postgresql', group: 'test', command: 'postgres', reason: 'test/protocols asks one of its own' },
  { name: 'mariadb-server', group: 'test', command: 'mariadbd', reason: 'test/protocols asks one of its own' },
  { name: 'memcached', group: 'test', command: 'memcached', reason: 'test/protocols asks one of its own' },
  { name: 'prometheus', group: 'test', command: 'prometheus', reason: 'a test has it scrape edgewise.metrics()' },
  { name: 'nginx-light', group: 'test', command: 'nginx', reason: 'a proxy between two services, in a test' },
  { name: 'haproxy', group: 'test', command: 'haproxy', reason: 'likewise' },
  { name: 'faketime', group: 'test', command: 'faketime', reason: 'a wall clock that is wrong, in a test' },
  { name: 'bpftrace', group: 'test', command: 'bpftrace', reason: 'a test listens to the probes with it' },
  { name: 'chromium', group: 'test', command: 'chromium', reason: 'test/page opens pages in it' },
  { name: 'firefox-esr', group: 'test', command: 'firefox-esr', reason: 'test/page opens pages in it' },
  { name: 'debootstrap', group: 'prebuilds', command: 'debootstrap', reason: 'makes the machines that packages are installed on' },
  { name: 'qemu-user-static', group: 'prebuilds', command: 'qemu-aarch64-static', reason: 'runs what is compiled for arm64' },
  { name: 'clang-format', group: 'check', command: 'clang-format', reason: 'checks the format of C++' },
  { name: 'clang-tidy', group: 'check', command: 'clang-tidy', reason: 'lints C++' },
  { name: 'dpkg-dev', group: 'node', command: 'dpkg-source', reason: 'unpacks the source package of Node' },
  { name: 'clang-19', group: 'node', command: 'clang++-19', reason: 'compiles Node' },
  { name: 'lld-19', group: 'node', command: 'ld.lld-19', reason: 'links Node' },
  { name: 'zlib1g-dev', group: 'node', header: 'zlib.h', reason: 'a library of Node' },
  { name: 'libbrotli-dev', group: 'node', pkgConfig: 'libbrotlienc', reason: 'a library of Node' },
  { name: 'libnghttp2-dev', group: 'node', pkgConfig: 'libnghttp2', reason: 'a library of Node' },
  { name: 'libssl-dev', group: 'node', pkgConfig: 'openssl', reason: 'a library of Node' },
  { name: 'libicu-dev', group: 'node', pkgConfig: 'icu-i18n', reason: 'a library of Node' },
  { name: 'librsvg2-bin', group: 'figures', command: 'rsvg-convert', reason: 'makes a PNG of a figure' },
  { name: 'clang', group: 'fuzz', command: 'clang++', reason: 'builds the fuzzer of the trace reader' },
  { name: 'libclang-rt-dev', group: 'fuzz', command: 'clang++', reason: 'libFuzzer and the sanitizers of clang' }
]

/**
 * What the installer asks of the machine; tests give another one.
 * @typedef {object} Machine
 * @property {string} osRelease text of /etc/os-release
 * @property {number} uid
 * @property {boolean} interactive a person can type a password
 * @property {(command: string[]) => {ok: boolean, stdout: string, stderr: string}} capture
 * @property {(name: string, title: string, command: string[], options?: object) => Promise<string>} runStep
 */

/** @returns {Machine} the machine this runs on */
function thisMachine () {
  return {
    osRelease: readIfThere('/etc/os-release'),
    uid: process.getuid?.() ?? -1,
    interactive: Boolean(process.stdin.isTTY) && !process.env.CI,
    capture,
    runStep
  }
}

/**
 * The packages of some groups that are neither installed nor otherwise there.
 * @param {string[]} groups of PACKAGES
 * @param {Machine} machine
 * @returns {Package[]} in the order of the list
 */
function missingPackages (groups, machine = thisMachine()) {
  const wanted = PACKAGES.filter(entry => groups.includes(entry.group))
  const installed = installedByDpkg(wanted, machine)
  return wanted.filter(entry => !installed.has(entry.name) && !isThere(entry, machine))
}

function installedByDpkg (wanted, machine) {
  const format = '${db:Status-Abbrev} ${Package}\n' // eslint-disable-line no-template-curly-in-string
  const names = wanted.map(entry => entry.name)
  const { stdout } = machine.capture(['dpkg-query', '--show', `--showformat=${format}`, ...names])
  const lines = stdout.split('\n').filter(line => line.startsWith('ii'))
  return new Set(lines.map(line => line.trim().split(/\s+/)[1]))
}

function isThere (entry, machine) {
  if (entry.command) return machine.capture([entry.command, '--version']).ok
  if (entry.pkgConfig) return machine.capture(['pkg-config', '--exists', entry.pkgConfig]).ok
  return machine.capture(['g++', '-x', 'c++', '-fsyntax-only', '-include', entry.header ?? '', '/dev/null']).ok
}

/**
 * Installs packages with apt-get, as root or through sudo.
 * @param {Package[]} missing
 * @param {Machine} machine
 * @throws {TaskError} when this user or system cannot: the message lists what is missing
 */
async function installPackages (missing, machine = thisMachine()) {
  const names = missing.map(entry => entry.name)
  const prefix = rightsPrefix(missing, machine)
  const apt = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=300']
  const install = [...apt, 'install', '--yes', '--no-install-recommends', ...names]
  const hint = `By hand: ${aptCommand(names)}`
  const title = `Debian packages: installing ${names.join(', ')}`
  try {
    await machine.runStep('apt-install', title, install, { hint })
  } catch (error) {
    if (!/Unable to locate package|no installation candidate|Failed to fetch/.test(error.message)) throw error
    say('  the package lists are missing or old')
    await machine.runStep('apt-update', 'Debian packages: updating the lists', [...apt, 'update'], { hint })
    await machine.runStep('apt-install', title, install, { hint })
  }
}

function rightsPrefix (missing, machine) {
  if (!isDebianLike(machine.osRelease)) {
    const system = /^PRETTY_NAME="?([^"\n]*)/m.exec(machine.osRelease)?.[1] ?? 'an unknown one'
    throw new TaskError(`${describeMissing(missing)}\nThis system is ${system}: only Debian and Ubuntu are set up ` +
      'automatically. Install what these packages hold, then run the command again.')
  }
  if (machine.uid === 0) return []
  if (machine.capture(['sudo', '-n', 'true']).ok) return ['sudo', '-n']
  if (machine.interactive && machine.capture(['sudo', '-V']).ok) return ['sudo']
  const names = missing.map(entry => entry.name)
  throw new TaskError(`${describeMissing(missing)}\nThis user is not root and has no password-less sudo. As root: ${aptCommand(names)}`)
}

function isDebianLike (osRelease) {
  const ids = [...osRelease.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)/mg)].flatMap(match => match[1].split(' '))
  return ids.includes('debian') || ids.includes('ubuntu')
}

/**
 * For a step that does not install: says what it lacks.
 * @param {string[]} groups
 * @throws {TaskError} when something is missing: what, and the command that installs it
 */
function requirePackages (groups, machine = thisMachine()) {
  const missing = missingPackages(groups, machine)
  if (missing.length === 0) return
  throw new TaskError(`${describeMissing(missing)}\nNext step, as root: ${aptCommand(missing.map(entry => entry.name))}`)
}

/** @param {Package[]} missing @returns {string} one line each, with its reason */
function describeMissing (missing) {
  const width = Math.max(...missing.map(entry => entry.name.length))
  const lines = missing.map(entry => `  ${entry.name.padEnd(width)}  ${entry.reason}`)
  return `Missing Debian packages:\n${lines.join('\n')}`
}

function aptCommand (names) {
  return `apt-get update && apt-get install ${names.join(' ')}`
}

function readIfThere (file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}

module.exports = { PACKAGES, thisMachine, missingPackages, installPackages, requirePackages, describeMissing }
