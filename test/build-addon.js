'use strict'

// Small addons of the tests' own, built against the headers of a Node.

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { buildKey, describeNode, headersPrefix } = require('../scripts/tasks/node-release')
const { capture } = require('../scripts/tasks/step')
const { BUILD, ROOT, madeMs, newestChangeMs } = require('../scripts/tasks/tree')

/**
 * @param {string} source relative to the root
 * @param {string} node the program that loads it
 * @param {string[]} [inputs] what else it is built from
 * @returns {Promise<string>} the addon's file
 */
async function buildAddon (source, node, inputs = []) {
  const release = describeNode(node)
  const file = path.join(BUILD, 'test-addons', buildKey(release), `${path.basename(source, '.cc')}.node`)
  if (madeMs(file) > newestChangeMs([source, ...inputs])) return file
  const prefix = await headersPrefix(release)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  const { ok, stderr } = capture(['g++', '-std=c++20', '-O2', '-Wall', '-Werror', '-shared', '-fPIC', '-I', path.join(prefix, 'include', 'node'),
    '-I', 'src', source, '-o', draft], { cwd: ROOT })
  assert.ok(ok, stderr)
  // Other test files may build it at the same time.
  fs.renameSync(draft, file)
  return file
}

module.exports = { buildAddon }
