'use strict'

const { exitCodeOf, start } = require('./child')
const { note } = require('./failure')
const { aborted } = require('./interruption')

const GRACE_MS = 10_000
/** @type {NodeJS.Signals[]} */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

/**
 * Runs a command on this terminal until it ends; passes signals on to it, the
 * third by force.
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} env
 * @param {import('node:child_process').StdioOptions} [stdio]
 * @returns {Promise<number>} its exit code
 */
async function runForeground (command, env, stdio = 'inherit') {
  /** @type {import('./child').Child | null} */
  let child = null
  let asked = 0
  /** @type {NodeJS.Signals | null} */
  let latest = null
  const force = new AbortController()
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      asked++
      latest = asked < 3 ? signal : 'SIGKILL'
      child?.signal(latest)
      if (asked === 3) {
        note('stopping it by force')
        force.abort()
      }
    })
  }
  child = await start(command, { env, stdio })
  if (latest) child.signal(latest) // It came while the command was being started.
  await Promise.race([child.done, aborted(force.signal)])
  // Told to stop, nothing stays; else what it left running is its own affair.
  if (asked > 0) await child.stop(child.end ? GRACE_MS : 0)
  else child.release()
  return exitCodeOf(child.end ?? { code: null, signal: 'SIGKILL' })
}

module.exports = { runForeground }
