'use strict'

// The runs of an experiment, one after the other under one load that goes on:
// as it is, with pauses that hardly slow anything, and with those of each cut;
// then the same again.

const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { processorNs } = require('./cores')
const { Counting } = require('./counting')
const { measure, pauseNs, predicted, throughput } = require('./model')
const { Poker, neighbourhoods } = require('./poker')

/** Until queues are as long as they get, with pauses or without. */
const SETTLE_MS = 1000
/** Front requests between two words of them. */
const FRONT_EVERY = 10
/** Of pauses that show what pausing costs by itself. */
const IDLE_PAUSE_NS = 100_000
/** A longer one would be taken for a fault by whoever waits for an answer. */
const LONGEST_PAUSE_NS = 500e6

/** @typedef {{ name: string, pids: number[], counted: string[], cpus: Set<number> }} Running counted: the control sockets of its processes */
/** @typedef {{ name: string, ns: number }} Cut of the target's time a request */
/** @typedef {import('./model').Measured} Measured */
/**
 * @typedef {object} Run
 * @property {number} repetition from 1
 * @property {string | null} cut null: as it is
 * @property {number} throughput requests a second, as they came
 * @property {number} predicted requests a second, with the target so much faster
 * @property {number} rounds in what was measured
 * @property {number} pausedNs each of the others, a round, in the mean
 * @property {number[]} processorNs of each service, a request that users sent
 */
/**
 * @typedef {object} Setup
 * @property {Running[]} services the one that users ask first
 * @property {string} target
 * @property {string} program the poker
 * @property {string} directory for sockets
 * @property {number} batch counted requests a round
 * @property {number} [parallel] how many requests the target works on at once; default: its processes that count requests
 * @property {number} [calls] of the target per request that users send, where its own cannot be counted
 * @property {number} seconds that a run measures
 * @property {AbortSignal} signal
 * @property {(text: string) => void} say
 */

class Experiment {
  /** @type {Run[]} */
  runs = []
  #setup
  #target
  #others
  #front
  #rounds
  /** @type {Poker[]} the first is where rounds begin */
  #pokers = []
  #armed = 0

