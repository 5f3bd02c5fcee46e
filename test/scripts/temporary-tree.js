'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

/**
 * A directory with some files in it, removed after the test.
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} files content by relative path
 * @returns {string} its absolute path
 */
function temporaryTree (t, files = {}) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-test-'))
  t.after(() => fs.rmSync(root, { recursive: true, force: true }))
  for (const [file, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    fs.writeFileSync(path.join(root, file), content)
  }
  return root
}

/**
 * Adds programs (shell scripts) to a tree and says what PATH finds only them.
 * @param {string} root
 * @param {Record<string, string>} programs script by name
 * @returns {string}
 */
function addPrograms (root, programs) {
  const bin = path.join(root, 'bin')
  fs.mkdirSync(bin, { recursive: true })
  for (const [name, script] of Object.entries(programs)) {
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  return bin
}

module.exports = { temporaryTree, addPrograms }
