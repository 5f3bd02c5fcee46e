'use strict'

// Scripts that are too large to keep, or that a compiler writes. Each exports
// weighing(ms).

const fs = require('node:fs')
const path = require('node:path')
const { TaskError } = require('../../../scripts/tasks/step')

const LARGE_BYTES = 9e6
const BUNDLED = ['weights.ts', 'weighing.ts']

/** @type {Record<string, (directory: string) => string>} by name: writes it into a directory, returns its file */
const MADE_SCRIPTS = { 'large-script': largeScript, typescript }

const WEIGHING = `function weighing (ms) {
  const end = process.hrtime.bigint() + BigInt(Math.round(ms * 1e6))
  let sum = 0
  while (process.hrtime.bigint() < end) for (let i = 0; i < 2000; i++) sum += Math.sqrt(i)
  return sum
}
`

/** @param {string} directory */
function largeScript (directory) {
  const parts = ["'use strict'\n"]
  for (let bytes = 0, i = 0; bytes < LARGE_BYTES; i++) {
    const text = `function unused${i} (first, second) { return first * ${i} + second.length - Math.max(first, ${i % 97}) }\n`
    parts.push(text)
    bytes += text.length
  }
  const file = path.join(directory, 'large-script.js')
  fs.writeFileSync(file, [...parts, WEIGHING, 'module.exports = { weighing }\n'].join(''))
  return file
}

/** The bundle of two sources, with its map beside it. @param {string} directory @throws {TaskError} when they do not compile */
function typescript (directory) {
  const ts = require('typescript')
  const sources = BUNDLED.map((name) => path.join(__dirname, 'bundled', name))
  const file = path.join(directory, 'bundle.js')
  const program = ts.createProgram(sources, {
    outFile: file,
    module: ts.ModuleKind.None,
    target: ts.ScriptTarget.ES2020,
    sourceMap: true,
    types: [],
    ignoreDeprecations: '5.0'
  })
  const problems = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics]
  if (problems.length) throw new TaskError(`TypeScript: ${ts.flattenDiagnosticMessageText(problems[0].messageText, '\n')}`)
  return file
}

module.exports = { MADE_SCRIPTS }
