'use strict'

// Ends workers at instants that cover their start, then ends.

const { once } = require('node:events')
const { Worker } = require('node:worker_threads')
const { setTimeout: sleep } = require('node:timers/promises')

const STEPS = 40

function start () {
  const worker = new Worker('setInterval(() => {}, 1000)', { eval: true })
  worker.on('error', () => {})
  return worker
}

async function main () {
  process.send({ port: 0 })
  const begin = performance.now()
  const whole = start()
  await once(whole, 'online')
  const startMs = performance.now() - begin
  await whole.terminate()
  for (let step = 0; step < STEPS; step++) {
    const worker = start()
    await sleep(1.2 * startMs * step / STEPS)
    await worker.terminate()
  }
  process.disconnect()
}
main()
