'use strict'

// `edgewise report` of several recordings: requests that go through several
// services.

const fs = require('node:fs')
const edgewise = require('../index')
const { EXIT, Failure } = require('./failure')
const { exitCodeAfter, interruption } = require('./interruption')
const { colorOf } = require('./terminal')

/** What is of one recording only. */
const OF_ONE = ['request', 'requests', 'html', 'markdown', 'route', 'process', 'thread', 'eventStreams']

/**
 * @param {string[]} directories
 * @param {Record<string, any>} options
 * @param {(share: number) => void} onProgress
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function printAcross (directories, { json, ...options }, onProgress) {
  const wrong = OF_ONE.find((name) => options[name] !== undefined)
  if (wrong) throw new Failure(`--${wrong.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is for one directory, and there are ${directories.length}: leave it out, or report on one of them`, EXIT.usage)
  const missing = directories.find((directory) => !fs.existsSync(directory))
  if (missing !== undefined) throw new Failure(`${missing} does not exist: give the directories that the recordings have named`)
  const interrupt = interruption()
  try {
    const { percentile, excludeRoute, skip, slowest } = options
    const found = await edgewise.across({ directories, percentile, excludeRoute, skip, slowest, signal: interrupt.signal, onProgress })
    if (json) {
      process.stdout.write(JSON.stringify(found) + '\n')
    } else {
      const { render } = require('../across/render') // Only here: other commands begin sooner.
      process.stdout.write(render(found, { percentile, color: colorOf(process.stdout), width: process.stdout.columns }))
    }
    return EXIT.ok
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === 'CANCELLED') return exitCodeAfter(interrupt.signal)
    throw new Failure(message, code === 'INVALID_ARGUMENT' ? EXIT.usage : EXIT.failure)
  } finally {
    interrupt.release()
  }
}

module.exports = { printAcross }
