'use strict'

// The sources of Node that the series applies to, as a git tree whose tag
// edgewise-base is what came from outside: a given checkout, or Debian's source
// package, with the JavaScript packages that Debian takes out of it.

const fs = require('node:fs')
const path = require('node:path')
const { fetchSource } = require('./debian-sources')
const { placeDependencies } = require('./node-dependencies')
const { BASE, git } = require('./patch-series')
const { TaskError, runStep, say } = require('./step')

// Written by configure and ninja: no sources.
const PRODUCTS = ['out', 'config.gypi', 'config.mk', 'config.status', 'icu_config.gypi']

/**
 * Provides a tree, unless it is there.
 * @param {string} tree where it goes
 * @param {object} base patches/base.json
 * @param {string} sources the directory of what is fetched
 * @param {string} [given] a checkout or unpacked archive to copy
 * @throws {TaskError}
 */
async function provideSource (tree, base, sources, given) {
  if (fs.existsSync(path.join(tree, '.git', 'refs', 'tags', BASE))) return
  fs.rmSync(tree, { recursive: true, force: true })
  const draft = `${tree}.draft`
  fs.rmSync(draft, { recursive: true, force: true })
  if (given) await copySource(given, draft)
  else await unpackDebian(base, sources, draft)
  checkVersion(draft, base)
  await placeDependencies(draft, base, sources)
  await recordBase(draft)
  fs.renameSync(draft, tree)
}

async function copySource (given, draft) {
  fs.mkdirSync(draft)
  const names = [...['.git', ...PRODUCTS].map(name => `--exclude=./${name}`), '.']
  await runStep('node-copy', `node: copying ${given}`, ['sh', '-c', 'tar -C "$0" -cf - "$@" | tar -xf -', given, ...names], { cwd: draft })
}

async function unpackDebian (base, sources, draft) {
  const { source, suite, version } = base.debian
  const description = await fetchSource(sources, suite, source, version)
  await runStep('node-unpack', `node: unpacking ${path.basename(description)}`,
    ['dpkg-source', '--no-check', '--extract', description, draft])
  fs.rmSync(path.join(draft, '.pc'), { recursive: true }) // Each patched file as it was before.
}

function checkVersion (tree, { version }) {
  const header = path.join(tree, 'src', 'node_version.h')
  const text = fs.existsSync(header) ? fs.readFileSync(header, 'utf8') : ''
  const part = name => new RegExp(`#define NODE_${name}_VERSION (\\d+)`).exec(text)?.[1]
  const found = ['MAJOR', 'MINOR', 'PATCH'].map(part).join('.')
  if (found !== version) {
    throw new TaskError(`The sources are of Node ${text ? found : '(no src/node_version.h)'}; the patches are for ${version}.\n` +
      `Next step: npm run build:node -- --source DIR, with a checkout of v${version}.`)
  }
}

async function recordBase (tree) {
  say('node: recording the sources in git ...')
  git(tree, ['init', '--quiet', '--initial-branch=base'])
  fs.appendFileSync(path.join(tree, '.git', 'info', 'exclude'), [...PRODUCTS.map(name => `/${name}`), '*.pyc'].join('\n'))
  for (const [name, value] of [['user.name', 'edgewise'], ['user.email', 'edgewise@localhost'], ['gc.auto', '0'], ['core.autocrlf', 'false']]) {
    git(tree, ['config', name, value])
  }
  // --force: what the tree's own .gitignore passes over is a source here.
  git(tree, ['add', '--all', '--force', '.'])
  git(tree, ['commit', '--quiet', '--message', 'Node, as it came'])
  git(tree, ['tag', BASE])
}

module.exports = { provideSource }
