'use strict'

// Switches recording in a running process: a Unix socket that only the
// process's user can reach. One JSON line goes in ({"command": "on"}), one
// comes back ({"ok": true, "result": {...}} or {"ok": false, "error": "..."}).
// After that of a command that is followed, more lines come until the caller
// hangs up.
//
// The serving side lives inside somebody else's application. It must not throw
// into it, keep it alive, or trust what else lies in a shared /tmp.

const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { getEnvironmentData, isMainThread, setEnvironmentData } = require('node:worker_threads')
const { checkDirectory, codeOf, directoriesOf, prepareDirectory, removeStale, userId } = require('./control-directory')

const COMMANDS = ['on', 'off', 'stacks-on', 'stacks-off', 'perf-map-on', 'perf-map-off', 'dump', 'status']
/** Under which a process's environment data, which nothing lists, has its sockets. */
const SERVED = 'edgewise.control'
const MAX_LINE_BYTES = 4096
/** What a caller who follows does not read in time. */
const MAX_UNREAD_BYTES = 1 << 16
const MAX_REPLY_BYTES = 1 << 20
const MAX_SOCKET_PATH_BYTES = 107 // sun_path holds 108 with its final zero.
const SERVER_TIMEOUT_MS = 1000
const CLIENT_TIMEOUT_MS = 5000

/** @typedef {(request: Record<string, any>) => any} Handler may be async; its result must survive JSON */
/** @typedef {(request: Record<string, any>, tell: (line: string) => void) => () => void} Followed tells lines from now on; returns what ends that */
/** @typedef {{ handlers: Record<string, Handler>, followed: Record<string, Followed> }} Served */
/** @typedef {{ path: string | null, close: () => void }} ControlServer */

/**
 * Why a command did not reach the process.
 */
class ControlError extends Error {
  /**
   * @param {'NO_PROCESS' | 'NOT_RECORDING' | 'DENIED' | 'TIMEOUT' | 'REFUSED' | 'FAILED'} code
   * @param {string} message
   */
  constructor (code, message) {
    super(message)
    this.name = 'ControlError'
    this.code = code
  }
}

/**
 * Serves commands until `close()` or the end of the process. Never throws: when
 * it cannot serve, `path` is null and `onProblem` hears why (once, perhaps
 * later). Worker threads share their process's socket and get `path` null.
 *
 * @param {Record<string, Handler>} handlers by command
 * @param {{ env?: NodeJS.ProcessEnv, onProblem?: (text: string) => void, followed?: Record<string, Followed> }} [options]
 *   followed: those commands, by name
 * @returns {ControlServer}
 */
function serve (handlers, { env = process.env, onProblem = () => {}, followed = {} } = {}) {
  const none = { path: null, close () {} }
  if (!isMainThread) return none
  const report = once((/** @type {unknown} */ error) => onProblem(`no control socket: ${messageOf(error)}`))
  try {
    const uid = userId()
    const directory = prepareDirectory(directoriesOf(env, uid), uid)
    const socketPath = path.join(directory, `${process.pid}.sock`)
    if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES) {
      throw new Error(`${socketPath} is longer than the ${MAX_SOCKET_PATH_BYTES} bytes a socket's path may have; ` +
        'set XDG_RUNTIME_DIR to a shorter directory')
    }
    if (served().has(socketPath)) throw new Error(`this process already answers on ${socketPath}`)
    removeStale(directory)
    return listen(socketPath, { handlers, followed }, report) ?? none
  } catch (error) {
    report(error)
    return none
  }
}

/**
 * @param {string} socketPath
 * @param {Served} commands
 * @param {(error: unknown) => void} report
 * @returns {ControlServer | null}
 */
function listen (socketPath, commands, report) {
  const server = net.createServer((socket) => answer(socket, commands))
  server.on('error', report)
  server.maxConnections = 8
  // exclusive: a cluster worker must own its socket, not ask the primary for it.
  server.listen({ path: socketPath, exclusive: true })
  if (!server.listening) return null // The 'error' event follows.
  server.unref()
  // The directory's mode already keeps others out in the moment before this.
  fs.chmodSync(socketPath, 0o600)
  served().add(socketPath)
  const remove = () => {
    served().delete(socketPath)
    try {
      fs.unlinkSync(socketPath)
    } catch {}
  }
  return {
    path: socketPath,
    close () {
      remove()
      server.close()
    }
  }
}

