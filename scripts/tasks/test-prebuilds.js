'use strict'

// npm run test:prebuilds: the packages as they are, installed where there is no
// compiler. What the machines are made of is fetched once.

const { parseArguments } = require('./arguments')
const { installPackages, missingPackages } = require('./debian-packages')
const { packedArchives } = require('./prebuilds/packages')
const { TREES, debianTree, provideManagers } = require('./prebuilds/trees')
const { TaskError, runShown } = require('./step')
const { PREBUILDS, chooseSuites, suiteCommand } = require('./test-suites')
const { ROOT } = require('./tree')

const USAGE = `Usage: npm run test:prebuilds [-- FILE...]

Installs the packages of build/packages on machines without a compiler, as a
user who is not root, with several Nodes and package managers, and profiles an
application there; for arm64 under qemu. Needs root, which makes the machines.`

/** @param {string[]} args of the command line */
async function run (args) {
  const { positionals } = parseArguments(args, USAGE, {}, () => undefined)
  if (packedArchives().length === 0) throw new TaskError("There are no packages in build/packages. Next step: 'npm run build:prebuilds'")
  if (process.getuid?.() !== 0) throw new TaskError('Only root makes a machine of its own to install on. Next step: run this as root, or in a container as its root.')
  const missing = missingPackages(['prebuilds'])
  if (missing.length > 0) await installPackages(missing)
  for (const arch of TREES) await debianTree(arch)
  await provideManagers()
  const suites = chooseSuites(positionals.length > 0 ? positionals : [PREBUILDS])
  for (const suite of suites) {
    if (!await runShown(suiteCommand(suite, process.execPath), { cwd: ROOT })) throw new TaskError(`\nFailed: ${suite.name}`)
  }
}

module.exports = { run }
