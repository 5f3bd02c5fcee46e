'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { ROOT } = require('../../scripts/tasks/tree')

const EDGEWISE = path.join(ROOT, 'bin', 'edgewise.js')

/**
 * `edgewise kernel` on a process that records, from when it does.
 * @param {number} pid
 * @param {string[]} args more of its own
 * @returns {Promise<() => Promise<{ code: number | null, stdout: string, stderr: string }>>} ends it
 * @throws {Error} with what it has said, where it does not begin
 */
async function recordKernel (pid, args) {
  const child = spawn(process.execPath, [EDGEWISE, 'kernel', String(pid), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => { stdout += text })
  const ended = once(child, 'close')
  await new Promise((resolve, reject) => {
    child.stderr.on('data', (text) => {
      stderr += text
      if (/recording the kernel/.test(stderr)) resolve(true)
    })
    ended.then(() => reject(new Error(`edgewise kernel: ${stderr.trim()}`)))
  })
  return async () => {
    child.kill('SIGINT')
    const [code] = await ended
    return { code, stdout, stderr }
  }
}

module.exports = { recordKernel }
