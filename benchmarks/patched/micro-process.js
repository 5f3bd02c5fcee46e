'use strict'

// One micro workload in one process: `off` as it is; then, where tracking can be
// switched, on and off in turn. Prints the ns of each block as a line of JSON.
// Arguments: the addon, the workload, ms of a block.

const { ORDER } = require('./turns')
const { WORKLOADS } = require('./workloads')

const [addon, name, blockMs] = process.argv.slice(2)
const tracking = require(addon)
const { count, prepare } = WORKLOADS[name]

async function main () {
  const first = await measure()
  /** @type {{ off: number[], on: number[] }} */
  const turns = { off: [], on: [] }
  if (tracking.on()) {
    for (const state of ORDER) {
      if (state === 'on') tracking.on()
      else tracking.off()
      turns[state].push(await measure())
    }
  }
  process.stdout.write(JSON.stringify({ first, ...turns }) + '\n')
}

// The median sample: switching has thrown code away, and other programs run.
async function measure () {
  const run = prepare(tracking.event)
  await sampleFor(run, Number(blockMs) / 2) // Compiled, and its feedback known.
  const samples = (await sampleFor(run, Number(blockMs))).sort((a, b) => a - b)
  return samples[samples.length >> 1]
}

async function sampleFor (run, ms) {
  const samples = []
  const end = process.hrtime.bigint() + BigInt(Math.round(ms * 1e6))
  while (process.hrtime.bigint() < end || samples.length === 0) {
    const began = process.hrtime.bigint()
    await run(count)
    samples.push(Number(process.hrtime.bigint() - began) / count)
  }
  return samples
}

main()
