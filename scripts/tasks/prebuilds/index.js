'use strict'

// npm run build:prebuilds: addons that need no compiler where they are installed.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArguments } = require('../arguments')
const { withLock } = require('../lock')
const { fetchRelease, headersAbi } = require('../node-release')
const { runStep, say } = require('../step')
const { BUILD } = require('../tree')
const { writeUnits } = require('../units')
const { checkBaseline } = require('./baseline')
const { ninjaFile } = require('./ninja-file')
const { PACKAGES, packAll } = require('./packages')
const { NODES, TARGETS } = require('./targets')
const { provideTools } = require('./tools')

const HOME = path.join(BUILD, 'prebuilds')

const USAGE = `Usage: npm run build:prebuilds -- [options]

Compiles the addon for each platform and each Node, with a compiler from npm for all
of them, checks what they need of a machine, and packs them for npm.

  --target LIST  platforms, separated by commas (${TARGETS.map(({ name }) => name).join(',')})
  --node LIST    versions of Node, as npm has them (${NODES.join(',')})
  --out DIR      where the packages go (build/packages)`

/** @param {string[]} args of the command line */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    target: { type: 'string', default: TARGETS.map(({ name }) => name).join(',') },
    node: { type: 'string', default: NODES.join(',') },
    out: { type: 'string', default: PACKAGES }
  }, problem)
  const targets = TARGETS.filter(({ name }) => values.target.split(',').includes(name))
  await withLock(path.join(BUILD, '.prebuilds.lock'), async () => {
    const tools = await provideTools()
    const nodes = []
    for (const version of values.node.split(',')) nodes.push(await headersOf(version))
    for (const target of targets) await build(target, tools, nodes)
    for (const file of await packAll(targets.map((target) => packed(target, nodes)), path.resolve(values.out))) say(file)
  })
}

function problem ({ target, node }) {
  const unknown = target.split(',').find((/** @type {string} */ each) => !TARGETS.some(({ name }) => name === each))
  if (unknown !== undefined) return `--target ${unknown}: must be of ${TARGETS.map(({ name }) => name).join(', ')}`
  if (!node.split(',').every((/** @type {string} */ each) => /^\d+(\.\d+){0,2}$/.test(each))) return `--node ${node}: must be versions, separated by commas`
  return undefined
}

/** They are the same for each platform. @param {string} version @returns {Promise<{ major: string, abi: string, include: string }>} */
async function headersOf (version) {
  const prefix = await fetchRelease(version)
  return { major: String(parseInt(version)), abi: String(headersAbi(prefix)), include: path.join(prefix, 'include', 'node') }
}

/** @param {string} name of a target @param {{ abi: string }[]} nodes @returns {{ file: string, as: string }[]} what is compiled for it, and where it lies in its package */
function productsOf (name, nodes) {
  const products = [...nodes.map(({ abi }) => `node-v${abi}/edgewise.node`), 'edgewise-report.node', 'edgewise-boostd', 'edgewise-poker', 'edgewise-load']
  return products.map((as) => ({ as, file: path.join(HOME, name, as) }))
}

/** @param {import('./targets').Target} target @returns {import('./packages').Platform} */
function packed ({ name, cpu, libc }, nodes) {
  return { name, cpu, libc, nodes: nodes.map(({ major }) => major), files: productsOf(name, nodes) }
}

async function build (target, tools, nodes) {
  const home = path.join(HOME, target.name)
  fs.mkdirSync(home, { recursive: true })
  fs.writeFileSync(path.join(home, 'build.ninja'), ninjaFile(target, tools, nodes, writeUnits(home)))
  await runStep(`prebuild-${target.name}`, `${target.name}: compiling`, ['ninja', '-j', String(os.availableParallelism()), '-C', home], {
    hint: 'Next step: read the first error in the log.',
    progress: (log) => log.match(/^\[\d+\/\d+\]/mg)?.at(-1) ?? ''
  })
  for (const { file } of productsOf(target.name, nodes)) checkBaseline(file)
}

module.exports = { run }
