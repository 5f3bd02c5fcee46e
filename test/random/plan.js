'use strict'

// Random programs. A program is what one request does: how it arrives, and its
// steps. Everything follows from the seed, so that a number names a test.

/**
 * @typedef {object} Step
 * @property {string} do what: a name of WEIGHTS
 * @property {string} [how] which of several ways
 * @property {number} [ms]
 * @property {number} [after] an abort's
 * @property {number} [failures] a retry's
 * @property {Step[]} [steps] those within it
 * @property {Step[][]} [branches] of all, any and race
 * @property {boolean} [fails] whether the first branch of an any does, at its end
 *
 * @typedef {object} Program
 * @property {number} id
 * @property {number} at ms after the first arrival
 * @property {'await' | 'callback'} style
 * @property {'kept' | 'new' | 'pipelined'} connection pipelined: its bytes follow those of the program `behind`
 * @property {number} [behind]
 * @property {number} [abandon] ms after which its client goes away
 * @property {{ how: 'listeners' | 'iterated', parts: number[] }} [body] ms after the head at which each part is sent
 * @property {Step[]} steps
 */

/** @type {Record<string, number>} */
const WEIGHTS = { compute: 5, timer: 4, file: 2, pool: 1.5, call: 6, emit: 1, part: 1, all: 1, any: 0.5, race: 0.7, retry: 0.8, abort: 0.8, generate: 0.7 }

/** @type {Record<string, Record<string, number>>} */
const WAYS = {
  compute: { clock: 2, iterations: 1 },
  timer: { setTimeout: 3, promises: 2, immediate: 1, tick: 1 },
  file: { readFile: 1, stat: 1, 'promises.readFile': 1, 'promises.stat': 1 },
  pool: { pbkdf2: 2, deflate: 1, lookup: 1 },
  call: { 'line-tcp': 4, 'line-unix': 2, 'http-new': 3, 'http-name': 1.5, 'http-kept': 3, 'http-limited': 1, fetch: 1 },
  emit: { wait: 3, ring: 1 },
  abort: { http: 1, timer: 1, fetch: 1 }
}

const PARENTS = ['all', 'any', 'race', 'generate']
const MEAN_GAP_MS = 34
const STEPS = [1, 6]

/** Numbers that follow from a seed: Mulberry32. */
class Chance {
  /** @param {number} seed */
  constructor (seed) {
    this.state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0
  }

  /** @returns {number} in [0, 1) */
  next () {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  /** @param {number} low @param {number} high @returns {number} a whole one of [low, high] */
  whole (low, high) {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  /** @param {number} probability */
  happens (probability) {
    return this.next() < probability
  }

  /** @param {Record<string, number>} weights */
  pick (weights) {
    const all = Object.entries(weights)
    let left = this.next() * all.reduce((sum, [, weight]) => sum + weight, 0)
    return (all.find(([, weight]) => (left -= weight) < 0) ?? all[all.length - 1])[0]
  }
}

/**
 * @param {number} seed
 * @param {number} count
 * @param {{ scale?: number, gap?: number }} [options] scale of all times; mean gap between arrivals, ms
 * @returns {Program[]} in order of arrival
 */
function generate (seed, count, { scale = 1, gap = MEAN_GAP_MS } = {}) {
  const chance = new Chance(seed)
  const programs = []
  let at = 0
  for (let id = 0; id < count; id++) {
    const before = programs[id - 1]
    const behind = before && before.connection !== 'pipelined' && !before.body && before.abandon === undefined && chance.happens(0.04)
    // Behind another one: in its packet, or a little later.
    at += behind ? chance.pick({ same: 1, later: 1 }) === 'same' ? 0 : chance.whole(1, 15) * scale : -Math.log(1 - chance.next()) * gap
    programs.push(program(chance, { id, at: Math.round(at * 1e3) / 1e3, scale }, behind ? before : undefined))
  }
  return programs
}

/** @returns {Program} */
function program (chance, { id, at, scale }, behind) {
  const made = { id, at, style: chance.pick({ await: 1, callback: 1 }), connection: behind ? 'pipelined' : chance.pick({ kept: 3, new: 1 }) }
  if (behind) made.behind = behind.id
  else if (chance.happens(0.12)) made.body = body(chance, scale)
  else if (chance.happens(0.03)) Object.assign(made, { connection: 'new', abandon: Math.round(chance.whole(5, 60) * scale) })
  made.steps = Array.from({ length: chance.whole(...STEPS) }, () => step(chance, scale, 2))
  return made
}

function body (chance, scale) {
  const parts = Array.from({ length: chance.whole(1, 2) }, () => Math.max(1, Math.round(chance.whole(1, 50) * scale)))
  return { how: chance.pick({ listeners: 1, iterated: 1 }), parts: parts.sort((a, b) => a - b) }
}

/** @returns {Step} */
function step (chance, scale, depth) {
  const weights = depth > 0 ? WEIGHTS : Object.fromEntries(Object.entries(WEIGHTS).filter(([name]) => !PARENTS.includes(name)))
  const kind = chance.pick(weights)
  const made = { do: kind }
  if (WAYS[kind]) made.how = chance.pick(WAYS[kind])
  const ms = (low, high) => Math.max(1, Math.round(chance.whole(low, high) * scale))
  if (kind === 'compute') made.ms = ms(1, 24)
  if (kind === 'timer' && !['immediate', 'tick'].includes(made.how)) made.ms = ms(2, 40)
  if (kind === 'pool') made.ms = ms(2, 20)
  if (kind === 'call') made.ms = ms(3, 60)
  if (kind === 'retry') Object.assign(made, { how: chance.pick(WAYS.call), ms: ms(3, 25), failures: chance.whole(1, 2) })
  if (kind === 'abort') Object.assign(made, { ms: 5000, after: ms(3, 40) })
  if (kind === 'generate') made.steps = steps(chance, scale, depth - 1, 3)
  if (['all', 'any', 'race'].includes(kind)) made.branches = Array.from({ length: chance.whole(2, 3) }, () => steps(chance, scale, depth - 1, 2))
  if (kind === 'any') made.fails = chance.happens(0.5)
  return made
}

function steps (chance, scale, depth, most) {
  const made = Array.from({ length: chance.whole(1, most) }, () => step(chance, scale, depth))
  // What never waits joins nothing.
  const waits = ({ do: kind, how }) => !['compute', 'part'].includes(kind) && how !== 'ring'
  return [...made, ...!made.some(waits) ? [{ do: 'timer', how: 'setTimeout', ms: Math.max(1, Math.round(10 * scale)) }] : []]
}

module.exports = { Chance, generate }
