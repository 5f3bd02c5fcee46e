'use strict'

// Runs the steps of a program, with await or with callbacks, and tells its
// ledger when each stretch begins and ends.

const { spin } = require('./clock')
const { ring } = require('./operations')

const ITERATIONS_A_MS = 500_000

/** Steps that do not wait. @type {Record<string, (step: any, branch: any, response: any) => void>} */
const IMMEDIATE = {
  compute: ({ how, ms }) => how === 'clock' ? spin(ms) : iterate(ms * ITERATIONS_A_MS),
  part: (step, branch, response) => { if (!response.writableEnded) response.write('part\n') },
  ring: (step, branch) => ring(branch)
}

function iterate (count) {
  let x = 1
  for (let i = 0; i < count; i++) x = Math.imul(x, 16807) ^ i
  return x
}

function immediateOf (step) {
  return IMMEDIATE[step.do === 'emit' ? step.how : step.do]
}

/** What resumed a branch, and what it passed on the way. */
function enter (branch, { kind, ready, passed = [] }) {
  for (const [name, when, at] of passed) branch.enter(name, when, at)
  branch.enter(kind, ready)
}

/** The steps of one request. */
class Run {
  /** @param {import('./operations').Operations} operations @param {import('node:http').ServerResponse} response */
  constructor (operations, response) {
    this.operations = operations
    this.response = response
  }

  // With await.

  async await (steps, branch) {
    for (const step of steps) await this.#awaitWhole(step, branch)
    return branch
  }

  async #awaitWhole (step, branch) {
    branch.resume()
    const waiting = this.#awaitStep(step, branch)
    branch.pause()
    await waiting
    branch.resume()
  }

  async #awaitStep (step, branch) {
    const immediate = immediateOf(step)
    if (immediate) return immediate(step, branch, this.response)
    if (step.branches) return this.#awaitBranches(step, branch)
    if (step.do === 'generate') return this.#awaitGenerator(step, branch)
    if (step.do === 'retry') return this.#awaitRetries(step, branch)
    await this.#awaitOperation(step, branch)
  }

  async #awaitBranches (step, branch) {
    const branches = step.branches.map(async (steps, index) => {
      const ended = await this.await(steps, branch.fork())
      ended.resume()
      ended.leave()
      if (step.fails && index === 0) throw new Error('this branch fails')
      return ended
    })
    branch.leave()
    // What the last, or the first, of them has done goes on.
    let last
    for (const one of branches) one.then((ended) => { last = ended }, () => {})
    const first = await Promise[step.do](branches)
    branch.at = (step.do === 'all' ? last : first).at
  }

  async #awaitGenerator (step, branch) {
    const run = this
    async function * each () {
      for (const inner of step.steps) {
        await run.#awaitWhole(inner, branch)
        yield inner.do
        branch.resume()
      }
    }
    for await (const name of each()) String(name)
  }

  async #awaitRetries (step, branch) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#awaitOperation(step, branch, attempt < step.failures ? 503 : 200)
      } catch (error) {
        if (error.message !== 'status 503') throw error
        branch.resume()
      }
    }
  }

  async #awaitOperation (step, branch, status) {
    branch.ask()
    const waiting = new Promise((resolve, reject) => this.#start(step, 'await', status, (error, info) => error ? reject(error) : resolve(info)))
    branch.leave()
    const info = await waiting
    enter(branch, info)
    if (info.status === 503) throw new Error('status 503')
  }

  // With callbacks.

  callback (steps, branch, done) {
    const next = (index) => index === steps.length ? done(branch) : this.#callbackStep(steps[index], branch, () => next(index + 1))
    next(0)
  }

  #callbackStep (step, branch, done) {
    const immediate = immediateOf(step)
    if (immediate) {
      immediate(step, branch, this.response)
      return done()
    }
    if (step.branches) return this.#callbackBranches(step, branch, done)
    // There is no generator without promises.
    if (step.do === 'generate') return this.callback(step.steps, branch, done)
    this.#callbackOperation(step, branch, 0, done)
  }

  #callbackBranches (step, branch, done) {
    let left = step.do === 'all' ? step.branches.length : 1
    const forks = step.branches.map(() => branch.fork())
    step.branches.forEach((steps, index) => this.callback(steps, forks[index], (ended) => {
      const fails = step.fails && index === 0
      if (!fails && --left === 0) {
        branch.at = ended.at
        return done()
      }
      ended.leave()
    }))
    if (left > 0) branch.leave()
  }

  #callbackOperation (step, branch, attempt, done) {
    const status = step.do === 'retry' && attempt < step.failures ? 503 : 200
    branch.ask()
    this.#start(step, 'callback', status, (error, info) => {
      if (error) throw error
      enter(branch, info)
      if (info.status === 503) this.#callbackOperation(step, branch, attempt + 1, done)
      else done()
    })
    branch.leave()
  }

  #start (step, style, status, done) {
    if (step.do === 'retry') this.operations.call(step, style, done, status)
    else this.operations.start(step, style, done)
  }
}

module.exports = { Run }
