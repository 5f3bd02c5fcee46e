'use strict'

// Which processes a command has become, and what they listen on: from /proc,
// because the command may be `npm start`, a shell, or a cluster.

const fs = require('node:fs')

/** @typedef {{ pid: number, state: string, parent: number, group: number, session: number }} Process */
/** @typedef {{ port: number, address: string, pid: number }} Listener */

const LISTEN = '0A'
/** The address of who listens on all of IPv6, and of IPv4 too unless it was told not to. */
const ALL_IPV6 = '[::]'

/** @returns {Process[]} every process we can see, zombies left out */
function processes () {
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    const text = read(`/proc/${name}/stat`)
    if (!text) return []
    // The command in parentheses may hold spaces and parentheses itself.
    const [state, parent, group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return []
    return [{ pid: Number(name), state, parent: Number(parent), group: Number(group), session: Number(session) }]
  })
}

/** @returns {boolean} whether /proc is there, and tells of the processes whose numbers we know */
function seesProcesses () {
  try {
    return fs.readlinkSync('/proc/self') === String(process.pid)
  } catch {
    return false
  }
}

/**
 * The living processes that came from `root`: its descendants, and those of its
 * session whose parents are gone.
 *
 * @param {number} root a process that leads its own session
 * @returns {number[]}
 */
function treeOf (root) {
  const all = processes()
  const members = new Set([root])
  for (let grown = true; grown;) {
    grown = false
    for (const { pid, parent, session } of all) {
      if (members.has(pid) || !(members.has(parent) || session === root)) continue
      members.add(pid)
      grown = true
    }
  }
  return all.filter(({ pid }) => members.has(pid)).map(({ pid }) => pid)
}

/**
 * @param {number[]} pids
 * @returns {number} bytes: the peaks of their resident memory, summed, though they need not coincide
 */
function peakMemoryOf (pids) {
  const peaks = pids.map((pid) => Number(/^VmHWM:\s*(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0))
  return 1024 * peaks.reduce((sum, peak) => sum + peak, 0)
}

/**
 * @param {number[]} pids
 * @returns {Listener[]} the TCP sockets they listen on, one entry a port, by port
 */
function listenersOf (pids) {
  /** @type {Map<number, Listener>} */
  const found = new Map()
  for (const pid of pids) {
    const sockets = socketsOf(pid)
    if (sockets.size === 0) continue
    for (const { inode, port, address } of listeningSockets(pid)) {
      if (sockets.has(inode) && !found.has(port)) found.set(port, { port, address, pid })
    }
  }
  return Array.from(found.values()).sort((a, b) => a.port - b.port)
}

/** @param {number} pid @returns {Set<string>} inodes of its open sockets */
function socketsOf (pid) {
  const inodes = new Set()
  for (const name of list(`/proc/${pid}/fd`)) {
    try {
      const match = /^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/${pid}/fd/${name}`))
      if (match) inodes.add(match[1])
    } catch {} // Closed since.
  }
  return inodes
}

/** @param {number} pid a process whose network namespace counts */
function listeningSockets (pid) {
  return ['tcp', 'tcp6'].flatMap((table) => {
    const lines = read(`/proc/${pid}/net/${table}`).split('\n').slice(1)
    return lines.flatMap((line) => {
      const fields = line.trim().split(/\s+/)
      if (fields[3] !== LISTEN) return []
      const [address, port] = fields[1].split(':')
      return [{ inode: fields[9], port: parseInt(port, 16), address: addressOf(address) }]
    })
  })
}

/**
 * @param {string} hex 32-bit words, each little-endian
 * @returns {string} a host to connect to, as a URL has it; or ALL_IPV6
 */
function addressOf (hex) {
  const words = hex.match(/.{8}/g) ?? []
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).map((byte) => parseInt(byte, 16)).reverse())
  const mapped = bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  if (bytes.length === 4 && bytes.every((byte) => byte === 0)) return '127.0.0.1' // All of IPv4.
  if (bytes.length === 4 || mapped) return bytes.slice(-4).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[2 * i] << 8 | bytes[2 * i + 1]).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname
}

/** @param {string} file */
function read (file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return '' // The process has ended, or is not ours to look at.
  }
}

/** @param {string} directory */
function list (directory) {
  try {
    return fs.readdirSync(directory)
  } catch {
    return []
  }
}

module.exports = { ALL_IPV6, listenersOf, peakMemoryOf, seesProcesses, treeOf }
