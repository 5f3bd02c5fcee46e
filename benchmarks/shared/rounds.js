'use strict'

// What benchmarks in rounds share: the order within a round, and the file from
// which --resume goes on.

const fs = require('node:fs')
const { TaskError } = require('../../scripts/tasks/step')

/**
 * Round by round another one begins, and every second round runs backwards
 * (ABBA): what drifts slowly hits all alike.
 * @template T
 * @param {T[]} all
 * @param {number} round
 * @returns {T[]}
 */
function inOrder (all, round) {
  const from = Math.floor(round / 2) % all.length
  const rotated = [...all.slice(from), ...all.slice(0, from)]
  return round % 2 === 0 ? rotated : rotated.reverse()
}

/**
 * @param {{ json?: string, resume: boolean }} options
 * @returns {string | undefined} what is wrong with --resume, for parseArguments()
 */
function resumeProblem ({ json, resume }) {
  return resume && !json ? '--resume goes on with a file: give --json FILE' : undefined
}

/**
 * @template {{ schema: number, plan: object, machine: object }} T
 * @param {T} fresh the results of nothing yet
 * @param {{ json?: string, resume: boolean }} options
 * @returns {T} what the file holds, with --resume
 * @throws {TaskError} when that was measured in another way, or elsewhere
 */
function loadResults (fresh, { json, resume }) {
  if (!resume || !json || !fs.existsSync(json)) return fresh
  const found = JSON.parse(fs.readFileSync(json, 'utf8'))
  for (const part of ['schema', 'plan', 'machine']) {
    const [was, is] = [JSON.stringify(found[part]), JSON.stringify(fresh[part])]
    if (was !== is) throw new TaskError(`--resume: ${json} has another ${part}: ${was}, and this run ${is}`)
  }
  return found
}

/**
 * @param {object} results
 * @param {string} [file] none: they are not kept
 */
function saveResults (results, file) {
  if (!file) return
  fs.writeFileSync(`${file}.part`, JSON.stringify(results, null, 1) + '\n')
  fs.renameSync(`${file}.part`, file)
}

module.exports = { inOrder, loadResults, resumeProblem, saveResults }
