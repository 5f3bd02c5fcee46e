'use strict'

// What Debian's source package of Node leaves out, because Debian packages it
// apart: JavaScript packages, taken from npm into deps/, and a c-ares that is
// newer than an older Debian's, built as a static library.

const fs = require('node:fs')
const path = require('node:path')
const { fetchArchive } = require('./debian-sources')
const { TaskError, runStep } = require('./step')

/**
 * @param {string} tree
 * @param {{version: string, dependencies: Record<string, string>}} base patches/base.json
 * @param {string} sources
 */
async function placeDependencies (tree, base, sources) {
  // configure names it, also when OpenSSL is the system's.
  write(tree, 'deps/openssl/nodejs-openssl.cnf', '')
  if (fs.existsSync(path.join(tree, 'deps', 'undici', 'undici.js'))) return
  const named = { acorn: 'acorn', 'cjs-module-lexer': 'cjs_module_lexer', undici: 'undici' }
  const versions = Object.entries(named).map(([name, header]) => [name, namedVersion(tree, header)])
  const wanted = [...versions, ...Object.entries(base.dependencies)].map(([name, version]) => `${name}@${version}`)
  const work = path.join(sources, 'npm')
  write(work, 'package.json', '{"private": true}\n')
  await runStep('node-npm', `node: fetching ${wanted.join(', ')} from npm`,
    ['npm', 'install', '--no-save', '--no-package-lock', '--ignore-scripts', ...wanted], {
      cwd: work, hint: 'Next step: is the npm registry reachable from here (npm ping)?'
    })
  await place(tree, path.join(work, 'node_modules'))
}

// The versions that Node itself says it has.
function namedVersion (tree, header) {
  const text = fs.readFileSync(path.join(tree, 'src', `${header}_version.h`), 'utf8')
  const version = /_VERSION "([^"]+)"/.exec(text)?.[1]
  if (!version) throw new TaskError(`src/${header}_version.h of the tree names no version`)
  return version
}

async function place (tree, modules) {
  const copied = {
    'acorn/dist/acorn.js': 'deps/acorn/acorn/dist/acorn.js',
    'acorn-walk/dist/walk.js': 'deps/acorn/acorn-walk/dist/walk.js',
    'cjs-module-lexer/lexer.js': 'deps/cjs-module-lexer/lexer.js',
    'cjs-module-lexer/dist/lexer.js': 'deps/cjs-module-lexer/dist/lexer.js'
  }
  for (const [from, to] of Object.entries(copied)) {
    // js2c, which embeds them, breaks on CR.
    write(tree, to, fs.readFileSync(path.join(modules, from), 'utf8').replaceAll('\r', ''))
  }
  const bundled = [
    ['minimatch/dist/commonjs/index.js', 'deps/minimatch/index.js'],
    ['undici/index-fetch.js', 'deps/undici/undici.js', '--define:esbuildDetection=1', '--keep-names']
  ]
  for (const [from, to, ...options] of bundled) {
    await runStep('node-bundle', `node: bundling ${to}`, [path.join(modules, '.bin', 'esbuild'), path.join(modules, from),
      '--bundle', '--platform=node', `--outfile=${path.join(tree, to)}`, ...options], { cwd: modules })
  }
}

/**
 * @param {object} base patches/base.json
 * @param {string} sources
 * @param {NodeJS.ProcessEnv} env with the compiler
 * @returns {Promise<string>} the prefix of its include and lib
 */
async function provideCares (base, sources, env) {
  const prefix = path.join(sources, 'cares')
  if (fs.existsSync(path.join(prefix, 'lib', 'libcares.a'))) return prefix
  const { suite, 'c-ares': version } = base.debian
  const archive = await fetchArchive(sources, suite, 'c-ares', version)
  const work = path.join(sources, `c-ares-${version}`)
  fs.mkdirSync(work, { recursive: true })
  const options = { env, cwd: work }
  await runStep('cares-unpack', `c-ares ${version}: unpacking`, ['tar', '-xf', archive, '--strip-components=1'], options)
  await runStep('cares-configure', `c-ares ${version}: configuring`, ['cmake', '-S', '.', '-B', 'build', '-G', 'Ninja',
    '-DCMAKE_BUILD_TYPE=Release', '-DCARES_STATIC=ON', '-DCARES_SHARED=OFF', '-DCARES_BUILD_TOOLS=OFF',
    '-DCMAKE_POSITION_INDEPENDENT_CODE=ON', '-DCMAKE_INSTALL_LIBDIR=lib', `-DCMAKE_INSTALL_PREFIX=${prefix}`], options)
  await runStep('cares-build', `c-ares ${version}: building`, ['ninja', '-C', 'build', 'install'], options)
  return prefix
}

function write (directory, name, text) {
  const file = path.join(directory, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}

module.exports = { placeDependencies, provideCares }
