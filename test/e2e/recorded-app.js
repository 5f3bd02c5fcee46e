'use strict'

// Runs an application of apps/ under the recorder.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { loadReporter } = require('../../lib/native/binding')

const ROOT = path.join(__dirname, '../..')
const REGISTER = path.join(ROOT, 'lib/register.js')

/** @param {any} t @returns {string} a directory that goes with the test */
function temporaryDirectory (t) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-e2e-'))
  t.after(() => {
    try {
      fs.rmSync(directory, { recursive: true, force: true })
    } catch {} // A mount point, which its test removes.
  })
  return directory
}

function plainEnvironment () {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(EDGEWISE_|NODE_)/.test(name)))
}

/**
 * Starts an application and waits until it listens.
 *
 * @param {any} t
 * @param {string} file in apps/
 * @param {Parameters<typeof startServer>[2]} [options]
 */
function startApp (t, file, options) {
  return startServer(t, path.join(__dirname, 'apps', file), options)
}

/**
 * The same of any file.
 *
 * @param {any} t
 * @param {string} file
 * @param {{ env?: NodeJS.ProcessEnv, flags?: string[], node?: string, register?: string | null, out?: string,
 *   wrapper?: string[] }} [options]
 */
async function startServer (t, file, { env = {}, flags = [], node = process.execPath, register = REGISTER, out, wrapper = [] } = {}) {
  const root = temporaryDirectory(t)
  const directory = out ?? path.join(root, 'trace')
  const preload = register ? ['--require', register] : []
  const [program, ...args] = [...wrapper, node, ...flags, ...preload, file]
  const child = spawn(program, args, {
    cwd: root,
    env: { ...plainEnvironment(), EDGEWISE_OUT: directory, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  t.after(() => child.kill('SIGKILL'))
  const app = {
    child,
    root,
    out: directory,
    stderr: '',
    /** @type {any} */ started: null,
    port: 0,
    /** @type {Promise<{ code: number | null, signal: string | null }>} */
    ended: new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal }))),
    /** Asks it to end by itself. */
    async stop () {
      child.send('stop')
      return app.ended
    }
  }
  child.stderr.on('data', (data) => { app.stderr += data })
  child.stdout.resume()
  app.started = await Promise.race([
    new Promise((resolve) => child.once('message', resolve)),
    app.ended.then(({ code, signal }) => { throw new Error(`${file} ended (${code ?? signal}) before it listened: ${app.stderr}`) })
  ])
  app.port = app.started.port
  return app
}

/**
 * @param {number} port
 * @param {string} url
 * @param {http.RequestOptions} [options]
 * @returns {Promise<{ status: number, body: string }>}
 */
function request (port, url, options = {}) {
  return new Promise((resolve, reject) => {
    const sent = http.request({ host: '127.0.0.1', port, path: url, ...options }, (response) => {
      let body = ''
      response.on('data', (data) => { body += data })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(options.method === 'POST' ? '{"secret":"body-s3cr3t"}' : undefined)
  })
}

/**
 * Closed-loop clients that share keep-alive connections.
 * @param {number} count of requests
 * @param {(number: number) => Promise<any>} send
 * @param {number} [clients]
 */
async function inParallel (count, send, clients = 8) {
  let next = 0
  const client = async () => {
    while (next < count) await send(next++)
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/**
 * The command line.
 * @param {string[]} args
 * @returns {Promise<{ status: number | null, stdout: string, stderr: string }>}
 */
async function edgewise (args) {
  const child = spawn(process.execPath, [path.join(ROOT, 'bin/edgewise.js'), ...args])
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => { stdout += text })
  child.stderr.on('data', (text) => { stderr += text })
  const [status] = await once(child, 'close')
  return { status, stdout, stderr }
}

/** @param {string} directory @param {object} [options] */
function report (directory, options = {}) {
  return JSON.parse(loadReporter().report(directory, options))
}

/** @param {string} directory @returns {any[]} the reported requests */
function reportedRequests (directory) {
  const requestsPath = path.join(directory, 'requests.jsonl')
  report(directory, { requestsPath })
  const text = fs.readFileSync(requestsPath, 'utf8')
  fs.rmSync(requestsPath)
  return text.split('\n').filter(Boolean).map((line) => JSON.parse(line))
}

/** @param {string} directory @returns {string[]} its trace files */
function traceFiles (directory) {
  return fs.readdirSync(directory).filter((name) => name.endsWith('.ewt')).map((name) => path.join(directory, name))
}

module.exports = { REGISTER, ROOT, edgewise, inParallel, plainEnvironment, report, reportedRequests, request, startApp, startServer, temporaryDirectory, traceFiles }