/**
 * @returns {Set<string>} the sockets of this process, of whichever copy of this package
 */
function served () {
  const sockets = /** @type {any} */ (getEnvironmentData(SERVED)) ?? new Set()
  setEnvironmentData(SERVED, sockets)
  return sockets
}

/**
 * @param {net.Socket} socket
 * @param {Served} commands
 */
function answer (socket, commands) {
  let text = ''
  let taken = false
  const reply = (/** @type {object} */ message) => {
    socket.setTimeout(SERVER_TIMEOUT_MS) // Not every client hangs up.
    socket.end(JSON.stringify(message) + '\n')
  }
  socket.unref()
  socket.setEncoding('utf8')
  socket.setTimeout(SERVER_TIMEOUT_MS, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('data', (/** @type {string} */ data) => {
    if (taken) return
    text += data
    const end = text.indexOf('\n')
    const line = end < 0 ? text : text.slice(0, end)
    const tooLong = Buffer.byteLength(line) > MAX_LINE_BYTES
    if (end < 0 && !tooLong) return
    taken = true
    if (tooLong) return reply({ ok: false, error: `the request is longer than ${MAX_LINE_BYTES} bytes` })
    socket.setTimeout(0) // A dump may take longer than a client may take to ask for it.
    if (!follow(socket, line, commands)) run(line, commands).then(reply)
  })
}

/**
 * @param {net.Socket} socket
 * @param {string} line
 * @param {Served} commands
 * @returns {boolean} whether it is a command that is followed, and was begun
 */
function follow (socket, line, { followed }) {
  const request = parseObject(line)
  if (typeof request?.command !== 'string' || !Object.hasOwn(followed, request.command)) return false
  const send = (/** @type {string} */ text) => {
    // The application's memory is not for who does not read.
    if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy()
    else if (socket.writable) socket.write(`${text}\n`)
  }
  try {
    const end = followed[request.command](request, send)
    socket.once('close', end)
    send(JSON.stringify({ ok: true, result: {} }))
  } catch (error) {
    socket.end(`${JSON.stringify({ ok: false, error: messageOf(error) })}\n`)
  }
  return true
}

/**
 * @param {string} line
 * @param {Served} commands
 * @returns {Promise<object>} the reply; never rejects
 */
async function run (line, { handlers, followed }) {
  try {
    const request = parseObject(line)
    const command = request?.command
    if (typeof command !== 'string' || !COMMANDS.includes(command) || !Object.hasOwn(handlers, command)) {
      const allowed = [...COMMANDS.filter((name) => Object.hasOwn(handlers, name)), ...Object.keys(followed)].join(', ')
      return { ok: false, error: `command ${JSON.stringify(command) ?? 'missing'} is not known: allowed is ${allowed}` }
    }
    const result = await handlers[command](/** @type {object} */ (request)) ?? {}
    JSON.stringify(result) // What cannot be sent is this command's error, not the socket's.
    return { ok: true, result }
  } catch (error) {
    return { ok: false, error: messageOf(error) }
  }
}

/**
 * Sends one command to a recorded process.
 *
 * @param {number} pid
 * @param {string} command on, off, dump or status
 * @param {{ env?: NodeJS.ProcessEnv, timeoutMs?: number, details?: Record<string, any> }} [options] details: what else the
 *   handler gets
 * @returns {Promise<Record<string, any>>} what the process's handler returned
 * @throws {ControlError}
 */
async function send (pid, command, { env = process.env, timeoutMs = CLIENT_TIMEOUT_MS, details = {} } = {}) {
  const socketPath = findSocket(pid, env)
  const line = await exchange(pid, socketPath, JSON.stringify({ ...details, command }) + '\n', timeoutMs)
  const reply = parseObject(line)
  if (reply?.ok === true && typeof reply.result === 'object') return reply.result
  if (typeof reply?.error === 'string') throw new ControlError('FAILED', `process ${pid}: ${reply.error}`)
  throw new ControlError('FAILED', `process ${pid} answered ${JSON.stringify(line.slice(0, 80))}, which is no reply to ${command}`)
}

/**
 * The process may have been started with another environment than ours (a
 * service has no XDG_RUNTIME_DIR), by another user (when we are root), or have
 * changed its user since.
 *
 * @param {number} pid
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string} where it listens
 * @throws {ControlError} it does not, or not for us
 */
function findSocket (pid, env = process.env) {
  const owner = ownerOf(pid)
  const environments = [env, environmentOf(pid)]
  let denied
  for (const uid of new Set([owner, userId()])) {
    const sources = [...environments, { XDG_RUNTIME_DIR: `/run/user/${uid}` }]
    for (const directory of new Set(sources.flatMap((source) => directoriesOf(source, uid)))) {
      try {
        const candidate = path.join(directory, `${pid}.sock`)
        if (!fs.lstatSync(candidate).isSocket()) continue
        checkDirectory(directory, uid)
        return candidate
      } catch (error) {
        if (['EACCES', 'EPERM', 'UNTRUSTED'].includes(codeOf(error) ?? '')) denied ??= error
      }
    }
  }
  if (denied || (owner !== userId() && userId() !== 0)) {
    const why = codeOf(denied) === 'UNTRUSTED'
      ? messageOf(denied)
      : `it belongs to user ${owner}; run this command as that user or as root`
    throw new ControlError('DENIED', `process ${pid}: permission denied: ${why}`)
  }
  throw new ControlError('NOT_RECORDING', `process ${pid} is not recorded by edgewise: start it with ` +
    '`edgewise record -- node app.js` or `node --require edgewise/register app.js`')
}

/**
 * @param {number} pid
 * @param {string} socketPath
 * @param {string} line
 * @param {number} timeoutMs
 * @returns {Promise<string>} the first line that came back
 */
function exchange (pid, socketPath, line, timeoutMs) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(socketPath)
    let text = ''
    const fail = (/** @type {ControlError} */ error) => {
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(() => fail(new ControlError('TIMEOUT', `process ${pid} did not answer within ` +
      `${timeoutMs / 1000} s: its event loop is blocked or it is stopped`)), timeoutMs)
    socket.setEncoding('utf8')
    socket.on('error', (error) => fail(connectError(pid, socketPath, error)))
    socket.on('data', (data) => {
      text += data
      if (text.length > MAX_REPLY_BYTES) fail(new ControlError('FAILED', `process ${pid} answered without end`))
    })
    socket.on('close', () => {
      clearTimeout(timer)
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
      else reject(new ControlError('REFUSED', `process ${pid} closed the connection without an answer; it may be ending`))
    })
    socket.write(line)
  })
}

