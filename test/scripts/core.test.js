'use strict'

// What of the core is built, and when it is up to date.

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { LOAD, buildCore, coreIsFresh } = require('../../scripts/tasks/core')
const { addPrograms, temporaryTree } = require('./temporary-tree')

test('a profile builds the load generator alone; a build of all holds that, too', async t => {
  const root = temporaryTree(t)
  const directory = path.join(root, 'build')
  const said = path.join(root, 'said')
  const before = process.env.PATH
  process.env.PATH = `${addPrograms(root, { cmake: `echo "$*" >> ${said}; mkdir -p ${directory}` })}${path.delimiter}${before}`
  t.after(() => { process.env.PATH = before })
  const asked = () => fs.readFileSync(said, 'utf8').trim().split('\n').at(-1)
  assert.deepStrictEqual([coreIsFresh(LOAD, directory), coreIsFresh(undefined, directory)], [false, false])

  await buildCore(directory, { target: LOAD })
  assert.strictEqual(asked(), `--build ${directory} --target edgewise-load`)
  assert.deepStrictEqual([coreIsFresh(LOAD, directory), coreIsFresh(undefined, directory)], [true, false])

  fs.rmSync(directory, { recursive: true })
  await buildCore(directory)
  assert.strictEqual(asked(), `--build ${directory}`)
  assert.deepStrictEqual([coreIsFresh(LOAD, directory), coreIsFresh(undefined, directory)], [true, true])
})
