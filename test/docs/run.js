'use strict'

// A reader's directory: what a page says is typed there, one command after the other.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { freePort } = require('../../benchmarks/apps/service')
const { listens } = require('../listens')

/** What runs until Ctrl-C. */
const STAYS = /--require edgewise\/register|\bedgewise (view|record)\b/
const ADDRESS = /http:\/\/\S+/
const LIMIT_MS = 60_000
const REQUESTS = 40

/** @typedef {{ stdout: string, stderr: string, code: number | null, signal: NodeJS.Signals | null }} Ended */
/** @typedef {{ cwd: string, env: NodeJS.ProcessEnv, port: number }} Reader */

/**
 * @param {string} cwd an empty directory
 * @param {string} registry its address
 * @returns {Promise<Reader>}
 */
async function reader (cwd, registry) {
  const port = await freePort()
  const kept = Object.entries(process.env).filter(([name]) => !/^(EDGEWISE_|NODE_|npm_|NO_COLOR|FORCE_COLOR)/i.test(name))
  const npm = { npm_config_registry: registry, npm_config_cache: path.join(cwd, '.npm'), npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' }
  const env = { ...Object.fromEntries(kept), ...npm, PORT: String(port), PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}` }
  fs.writeFileSync(path.join(cwd, 'package.json'), '{ "private": true }\n')
  return { cwd, env, port }
}

/**
 * Runs a command as a reader does, who ends with Ctrl-C what does not end itself.
 * @param {string} command
 * @param {Reader} here
 * @returns {Promise<Ended>}
 * @throws {assert.AssertionError} it fails, or does not do what it is for
 */
async function type (command, here) {
  const child = spawn('sh', ['-c', command], { cwd: here.cwd, env: here.env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (data) => { output.stdout += data })
  child.stderr.on('data', (data) => { output.stderr += data })
  /** @type {Promise<Ended>} */
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ ...output, code, signal })))
  let over = false
  ended.then(() => { over = true })
  const strike = (/** @type {NodeJS.Signals} */ signal) => { if (child.pid && !over) process.kill(-child.pid, signal) }
  const late = setTimeout(() => strike('SIGKILL'), LIMIT_MS)
  try {
    if (!STAYS.test(command)) {
      const result = await ended
      assert.equal(result.code, 0, `${command}\nended with ${result.code ?? result.signal}\n${result.stdout}${result.stderr}`)
      return result
    }
    await (command.includes('edgewise view') ? looks(output, ended) : asks(here.port, output, ended))
    strike('SIGINT')
    const result = await ended
    assert.ok(result.signal === 'SIGINT' || [0, 130].includes(Number(result.code)), `${command}\nafter Ctrl-C: ${result.code ?? result.signal}\n${result.stderr}`)
    return result
  } finally {
    clearTimeout(late)
    strike('SIGKILL')
  }
}

/**
 * Waits for what a command is to show.
 * @param {() => Promise<boolean> | boolean} seen
 * @param {{ stdout: string, stderr: string }} output
 * @param {Promise<Ended>} ended
 */
async function until (seen, output, ended) {
  let over = false
  ended.then(() => { over = true })
  while (!await seen()) {
    assert.ok(!over, `it ended before it was asked\n${output.stdout}${output.stderr}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A browser at the address that is printed. @param {{ stdout: string, stderr: string }} output @param {Promise<Ended>} ended */
async function looks (output, ended) {
  await until(() => ADDRESS.test(output.stdout), output, ended)
  const response = await fetch(String(ADDRESS.exec(output.stdout)))
  assert.equal(response.status, 200)
  assert.match(await response.text(), /<html/i)
}

/** Users of the server. @param {number} port @param {{ stdout: string, stderr: string }} output @param {Promise<Ended>} ended */
async function asks (port, output, ended) {
  await until(() => listens(port), output, ended)
  for (let sent = 0; sent < REQUESTS; sent++) {
    const response = await fetch(`http://127.0.0.1:${port}/`)
    assert.equal(response.status, 200)
    await response.arrayBuffer()
  }
}

module.exports = { REQUESTS, reader, type }
