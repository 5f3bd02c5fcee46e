'use strict'

// EDGEWISE_MAX_MB is of the directory, whoever writes there and whatever lay
// there before.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { REGISTER, plainEnvironment, report, temporaryDirectory, traceFiles } = require('./recorded-app')

const MB = 0.125
const BYTES = MB * 2 ** 20

/** A program that makes `turns` events, as often as it is told, where it is told. */
const TURNS = 'let n = 0; const turn = () => { if (n++ < 3000) setImmediate(turn) }; turn()'
const THREADS = `const { Worker } = require('worker_threads'); let w = 0
  const next = () => { if (w++ < 10) new Worker(${JSON.stringify(TURNS)}, { eval: true }).once('exit', next) }; next()`
const PROCESSES = `const { spawn } = require('child_process'); let p = 0
  const next = () => { if (p++ < 6) spawn(process.execPath, ['-e', ${JSON.stringify(TURNS)}], { stdio: 'inherit' }).once('exit', next) }; next(); next()`
const KILLED = `${TURNS}; setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300)`

/**
 * @param {string} out
 * @param {string} program
 * @returns {string} what it said on stderr
 */
function run (out, program) {
  const env = { ...plainEnvironment(), EDGEWISE_OUT: out, EDGEWISE_MAX_MB: String(MB), NODE_OPTIONS: `--require ${REGISTER}` }
  return spawnSync(process.execPath, ['-e', program], { env, encoding: 'utf8' }).stderr
}

/** @param {string} out */
function checkSize (out) {
  const sizes = fs.readdirSync(out).map((name) => fs.statSync(path.join(out, name)).size)
  const total = sizes.reduce((sum, size) => sum + size)
  // The orderly end of each file is beyond it.
  assert.ok(total <= BYTES + 256 * sizes.length, `${total} bytes in ${sizes.length} files; allowed are ${BYTES}`)
  return total
}

for (const [what, program] of Object.entries({ threads: THREADS, processes: PROCESSES, 'a process that is killed': KILLED })) {
  test(`the quota of a directory: ${what}, again and again`, { timeout: 120_000 }, (t) => {
    const out = path.join(temporaryDirectory(t), 'trace')
    for (let round = 0; round < 3; round++) {
      const stderr = run(out, program)
      const total = checkSize(out)
      if (round < 2) continue
      assert.ok(total > BYTES / 2, `it is used: ${total}`)
      assert.match(stderr, /the quota of \d+ bytes is used up/)
    }
    const { events, unrecorded_threads: unrecorded = 0, problems } = report(out)
    assert.ok(events.lost_bytes > 0 || unrecorded > 0, 'what is lost is counted')
    assert.ok(problems.every(({ what }) => /chunk \d+ follows/.test(what)), JSON.stringify(problems))
    assert.ok(stderrLines(run(out, program)) <= 13, 'one line a process')
  })
}

/** @param {string} text */
function stderrLines (text) {
  return text.split('\n').filter((line) => line.startsWith('edgewise:') && !line.includes('recorded to')).length
}

test('who removes a trace has its room again', { timeout: 60_000 }, (t) => {
  const out = path.join(temporaryDirectory(t), 'trace')
  for (let round = 0; round < 3; round++) run(out, THREADS)
  for (const file of traceFiles(out)) fs.rmSync(file)
  assert.doesNotMatch(run(out, 'setTimeout(() => {}, 50)'), /quota/)
  assert.ok(report(out).events.count > 0)
})
