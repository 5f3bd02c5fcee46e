'use strict'

// What prebuilt addons are for: platforms, and Nodes.

/**
 * @typedef {object} Target
 * @property {string} name of the platform, as npm has it: a package of that name holds its addons
 * @property {string} triple of the compiler; with the oldest glibc that it runs on
 * @property {'x64' | 'arm64'} cpu
 * @property {'glibc' | 'musl'} libc
 */

/** @type {Target[]} */
const TARGETS = [
  { name: 'linux-x64', triple: 'x86_64-linux-gnu.2.28', cpu: 'x64', libc: 'glibc' },
  { name: 'linux-arm64', triple: 'aarch64-linux-gnu.2.28', cpu: 'arm64', libc: 'glibc' },
  { name: 'linux-x64-musl', triple: 'x86_64-linux-musl', cpu: 'x64', libc: 'musl' },
  { name: 'linux-arm64-musl', triple: 'aarch64-linux-musl', cpu: 'arm64', libc: 'musl' }
]

/** Major versions of Node, each with its own ABI. */
const NODES = ['20', '22', '24', '26']

module.exports = { NODES, TARGETS }
