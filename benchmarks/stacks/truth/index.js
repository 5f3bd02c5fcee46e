'use strict'

// Programs of known truth, recorded by edgewise.

const path = require('node:path')
const edgewise = require('../../../lib')
const { provideAddon } = require('../../../scripts/tasks/build-addon')
const { describeNode, nodeProgram } = require('../../../scripts/tasks/node-release')
const { capture, say, TaskError } = require('../../../scripts/tasks/step')
const { ROOT } = require('../../../scripts/tasks/tree')
const { withEdgewise } = require('../../overhead/variants')
const { PROGRAMS } = require('../programs')
const { scratchDirectory } = require('../scratch')
const { served } = require('../served')
const { directions, judge, judgeTail } = require('./judge')
const { MADE_SCRIPTS } = require('./made-scripts')

const EDGEWISE = path.join(ROOT, 'bin', 'edgewise.js')
const STACKS = '100'
const DECOY_MS = 10
/** All requests are the tail of these reports. */
const EVERYTHING = 0.001

/**
 * @typedef {object} Run
 * @property {string} node its version
 * @property {string} program
 * @property {import('./judge').Judged} judged
 */

/**
 * @typedef {object} Truth
 * @property {Run[]} runs
 * @property {({ node: string } & ReturnType<typeof judgeTail> & { more: string[], less: string[] })[]} tails
 */

/**
 * @param {{ nodes: string[], runs: number, otherRuns: number, requests: number, serverCpus: string, helperCpus: string }} settings
 *   nodes: programs, or '' for this Node; otherRuns: of each program on another Node
 * @returns {Promise<Truth>}
 */
async function measureTruth (settings) {
  const made = scratchDirectory()
  try {
    const scripts = Object.fromEntries(Object.entries(MADE_SCRIPTS).map(([name, write]) => [name, write(made.directory)]))
    /** @type {Truth} */
    const truth = { runs: [], tails: [] }
    for (const name of settings.nodes) await measureNode(truth, name, scripts, settings)
    return truth
  } finally {
    made.remove()
  }
}

/** @param {Truth} truth @param {string} name @param {Record<string, string>} scripts @param {any} settings */
async function measureNode (truth, name, scripts, settings) {
  const node = name === '' ? process.execPath : await nodeProgram(name)
  if (name !== '') await provideAddon(node)
  const { version } = describeNode(node)
  const runs = name === '' ? settings.runs : settings.otherRuns
  for (let run = 0; run < runs; run++) {
    for (const program of PROGRAMS) {
      truth.runs.push({ node: version, program: program.name, judged: await measureProgram(program, scripts, { ...settings, node }) })
    }
    truth.tails.push({ node: version, ...await measureTail({ ...settings, node }) })
    say(`truth, ${version}: run ${run + 1} of ${runs} done`)
  }
}

/** @param {import('../programs').Program} program @param {Record<string, string>} scripts @param {any} settings */
async function measureProgram (program, scripts, settings) {
  const work = program.work ?? program.name
  const env = {
    ...program.made && { STACKS_SCRIPT: scripts[program.made] },
    ...program.worker && { STACKS_WORKER: '1' }
  }
  const load = async (/** @type {(url: string) => Promise<string>} */ ask) => {
    for (let i = 0; i < settings.requests; i++) {
      await ask(`/${work}?ms=${20 + i * 7 % 20}`)
      if (i % 2 === 0) await ask(`/decoy?ms=${DECOY_MS}`)
    }
  }
  return recorded(env, load, settings, (trace, worked) =>
    judge(edgewise.report(trace, { percentile: EVERYTHING, stacks: true }), program, worked))
}

const SLOW_EVERY = 20
const TAIL_MS = { '/tail': 40, '/decoy': 8 }

/** @param {any} settings */
async function measureTail (settings) {
  const load = async (/** @type {(url: string) => Promise<string>} */ ask) => {
    for (let i = 0; i < 4 * settings.requests; i++) {
      const route = i % SLOW_EVERY === SLOW_EVERY - 1 ? '/tail' : '/decoy'
      await ask(`${route}?ms=${TAIL_MS[route]}`)
    }
  }
  const percentile = 100 * (1 - 1 / SLOW_EVERY)
  return recorded({}, load, settings, (trace, worked) => {
    const { ok, stdout, stderr } = capture([process.execPath, EDGEWISE, 'flame', trace, '--diff', '--format', 'collapsed', '--percentile', String(percentile)])
    if (!ok) throw new TaskError(`edgewise flame: ${stderr}`)
    return { ...judgeTail(edgewise.report(trace, { percentile, stacks: true }), worked), ...directions(stdout) }
  })
}

/**
 * @template T
 * @param {Record<string, string>} env
 * @param {Parameters<typeof served>[3]} load
 * @param {any} settings
 * @param {(trace: string, worked: import('../served').Worked[]) => T} judged
 * @returns {Promise<T>}
 */
async function recorded (env, load, settings, judged) {
  const { worked, scratch, remove } = await served(withEdgewise({ EDGEWISE_STACKS: STACKS }), settings, env, load)
  try {
    return judged(path.join(scratch, 'trace'), worked)
  } finally {
    remove()
  }
}

module.exports = { measureTruth, STACKS }
