'use strict'

// Runs programs of test/patched/programs on the patched Node, or on its debug
// build: npm run test:patched -- --debug.

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const path = require('node:path')
const test = require('node:test')
const { findPatchedNode } = require('../../lib/native/patched-node')

const TIERS = {
  'every tier as V8 likes': [],
  Ignition: ['--no-sparkplug', '--no-turbofan'],
  Sparkplug: ['--always-sparkplug', '--no-turbofan'],
  TurboFan: ['--always-turbofan'],
  'TurboFan that inlines what it can': ['--always-turbofan', '--stress-inline']
}
const STRESS = {
  'stress: compaction': ['--stress-compaction', '--gc-interval=500'],
  'stress: scavenges': ['--stress-scavenge=100', '--semi-space-growth-factor=2'],
  'stress: incremental marking': ['--stress-incremental-marking'],
  'stress: flushed code': ['--stress-flush-code', '--flush-bytecode'],
  'stress: TurboFan and scavenges': ['--always-turbofan', '--stress-scavenge=100']
}
// V8's own checks, and all of the heap looked at around every collection.
const DEBUG = process.env.PATCHED_VARIANT === 'debug'
const CHECKS = DEBUG ? ['--verify-heap'] : []
const LIMIT_MS = DEBUG ? 1_800_000 : 300_000

/** @returns {string} the program that is tested */
function patchedNode () {
  return findPatchedNode({ variant: process.env.PATCHED_VARIANT }).file
}

/**
 * A program that asserts what it says, run under every tier and stress.
 * @param {string} name of the program
 * @param {Record<string, string[]>} [ways] flags by name
 */
function testProgram (name, ways = { ...TIERS, ...STRESS }) {
  for (const [way, flags] of Object.entries(ways)) {
    test(`${name}, ${way}`, () => { runPatched(flags, name) })
  }
}

/**
 * @param {string[]} flags
 * @param {string} name of a program
 * @param {{args?: string[]}} [options]
 * @returns {string} what it printed
 */
function runPatched (flags, name, { args = [] } = {}) {
  const node = patchedNode()
  const program = path.join(__dirname, 'programs', `${name}.js`)
  const command = ['--allow-natives-syntax', '--expose-gc', ...CHECKS, ...flags, program, ...args]
  const { status, signal, error, stdout, stderr } = spawnSync(node, command, {
    encoding: 'utf8', timeout: LIMIT_MS
  })
  assert.strictEqual(status, 0, `${node} ${command.join(' ')}: ${error ?? signal ?? status}\n${stderr}${stdout}`)
  return stdout
}

module.exports = { CHECKS, LIMIT_MS, TIERS, STRESS, patchedNode, runPatched, testProgram }
