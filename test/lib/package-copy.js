'use strict'

// A copy of the package whose recorder and addon are small stand-ins: what the
// command line does around them is tested without building or recording.

const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const ROOT = path.join(__dirname, '../..')
const FIXTURE = path.join(__dirname, 'fixtures/report.json')

// "Records" by leaving a file; notes that it was switched off.
const REGISTER = `
const fs = require('node:fs')
const path = require('node:path')
const { isMainThread } = require('node:worker_threads')
if (isMainThread && process.env.EDGEWISE_OUT) {
  fs.writeFileSync(path.join(process.env.EDGEWISE_OUT, process.pid + '-0.ewt'), JSON.stringify(process.argv))
}
if (process.env.FAKE_CONTROL) {
  const off = () => fs.writeFileSync(path.join(process.env.EDGEWISE_OUT, process.pid + '.off'), '')
  require('./control').serve({ off })
}
`

// "Analyses" by giving the fixture, and leaves what it was asked beside the trace.
const BINDING = `
const fs = require('node:fs')
const path = require('node:path')
let reports = 0
const built = () => {
  if (process.env.FAKE_UNBUILT) throw new Error('the addon is not built: run scripts/setup')
}
exports.load = () => {
  built()
  return {
    probe: () => ({
      node: 'v20.0.0',
      abi: 115,
      watcher: { available: true, reason: 'own epoll' },
      interpose: { available: false, reason: 'symbol not found' },
      cpufreq: { name: 'processor frequency', available: false, reason: 'tried by the addon' }
    }),
    boostProbe: () => ({ cpufreq: { available: false, reason: 'no policy here' } })
  }
}
exports.loadReporter = () => {
  built()
  const failure = (code, message) => Object.assign(new Error(message), { code })
  const report = (directory, options) => {
    const code = process.env.FAKE_ERROR
    if (options.requestsPath) fs.writeFileSync(options.requestsPath, '{}\\n')
    if (code) throw failure(code, process.env.FAKE_MESSAGE ?? 'said by the addon')
    fs.writeFileSync(path.join(directory, 'asked.json'), JSON.stringify(options))
    const report = JSON.parse(fs.readFileSync(${JSON.stringify(FIXTURE)}, 'utf8'))
    if (++reports > Number(process.env.FAKE_EMPTY_AFTER ?? Infinity)) report.requests = { count: 0, skipped: 0 }
    return JSON.stringify(report)
  }
  return {
    report,
    analyse (directory, options) {
      let cancel = () => {}
      const done = new Promise((resolve, reject) => {
        const json = report(directory, options)
        const found = options.columns ? { json, columns: Buffer.from('columns') } : json
        if (!process.env.FAKE_ENDLESS) return resolve(found)
        const running = setInterval(() => {}, 1000)
        cancel = () => {
          clearInterval(running)
          reject(failure('CANCELLED', 'cancelled'))
        }
      })
      return { done, progress: () => 0.425, cancel: () => cancel() }
    }
  }
}
`

/**
 * @param {{ after: (fn: () => any) => void }} t
 */
function packageCopy (t) {
  // A name that NODE_OPTIONS must quote.
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'ew "cli" '))
  t.after(() => fs.rmSync(root, { recursive: true, force: true }))
  for (const name of ['bin', 'lib', 'patches', 'package.json']) fs.cpSync(path.join(ROOT, name), path.join(root, name), { recursive: true })
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'))
  fs.writeFileSync(path.join(root, 'lib/register.js'), REGISTER)
  fs.writeFileSync(path.join(root, 'lib/native/binding.js'), BINDING)
  const cwd = path.join(root, 'cwd')
  fs.mkdirSync(cwd)
  const bin = path.join(root, 'bin/edgewise.js')
  const kept = Object.entries(process.env).filter(([key]) => !/^(EDGEWISE_|NODE_|NO_COLOR|FORCE_COLOR)/.test(key))
  // An empty cache: there is no patched Node in it.
  const env = { ...Object.fromEntries(kept), XDG_CACHE_HOME: root }

  /**
   * @param {string[]} args
   * @param {NodeJS.ProcessEnv} [more]
   */
  const run = (args, more = {}) =>
    spawnSync(process.execPath, [bin, ...args], { cwd, env: { ...env, ...more }, encoding: 'utf8', timeout: 30_000 })

  /**
   * @param {string[]} args
   * @param {NodeJS.ProcessEnv} [more]
   */
  const begin = (args, more = {}) => {
    const child = spawn(process.execPath, [bin, ...args], { cwd, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (data) => { output.stdout += data })
    child.stderr.on('data', (data) => { output.stderr += data })
    const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, ...output })))
    // Not SIGKILL: it must stop what it started. Three, for the stubborn.
    t.after(async () => {
      while (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    })
    /** @param {RegExp} pattern @returns {Promise<RegExpExecArray>} its match in what was printed so far */
    const printed = async (pattern) => {
      for (const deadline = Date.now() + 20_000; Date.now() < deadline;) {
        const match = pattern.exec(output.stdout + output.stderr)
        if (match) return match
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`${pattern} was not printed; but: ${output.stdout}${output.stderr}`)
    }
    return { child, ended, printed }
  }

  /** @param {string} name @param {string} source */
  const write = (name, source) => fs.writeFileSync(path.join(cwd, name), source)
  return { begin, cwd, root, run, write }
}

/**
 * @param {string | number} pid
 * @returns {Promise<boolean>} whether it has ended, within the moment that a signal takes
 */
async function hasEnded (pid) {
  for (const deadline = Date.now() + 2000; Date.now() < deadline;) {
    try {
      // A zombie that nobody reaps does no harm.
      if (/\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))) return true
    } catch {
      return true
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}

module.exports = { hasEnded, packageCopy }
