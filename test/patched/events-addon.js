'use strict'

// The addon of the tests, built against the headers of a stock Node 20.

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const { findPatchedNode } = require('../../lib/patched-node')
const { describeNode, headersPrefix } = require('../../scripts/tasks/node-release')
const { capture } = require('../../scripts/tasks/step')
const { BUILD, ROOT, madeMs, newestChangeMs } = require('../../scripts/tasks/tree')

const INPUTS = ['test/patched/addon', 'src/hooks/event_api.h']

/** @returns {Promise<string>} the addon's file */
async function eventsAddon () {
  const file = path.join(BUILD, 'test-patched', 'events.node')
  if (madeMs(file) > newestChangeMs(INPUTS)) return file
  const prefix = await headersPrefix(describeNode(findPatchedNode().file))
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const { ok, stderr } = capture(['g++', '-std=c++20', '-Wall', '-Werror', '-shared', '-fPIC', '-I', path.join(prefix, 'include', 'node'),
    '-I', 'src', 'test/patched/addon/events.cc', '-o', file], { cwd: ROOT })
  assert.ok(ok, stderr)
  return file
}

module.exports = { eventsAddon }
