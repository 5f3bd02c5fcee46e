'use strict'

// Compiling a tree of Node's sources: configure, ninja, and the program put
// where lib/native/patched-node.js looks for it.

const fs = require('node:fs')
const path = require('node:path')
const { cacheEnvironment } = require('./compiler-cache')
const { provideCares } = require('./node-dependencies')
const { TaskError, runStep } = require('./step')
const { ROOT, madeMs } = require('./tree')

const CLANG = 19
// When one of these changes, what ninja is to do may be another thing.
const DESCRIPTIONS = ['common.gypi', 'node.gyp', 'node.gypi', 'configure.py', 'deps/v8/BUILD.gn', 'deps/uv/uv.gyp',
  'tools/v8_gypfiles/v8.gyp', 'tools/v8_gypfiles/features.gypi']

/**
 * @param {string} tree
 * @param {object} base patches/base.json
 * @param {{sources: string, jobs: number, debug: boolean}} options
 * @returns {Promise<string>} the program
 * @throws {TaskError} with the end of the compiler's output
 */
async function compileNode (tree, base, { sources, jobs, debug }) {
  const env = compilerEnvironment(sources)
  const build = path.join(tree, 'out', debug ? 'Debug' : 'Release')
  const command = await configureCommand(base, sources, env, debug)
  if (!isConfigured(tree, build, command)) {
    await runStep('node-configure', 'node: configuring', command, { cwd: tree, env })
    fs.writeFileSync(path.join(build, CONFIGURED), command.join('\n'))
  }
  await runStep('node-build', `node: compiling with ${jobs} jobs (about an hour on 2 cores, minutes when little has changed)`,
    ['ninja', '-j', String(jobs), '-C', build, 'node'], {
      env, progress: ninjaProgress, hint: 'What has been compiled is kept. Next step: correct the first error in the log, then run the command again.'
    })
  return path.join(build, 'node')
}

const CONFIGURED = 'configured-by-edgewise'

function isConfigured (tree, build, command) {
  const stamp = path.join(build, CONFIGURED)
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== command.join('\n')) return false
  return DESCRIPTIONS.every(name => madeMs(path.join(tree, name)) < madeMs(stamp))
}

// Debian's own libraries where it has them new enough: they need no compiling.
async function configureCommand (base, sources, env, debug) {
  const cares = await provideCares(base, sources, env)
  return ['/usr/bin/python3', 'configure.py', '--ninja',
    // Without the definition a debug V8 has no --verify-heap.
    ...(debug ? ['--debug', '-Dv8_enable_verify_heap=1'] : []),
    '--without-npm', '--without-corepack', '--shared-zlib', '--shared-nghttp2', '--shared-brotli',
    '--shared-cares', `--shared-cares-includes=${cares}/include`, `--shared-cares-libpath=${cares}/lib`,
    '--shared-openssl', '--openssl-use-def-ca-store', '--with-intl=system-icu',
    // Node 20 does not use it, and configure insists on one: any library will do.
    '--shared-simdjson', '--shared-simdjson-libname=dl']
}

function compilerEnvironment (sources) {
  const gyp = path.join(ROOT, 'node_modules', 'node-gyp', 'gyp', 'pylib')
  if (!fs.existsSync(gyp)) throw new TaskError("node-gyp is not installed. Next step: run 'npm ci' or scripts/setup.")
  return {
    ...process.env,
    // A python in front of Debian's may lack what configure needs.
    PATH: `/usr/bin${path.delimiter}${process.env.PATH}`,
    PYTHONPATH: gyp,
    CC: `ccache clang-${CLANG}`,
    CXX: `ccache clang++-${CLANG}`,
    LDFLAGS: '-fuse-ld=lld-' + CLANG,
    ...cacheEnvironment(sources)
  }
}

// '[120/1514] CXX obj/...' is how ninja tells what it has begun.
function ninjaProgress (log) {
  return log.match(/^\[\d+\/\d+\]/mg)?.at(-1) ?? ''
}

/**
 * Copies a program into place, whole or not at all.
 * @param {string} built
 * @param {string} file
 */
function installNode (built, file) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  fs.copyFileSync(built, draft)
  fs.renameSync(draft, file)
}

module.exports = { compileNode, installNode, ninjaProgress }
