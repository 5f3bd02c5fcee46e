'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { makeDirectory } = require('../../lib/make-directory')

test('creates what is missing, for this user only', (t) => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-directory-'))
  t.after(() => fs.rmSync(root, { recursive: true }))
  const deep = path.join(root, 'a', 'b')
  makeDirectory(deep)
  makeDirectory(deep)
  assert.equal(fs.statSync(deep).mode & 0o777, 0o700)
  fs.writeFileSync(path.join(root, 'file'), '')
  assert.throws(() => makeDirectory(path.join(root, 'file')), { code: 'ENOTDIR' })
  assert.throws(() => makeDirectory(path.join(root, 'file', 'below')), { code: 'ENOTDIR' })
})

// fs.mkdirSync with `recursive` never returns from this in Node 20.
test('gives up where the kernel refuses', () => {
  assert.throws(() => makeDirectory('/proc/no/such/place'), { code: 'ENOENT' })
})
