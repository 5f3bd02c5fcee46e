'use strict'

// npm run test:fuzz: the trace reader and the analysis on arbitrary bytes, or
// what reads the bytes of an application's connections.

const fs = require('node:fs')
const path = require('node:path')
const { parseArguments } = require('./arguments')
const { buildCore } = require('./core')
const { withLock } = require('./lock')
const { setup } = require('./setup')
const { TaskError, capture, runShown } = require('./step')
const { ROOT, BUILD } = require('./tree')

const DIRECTORY = path.join(BUILD, 'fuzz')
const MAX_INPUT_BYTES = 8192
const USAGE = `Usage: npm run test:fuzz [-- [--runs N] [--fast | --protocols]]

Builds the fuzzer with clang in build/fuzz and runs it from a corpus of small
traces that use every kind of record. An input with a finding is kept there.

  --runs N     executions (1000000)
  --fast       without sanitizers: several times as many a second, but it sees less
  --protocols  the recognition of protocols in its place, from what real clients say`

/** @param {string[]} args of the command line */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    runs: { type: 'string', default: '1000000' },
    fast: { type: 'boolean', default: false },
    protocols: { type: 'boolean', default: false }
  }, problem)
  await setup({ groups: ['fuzz'] })
  await withLock(path.join(BUILD, '.setup.lock'), () => buildCore(DIRECTORY, {
    title: 'fuzzer',
    source: path.join(ROOT, 'test', 'fuzz'),
    define: ['EDGEWISE_FUZZ=ON', 'CMAKE_CXX_COMPILER=clang++']
  }))
  const corpus = path.join(DIRECTORY, values.protocols ? 'protocol-corpus' : 'corpus')
  fs.mkdirSync(corpus, { recursive: true })
  const maker = values.protocols ? 'make_protocol_corpus' : 'make_corpus'
  const made = capture([path.join(DIRECTORY, maker), corpus])
  if (!made.ok) throw new TaskError(`${maker} failed: ${made.stderr}`)
  const fuzzer = path.join(DIRECTORY, values.protocols ? 'protocol_fuzzer' : values.fast ? 'trace_fuzzer_fast' : 'trace_fuzzer')
  const before = new Set(findings())
  const clean = await runShown([fuzzer, `-runs=${values.runs}`, `-max_len=${MAX_INPUT_BYTES}`,
    `-artifact_prefix=${DIRECTORY}/`, '-print_final_stats=1', '-verbosity=1',
    ...values.fast ? ['-entropic=0'] : [], corpus])
  if (clean) return
  const found = findings().filter((name) => !before.has(name)).map((name) => path.join(DIRECTORY, name))
  throw new TaskError(found.length ? `The fuzzer found something: ${found.join(', ')}` : 'The fuzzer was stopped before it had found anything')
}

// Inputs that libFuzzer has kept.
function findings () {
  return fs.readdirSync(DIRECTORY).filter((name) => /^(crash|leak|oom|timeout|slow-unit)-/.test(name))
}

function problem (values, positionals) {
  if (positionals.length) return `'${positionals[0]}': no such argument`
  if (values.fast && values.protocols) return '--fast and --protocols exclude each other'
  return /^[1-9]\d*$/.test(values.runs) ? undefined : `--runs ${values.runs}: must be a whole number above 0`
}

module.exports = { run }
