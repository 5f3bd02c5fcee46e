'use strict'

// One set-up at a time in one checkout: two would write the same build.

const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { TaskError, say } = require('./step')

const LOOK_AGAIN_MS = 200

/**
 * Runs a task while no other process runs one under the same lock. A lock whose
 * owner has died is taken over.
 * @template T
 * @param {string} file the lock
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 * @throws {TaskError} when the lock cannot be written
 */
async function withLock (file, task) {
  makeWritable(path.dirname(file))
  const mine = `${process.pid} ${startOf(process.pid)}`
  let told = false
  while (!take(file, mine)) {
    const owner = read(file)
    const [pid, start] = owner.split(' ')
    if (owner && startOf(Number(pid)) !== start) {
      release(file, owner)
      continue
    }
    if (!told) say(`waiting for the set-up of process ${pid} in this checkout ...`)
    told = true
    await sleep(LOOK_AGAIN_MS)
  }
  try {
    return await task()
  } finally {
    release(file, mine)
  }
}

function makeWritable (directory) {
  try {
    fs.mkdirSync(directory, { recursive: true })
    fs.accessSync(directory, fs.constants.W_OK)
  } catch (error) {
    throw new TaskError(`${directory} cannot be written (${error.code}). Next step: run this as its owner, or in a checkout of your own.`)
  }
}

// The content appears together with the file (link is atomic), so that nobody
// reads a lock without an owner.
function take (file, mine) {
  const draft = `${file}.${process.pid}`
  fs.writeFileSync(draft, mine)
  try {
    fs.linkSync(draft, file)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  } finally {
    fs.unlinkSync(draft)
  }
}

function read (file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

function release (file, owner) {
  if (read(file) === owner) fs.rmSync(file, { force: true })
}

// A process's start time tells it from a later one with the same id.
function startOf (pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return 'gone'
  }
}

module.exports = { withLock }