  /** @param {Setup} setup */
  constructor (setup) {
    this.#setup = setup
    this.#target = /** @type {Running} */ (setup.services.find(({ name }) => name === setup.target))
    this.#others = setup.services.filter((service) => service !== this.#target)
    const counted = setup.calls === undefined ? this.#target : setup.services[0]
    this.#front = new Counting(setup.services[0].counted, FRONT_EVERY)
    this.#rounds = new Counting(counted.counted, setup.batch)
    const first = setup.calls === undefined ? [{ name: counted.name, pids: [] }] : []
    const beside = [...first, ...this.#others]
    const sockets = beside.map((_, i) => path.join(setup.directory, `${i}.sock`))
    const neighbours = neighbourhoods(sockets)
    this.#pokers = beside.map(({ name, pids }, i) => new Poker(setup.program, {
      name, pids, socket: sockets[i], neighbours: neighbours[i], counted: i === 0 ? counted.counted : []
    }))
  }

  /** @returns {import('./poker').Poker[]} */
  get pokers () {
    return this.#pokers
  }

  /**
   * As it is, for a while: what each service takes.
   * @returns {Promise<{ throughput: number, calls: number, targetNs: number, parallel: number, services: { name: string, busy: number }[] }>} calls: of the target per user's
   *   request; targetNs: of a processor, a call; busy: processors
   * @throws {Error} nothing was counted
   */
  async look () {
    const { services, calls } = this.#setup
    const { measured, processorNs } = await this.#watch()
    const perRequest = calls ?? measured.calls / measured.requests
    return {
      throughput: throughput(measured),
      calls: perRequest,
      targetNs: processorNs[services.indexOf(this.#target)] / perRequest,
      parallel: this.#parallel(),
      services: services.map(({ name }, i) => ({ name, busy: processorNs[i] * throughput(measured) / 1e9 }))
    }
  }

  /**
   * @param {Cut[]} cuts
   * @param {number} repetitions
   * @throws {Error} what was counted or paused is not what was asked for
   */
  async run (cuts, repetitions) {
    const all = [null, { name: 'pauses of 100 µs', ns: this.#idleNs() }, ...cuts]
    for (let repetition = 1; repetition <= repetitions; repetition++) {
      for (const cut of repetition % 2 ? all : [...all].reverse()) {
        const run = await this.once(cut, repetition)
        this.#setup.signal.throwIfAborted()
        this.runs.push(run)
        const { say } = this.#setup
        say(`${repetition} of ${repetitions}, ${cut?.name ?? 'as it is'}: ${run.throughput.toFixed(0)} requests/s${cut ? `, so ${run.predicted.toFixed(0)} predicted` : ''}`)
      }
    }
  }

  /** @param {Cut} cut @returns {number} ns that each other service is paused for, a round */
  pauseOf ({ ns }) {
    const { batch, calls } = this.#setup
    return pauseNs({ cutNs: ns, batch, calls, parallel: this.#parallel() })
  }

  /** Every service goes on. */
  async close () {
    this.#front.close()
    this.#rounds.close()
    await Promise.all(this.#pokers.map((poker) => poker.close()))
  }

  #parallel () {
    return this.#setup.parallel ?? Math.max(1, this.#setup.calls === undefined ? this.#rounds.busy : 1)
  }

  #idleNs () {
    return IDLE_PAUSE_NS / this.pauseOf({ name: '', ns: 1e6 }) * 1e6
  }

  /** @param {Cut | null} cut null: as it is @param {number} repetition @returns {Promise<Run>} */
  async once (cut, repetition) {
    if (!cut) {
      const { measured, processorNs } = await this.#watch()
      return { repetition, cut, throughput: throughput(measured), predicted: throughput(measured), rounds: measured.rounds, pausedNs: 0, processorNs }
    }
    const pause = this.pauseOf(cut)
    const [origin, ...rest] = this.#pokers
    const run = ++this.#armed
    await Promise.all(rest.map((poker) => poker.arm(run, pause)))
    await origin.arm(run, pause)
    await origin.follow(this.#setup.batch)
    const { measured, processorNs } = await this.#watch()
    const first = await origin.disarm()
    const done = [first, ...await Promise.all(rest.map((poker) => poker.disarm()))].slice(-this.#others.length)
    const pausedNs = done.reduce((sum, each) => sum + each.pausedNs / each.rounds, 0) / done.length
    this.#check(pause, first.rounds, done)
    return { repetition, cut: cut.name, throughput: throughput(measured), predicted: predicted(measured, measured.rounds * pausedNs / 1e9), rounds: measured.rounds, pausedNs, processorNs }
  }

  /** @param {number} pause ns @param {number} rounds @param {import('./poker').Done[]} done */
  #check (pause, rounds, done) {
    for (const [i, each] of done.entries()) {
      const { name } = this.#others[i]
      if (each.rounds < rounds - 1) throw new Error(`the poker beside ${name} heard of ${each.rounds} rounds of ${rounds}`)
      if (each.owedNs > 3 * pause) {
        throw new Error(`${name} could not be paused for as long as it had to, ${(pause / 1e6).toFixed(1)} ms a round: the rounds are shorter. Ask for less with --by`)
      }
    }
  }

  /** @returns {Promise<{ measured: Measured, processorNs: number[] }>} of the time after things have settled; processorNs: of each service, a user's request */
  async #watch () {
    const { services, seconds } = this.#setup
    await this.#wait(SETTLE_MS)
    this.#front.restart()
    this.#rounds.restart()
    const before = services.map(({ pids }) => processorNs(pids))
    const began = performance.now()
    await this.#wait(1000 * seconds)
    const took = services.map(({ pids }, i) => (processorNs(pids) - before[i]) / (performance.now() - began))
    const measured = measure({ front: this.#front.counts, rounds: this.#rounds.counts })
    const problem = this.#front.problem ?? this.#rounds.problem
    if (problem) throw new Error(`requests cannot be counted: ${problem}`)
    if (!measured) throw new Error(this.#tooFew())
    return { measured, processorNs: took.map((nsPerMs) => 1000 * nsPerMs / throughput(measured)) }
  }

  #tooFew () {
    const { services, target, batch, calls, seconds } = this.#setup
    if (this.#front.counts.length < 2) return `${services[0].name} has begun hardly any request in ${seconds} s: is it what the load asks? It must be the first service, and a server of HTTP`
    const name = calls === undefined ? target : services[0].name
    const only = calls === undefined && this.#rounds.counts.length === 0 ? ', or it is no server of HTTP: then say with --calls how often a request of a user asks it' : ''
    return `${name} has begun only ${this.#rounds.counts.length} rounds of ${batch} requests in ${seconds} s: allow more with --for, or make them shorter with --batch${only}`
  }

  async #wait (/** @type {number} */ ms) {
    const { signal } = this.#setup
    await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
    const broken = this.#pokers.find(({ ended }) => ended !== undefined)
    if (broken) throw new Error(`the poker beside ${broken.name} has ended: ${broken.ended}. All services go on`)
  }
}

module.exports = { Experiment, LONGEST_PAUSE_NS }
