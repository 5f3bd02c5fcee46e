'use strict'

// Samplers side by side, on the same programs in one run, in turn.

const { say, TaskError } = require('../../../scripts/tasks/step')
const { measurePairs } = require('../../overhead/pairs')
const { inOrder } = require('../../shared/rounds')
const { VARIANTS } = require('../../overhead/variants')
const { served } = require('../served')
const { measurePause, measureStart } = require('./pause')
const { namedOf } = require('./profiles')
const { TOOLS } = require('./tools')

const NONE = 'none'

/**
 * @typedef {object} Peers
 * @property {({ tool: string } & import('./pause').Pause)[]} pauses
 * @property {{ tool: string, ms: number }[]} starts
 * @property {({ tool: string, nativeTrueNs: number } & import('./profiles').Named)[]} named
 * @property {(import('../../overhead/pairs').Pair & { server: string, variant: string })[]} pairs
 * @property {Record<string, string>} failed `tool: what`, why: each is tried once
 */

/**
 * @param {import('../../overhead/cell').Settings & { pauses: number, starts: number, named: number, rounds: number, requests: number }} settings
 *   how often each is measured
 * @returns {Promise<Peers>}
 */
async function measurePeers (settings) {
  /** @type {Peers} */
  const peers = { pauses: [], starts: [], named: [], pairs: [], failed: {} }
  await inTurn(peers, 'pause', settings.pauses, [{ name: NONE, switched: { sampler: 'none' } }, ...TOOLS.filter(({ switched }) => switched)], async ({ name, switched }) => {
    peers.pauses.push({ tool: name, ...await measurePause(switched, settings) })
  })
  await inTurn(peers, 'start', settings.starts, [{ name: NONE, start: () => ({}) }, ...TOOLS.filter(({ start }) => start)], async ({ name, start }) => {
    peers.starts.push({ tool: name, ms: await measureStart(start, settings) })
  })
  await inTurn(peers, 'functions', settings.named, TOOLS.filter(({ read }) => read), async (tool) => {
    peers.named.push({ tool: tool.name, ...await measureNamed(tool, settings) })
  })
  await inTurn(peers, 'cost', settings.rounds, [VARIANTS[1], ...TOOLS.filter(({ start }) => start)], async ({ name, text, start }) => {
    const pairs = await measurePairs('hello', { name, text, start }, settings)
    peers.pairs.push(...pairs.map((pair) => ({ server: 'hello', variant: name, ...pair })))
  })
  return peers
}

/**
 * @param {Peers} peers
 * @param {string} what
 * @param {number} rounds
 * @param {any[]} tools
 * @param {(tool: any) => Promise<void>} measure
 */
async function inTurn (peers, what, rounds, tools, measure) {
  for (let round = 0; round < rounds; round++) {
    for (const tool of inOrder(tools, round)) {
      const key = `${tool.name}: ${what}`
      if (key in peers.failed) continue
      try {
        await measure(tool)
      } catch (error) {
        peers.failed[key] = String(error.stderr || error.message).trim().split('\n')[0]
        say(`${key}: ${error.message}`)
      }
    }
    say(`peers, ${what}: round ${round + 1} of ${rounds} done`)
  }
}

/** @param {import('./tools').Tool} tool @param {any} settings */
async function measureNamed ({ start, collect, read }, settings) {
  const { worked, scratch, said, remove } = await served(/** @type {NonNullable<typeof start>} */ (collect ?? start), settings, {}, async (ask) => {
    for (let i = 0; i < settings.requests; i++) {
      await ask('/inlined?ms=30')
      await ask('/native?ms=30')
    }
  })
  try {
    const named = namedOf(readOf(read, scratch, said))
    if (named.inlinedShare === null) throw new TaskError(`it tells nothing of the program. ${said}`)
    const nativeTrueNs = worked.filter(({ route }) => route === '/native').reduce((sum, { wallNs }) => sum + wallNs, 0)
    return { ...named, nativeTrueNs }
  } finally {
    remove()
  }
}

/** @param {import('./tools').Tool['read']} read @param {string} scratch @param {string} said */
function readOf (read, scratch, said) {
  try {
    return read?.(scratch) ?? []
  } catch (error) {
    throw new TaskError(`${error.message.split('\n')[0]}. ${said}`)
  }
}

module.exports = { measurePeers, NONE }
