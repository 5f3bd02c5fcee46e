'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')

test('what index.d.ts promises can be required and imported by name', async () => {
  const types = fs.readFileSync(path.join(__dirname, '../../lib/index.d.ts'), 'utf8')
  const promised = [...types.matchAll(/^export function (\w+)/gm)].map(([, name]) => name).sort()
  assert.ok(promised.includes('request'))
  assert.deepEqual(Object.keys(require('../../lib')).sort(), promised)
  const imported = Object.keys(await import('edgewise')).filter((name) => !['default', 'module.exports'].includes(name))
  assert.deepEqual(imported.sort(), promised)
})
