'use strict'

// Small programs under the recorder: node --require lib/register.js recorded.js PART

const fs = require('node:fs/promises')
const { Worker, isMainThread } = require('node:worker_threads')
const edgewise = require('../../../lib')
const recording = require('../../../lib/recording')
const { readConfig } = require('../../../lib/config')

const turn = () => new Promise((resolve) => setImmediate(resolve))

// New functions and new shapes each time: compilation and inline-cache misses.
function compute (rounds) {
  let sum = 0
  for (let i = 0; i < rounds; i++) {
    const f = new Function('o', `return o.p${i} + ${rounds}`) // eslint-disable-line no-new-func
    for (let j = 0; j < 50; j++) sum += f({ [`p${i}`]: j, [`q${j % 5}`]: new Array(64).fill(j) })
  }
  return sum
}

const parts = {
  async compute () {
    for (let i = 0; i < 40; i++) {
      await turn()
      await edgewise.request('compute', async () => {
        compute(40)
        await turn()
        compute(20)
      })
    }
  },

  async files () {
    for (let i = 0; i < 5; i++) {
      await turn()
      await edgewise.request('files', async () => {
        await Promise.all(Array.from({ length: 4 }, () => fs.readFile(__filename)))
      })
    }
  },

  async switching () {
    const { config } = readConfig()
    const kept = []
    for (let i = 0; i < 12; i++) {
      await edgewise.request('kept', async () => {
        kept.push(() => kept.length)
        compute(30)
        await turn()
      })
      recording.stop()
      compute(10)
      recording.start(config)
      await turn()
      edgewise.request('calls', () => kept.reduce((sum, each) => sum + each(), 0))
    }
  },

  async workers () {
    for (let i = 0; i < 8; i++) {
      const worker = new Worker(__filename, { argv: ['compute once'] })
      if (i % 2 === 0) setTimeout(() => compute(5), 1)
      await new Promise((resolve) => worker.once('exit', resolve))
    }
  },

  async 'compute once' () {
    await turn()
    await edgewise.request('compute', () => compute(20))
  },

  ticks () {
    let left = 200
    const again = () => {
      const next = (ticks) => ticks > 0 ? process.nextTick(next, ticks - 1) : --left > 0 && setImmediate(again)
      next(1000)
    }
    again()
  },

  async flood () {
    let release
    const gate = new Promise((resolve) => { release = resolve })
    await turn()
    const all = edgewise.request('many', () => Promise.all(Array.from({ length: 100_000 }, () => gate.then(() => 1))))
    await turn()
    release()
    await all
    await turn()
    await edgewise.request('after', turn)
  }
}

if (!isMainThread || require.main === module) parts[process.argv[2]]()