/**
 * @param {number} pid
 * @param {string} socketPath
 * @param {Error} error
 */
function connectError (pid, socketPath, error) {
  const code = codeOf(error)
  if (code === 'EACCES' || code === 'EPERM') {
    return new ControlError('DENIED', `process ${pid}: permission denied on ${socketPath}; run this command as the process's user or as root`)
  }
  if (code === 'ECONNREFUSED' || code === 'ENOENT') {
    return new ControlError('NOT_RECORDING', `process ${pid} does not listen on ${socketPath} (left by an earlier process): it is not recorded by edgewise`)
  }
  return new ControlError('REFUSED', `process ${pid}: ${error.message}`)
}

/** @param {number} pid */
function ownerOf (pid) {
  try {
    return fs.statSync(`/proc/${pid}`).uid
  } catch {
    throw new ControlError('NO_PROCESS', `there is no process ${pid}`)
  }
}

/**
 * @param {number} pid
 * @returns {Record<string, string>} what it was started with; empty when we may not look
 */
function environmentOf (pid) {
  try {
    const entries = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    return Object.fromEntries(entries.filter((entry) => entry.includes('=')).map((entry) => {
      const at = entry.indexOf('=')
      return [entry.slice(0, at), entry.slice(at + 1)]
    }))
  } catch {
    return {}
  }
}

/**
 * @param {string} line
 * @returns {Record<string, any> | null}
 */
function parseObject (line) {
  try {
    const value = JSON.parse(line)
    return value !== null && typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/**
 * @param {(error: unknown) => void} fn
 * @returns {(error: unknown) => void}
 */
function once (fn) {
  let called = false
  return (error) => {
    if (!called) fn(error)
    called = true
  }
}

/** @param {unknown} error */
function messageOf (error) {
  return error instanceof Error ? error.message : String(error)
}

module.exports = { COMMANDS, ControlError, findSocket, send, serve }
