'use strict'

// The steps of fs.readFile(): Node opens, asks for the size, reads and closes, and only the last one calls back. Since
// Node 26 one job of the thread pool does it all.

const ONE_JOB = Number(process.versions.node.split('.')[0]) >= 26

/** Of the step that calls back. */
const LAST_TYPE = ONE_JOB ? 'fs_read' : 'fs_close'

/**
 * Enters the step that calls back. @param {any} witness @param {string} cause the step that has asked
 * @returns {{ step: any, path: string[] }} path: of all steps, in order
 */
function enterWholeFile (witness, cause) {
  if (ONE_JOB) return { step: witness.enter('read', 'fs_read', cause), path: ['read'] }
  witness.hidden('open', 'fs_open', cause)
  witness.hidden('stat', 'fs_stat', 'open')
  witness.hidden('read', 'fs_read', 'stat')
  return { step: witness.enter('close', 'fs_close', 'read'), path: ['open', 'stat', 'read', 'close'] }
}

module.exports = { LAST_TYPE, enterWholeFile }
