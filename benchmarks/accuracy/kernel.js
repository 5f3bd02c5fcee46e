'use strict'

// When the kernel itself had each connection's bytes: the trace point tcp_probe,
// which fires for each segment right before the socket becomes readable, by way
// of tracefs. Root only.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const TRACEFS = '/sys/kernel/tracing'
const INSTANCE = path.join(TRACEFS, 'instances', 'edgewise-accuracy')
const EVENT = path.join('events', 'tcp', 'tcp_probe')
const BUFFER_KB = 65_536 // of each processor

/**
 * @param {number} port the server's
 * @returns {{ stop: () => Map<number, number[]> } | { unavailable: string }} stop: the times
 *   (CLOCK_MONOTONIC, ns, to 1 µs) at which the server's connections received bytes, ascending, by the client's port
 */
function watchKernel (port) {
  if (process.getuid?.() !== 0) return { unavailable: 'needs root (a trace point through tracefs)' }
  let mounted = false
  try {
    mounted = mountTracefs()
    if (!fs.existsSync(path.join(TRACEFS, EVENT))) throw new Error('this kernel has no trace point tcp_probe')
    removeInstance()
    fs.mkdirSync(INSTANCE)
    write('trace_clock', 'mono')
    write('buffer_size_kb', String(BUFFER_KB))
    write(path.join(EVENT, 'filter'), `sport == ${port} && data_len > 0`)
    write(path.join(EVENT, 'enable'), '1')
  } catch (error) {
    release(mounted)
    return { unavailable: String(error.message).split('\n')[0] }
  }
  return {
    stop () {
      write('tracing_on', '0')
      const text = fs.readFileSync(path.join(INSTANCE, 'trace'), 'utf8')
      release(mounted)
      return parse(text)
    }
  }
}

/** @returns {boolean} whether it was not mounted before */
function mountTracefs () {
  if (fs.existsSync(path.join(TRACEFS, 'trace_clock'))) return false
  execFileSync('mount', ['-t', 'tracefs', 'nodev', TRACEFS], { stdio: 'pipe' })
  return true
}

function write (file, text) {
  fs.writeFileSync(path.join(INSTANCE, file), text)
}

// Also what an interrupted run has left.
function removeInstance () {
  if (!fs.existsSync(INSTANCE)) return
  write(path.join(EVENT, 'enable'), '0')
  fs.rmdirSync(INSTANCE)
}

function release (mounted) {
  try {
    removeInstance()
    if (mounted) execFileSync('umount', [TRACEFS], { stdio: 'pipe' })
  } catch (error) {
    process.stderr.write(`left behind: ${TRACEFS}: ${error.message}\n`)
  }
}

// "  node-12 [001] b.s21 4183.922488: tcp_probe: family=AF_INET src=127.0.0.1:3999 dest=127.0.0.1:51234 mark=0 data_len=80 ..."
const LINE = /\s(\d+)\.(\d{6}): tcp_probe: .* dest=\S*:(\d+) /

/** @param {string} text @returns {Map<number, number[]>} */
function parse (text) {
  /** @type {Map<number, number[]>} */
  const times = new Map()
  for (const line of text.split('\n')) {
    const match = LINE.exec(line)
    if (!match) continue
    const port = Number(match[3])
    const ns = Number(match[1]) * 1e9 + Number(match[2]) * 1e3
    const known = times.get(port)
    if (known === undefined) times.set(port, [ns])
    else known.push(ns)
  }
  for (const known of times.values()) known.sort((a, b) => a - b)
  return times
}

module.exports = { watchKernel }
