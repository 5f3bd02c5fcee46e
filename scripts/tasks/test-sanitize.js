'use strict'

// npm run test:sanitize: the native tests under ASan with UBSan, and under TSan.

const path = require('node:path')
const { parseArguments } = require('./arguments')
const { buildCore } = require('./core')
const { withLock } = require('./lock')
const { setup } = require('./setup')
const { TaskError, capture, runShown } = require('./step')
const { NATIVE, suiteCommand } = require('./test-suites')
const { ROOT, BUILD } = require('./tree')

/** @type {Record<string, {flag: string, env: Record<string, string>}>} */
const SANITIZERS = {
  asan: {
    flag: 'address,undefined',
    env: { ASAN_OPTIONS: 'detect_stack_use_after_return=1:strict_string_checks=1', UBSAN_OPTIONS: 'print_stacktrace=1' }
  },
  // Strangers of the daemon are forked, and start threads.
  tsan: { flag: 'thread', env: { TSAN_OPTIONS: 'second_deadlock_stack=1 die_after_fork=0' } }
}
const USAGE = `Usage: npm run test:sanitize [-- ${Object.keys(SANITIZERS).join('|')}]...

Builds the native tests with sanitizers in build/asan and build/tsan and runs them.`

/** @param {string[]} args of the command line */
async function run (args) {
  const { positionals } = parseArguments(args, USAGE, {}, (_values, names) => {
    const unknown = names.find(name => !(name in SANITIZERS))
    return unknown && `'${unknown}' is not a sanitizer build`
  })
  await setup()
  const failed = []
  for (const name of positionals.length ? positionals : Object.keys(SANITIZERS)) {
    if (!await testUnder(name)) failed.push(name)
  }
  if (failed.length) throw new TaskError(`\nFailed: native tests under ${failed.join(', ')}`)
}

async function testUnder (name) {
  const directory = path.join(BUILD, name)
  const { flag, env } = SANITIZERS[name]
  const prefix = withoutRandomization()
  await withLock(path.join(BUILD, '.setup.lock'), () => buildCore(directory, {
    title: `core with ${name}`, define: [`EDGEWISE_SANITIZE=${flag}`], prefix
  }))
  console.log(`\n== native tests under ${name}`)
  const command = [...prefix, ...suiteCommand({ name: NATIVE, files: [] }, process.execPath, directory)]
  return runShown(command, { cwd: ROOT, env: { ...process.env, ...env } })
}

// TSan of GCC 12 gives up ("unexpected memory mapping") where the kernel
// randomizes more address bits than it knows of; some containers forbid the switch.
function withoutRandomization () {
  const command = ['setarch', process.arch === 'arm64' ? 'aarch64' : 'x86_64', '--addr-no-randomize']
  return capture([...command, 'true']).ok ? command : []
}

module.exports = { run }
