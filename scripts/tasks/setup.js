'use strict'

// Everything a fresh checkout needs before a test or a profile can run. Each
// part looks first and does nothing when there is nothing to do.

const path = require('node:path')
const { addonIsFresh, buildAddon } = require('./addon')
const { parseArguments } = require('./arguments')
const { LOAD, coreIsFresh, buildCore } = require('./core')
const { PACKAGES, missingPackages, installPackages, describeMissing } = require('./debian-packages')
const { withLock } = require('./lock')
const { describeNode } = require('./node-release')
const { npmDifferences, installNpmPackages } = require('./npm-packages')
const { buildPage, pageIsFresh } = require('./page')
const { TaskError, say, elapsed } = require('./step')
const { BUILD } = require('./tree')

const OLDEST_NODE = 20
// npm waits for its registry; meanwhile the processors compile what needs none of its packages.
const STAGES = ['packages of the system', 'packages of npm, and the core', 'the addon and the page']
const ALWAYS = ['addon', 'build']
const MORE = [...new Set(PACKAGES.map(entry => entry.group))].filter(group => !ALWAYS.includes(group))
const USAGE = `Usage: scripts/setup [--check] [--programs] [--with ${MORE.join('|')}]...

Installs the Debian and npm packages that are missing and builds the addon and
the core with its tests. Does nothing, quickly, when nothing is missing.

  --check        say what is missing and change nothing; exit code 1 when something is
  --programs     without the native tests: what 'npm run profile' and other Nodes' tests need
  --with GROUP   packages of this group too`

/**
 * @param {{groups?: string[], builds?: Builds}} [options] groups of Debian packages beside those that are
 *   always needed
 * @typedef {'all' | 'programs' | 'none'} Builds programs: the addon, the page and the load generator, without any test
 * @returns {Promise<boolean>} whether there was anything to do
 * @throws {TaskError}
 */
async function setup ({ groups = [], builds = 'all' } = {}) {
  const parts = setupParts([...ALWAYS, ...groups], builds)
  if (!parts.some(part => part.missing())) return false
  await withLock(path.join(BUILD, '.setup.lock'), async () => {
    // Looked at again, and stage by stage: another set-up may just have ended,
    // and one stage's work is the next one's need.
    for (const stage of STAGES) {
      const together = parts.filter(part => part.stage === stage && part.missing())
      const ends = await Promise.allSettled(together.map(part => part.provide()))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    }
  })
  return true
}

/**
 * @param {string[]} groups
 * @param {Builds} [builds]
 * @returns {{stage: string, missing: () => string, provide: () => Promise<void>}[]} missing: a text, empty when nothing is
 */
function setupParts (groups, builds = 'all') {
  const node = describeNode(process.execPath)
  if (parseInt(node.version.slice(1)) < OLDEST_NODE) {
    throw new TaskError(`This is Node ${node.version} (${node.execPath}); edgewise needs ${OLDEST_NODE} or newer.`)
  }
  const needed = [
    {
      stage: STAGES[0],
      missing: () => {
        const packages = missingPackages(groups)
        return packages.length ? describeMissing(packages) : ''
      },
      provide: () => installPackages(missingPackages(groups))
    },
    {
      stage: STAGES[1],
      missing: () => {
        const differences = npmDifferences()
        return differences.length ? `npm packages that differ from package-lock.json:\n  ${differences.join('\n  ')}` : ''
      },
      provide: installNpmPackages
    }
  ]
  if (builds === 'none') return needed
  const target = builds === 'programs' ? LOAD : undefined
  return [
    ...needed,
    {
      stage: STAGES[2],
      missing: () => addonIsFresh(node) ? '' : `The addon for Node ${node.version} is not built from the sources as they are.`,
      provide: () => buildAddon(node)
    },
    {
      stage: STAGES[2],
      missing: () => pageIsFresh() ? '' : 'The page is not built from the sources as they are.',
      provide: async () => buildPage()
    },
    {
      stage: STAGES[1],
      missing: () => coreIsFresh(target) ? '' : `The ${target ? 'load generator' : 'core'} is not built from the sources as they are.`,
      provide: () => buildCore(BUILD, target ? { title: 'load generator', target } : {})
    }
  ]
}

/** @param {string[]} args of the command line */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    check: { type: 'boolean' },
    programs: { type: 'boolean' },
    with: { type: 'string', multiple: true, default: [] }
  }, unknownGroup)
  const groups = values.with
  const builds = values.programs ? 'programs' : 'all'
  if (values.check) {
    const missing = setupParts([...ALWAYS, ...groups], builds).map(part => part.missing()).filter(Boolean)
    if (missing.length) throw new TaskError(missing.join('\n'))
    return say('setup: nothing is missing')
  }
  const began = Date.now()
  const worked = await setup({ groups, builds })
  say(`setup: ${worked ? 'done' : 'nothing to do'} (${elapsed(began)})`)
}

function unknownGroup (values, positionals) {
  const unknown = values.with.find(group => !MORE.includes(group))
  if (unknown !== undefined) return `--with ${unknown}: the groups are ${MORE.join(', ')}`
  return positionals.length ? `'${positionals[0]}': no such argument` : undefined
}

module.exports = { setup, run }
