'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

/**
 * A directory that does not outlive the benchmark, however it ends.
 * @returns {{ directory: string, remove: () => void }}
 */
function scratchDirectory () {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-stacks-'))
  const remove = () => {
    process.removeListener('exit', remove)
    fs.rmSync(directory, { recursive: true, force: true })
  }
  process.once('exit', remove)
  return { directory, remove }
}

module.exports = { scratchDirectory }
