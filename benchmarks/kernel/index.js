'use strict'

// What `edgewise kernel` costs the server that it looks at: docs/kernel.md.

const os = require('node:os')
const path = require('node:path')
const { median, pairedRatio } = require('../../lib/statistics')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { main } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { saturate, withServer } = require('../overhead/cell')
const { VARIANTS } = require('../overhead/variants')
const { recordKernel } = require('../shared/kernel-layer')

const USAGE = `Usage: npm run bench:kernel -- [options]

Saturates a server that records, with and without the kernel layer, in turns:
processor time of its main thread for a request, and requests a second. As root.

  --rounds N   each measures all variants once (10)
  --seconds N  of each measurement (2)`

const SETTINGS = { servers: path.join(ROOT, 'benchmarks/overhead/servers'), serverCpus: '0', helperCpus: '0,1', loadCpus: '1', connections: 8, seconds: 0, warmup: 0 }
/** What `edgewise kernel` is given; null: it does not run. */
const LAYERS = /** @type {Record<string, string[] | null>} */ ({
  recording: null,
  'recording again (A/A)': null,
  'kernel layer': [],
  'in bursts, 32/128': ['--burst', '32/128']
})

/** @param {string[]} args */
async function run (args) {
  const { values: { rounds, seconds } } = parseArguments(args, USAGE, {
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '2' }
  }, problem)
  const names = Object.keys(LAYERS)
  const found = /** @type {Record<string, any[]>} */ (Object.fromEntries(names.map((name) => [name, []])))
  const { start } = /** @type {any} */ (VARIANTS.find(({ name }) => name === 'promises'))
  await withServer('hello', start, SETTINGS, async ({ pid }, url) => {
    await saturate(pid, url, Number(seconds), SETTINGS)
    for (let round = 0; round < Number(rounds); round++) {
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(round + turn) % names.length]
        const layer = LAYERS[name]
        const stop = layer && await recordKernel(pid, layer)
        found[name].push(await saturate(pid, url, Number(seconds), SETTINGS))
        await stop?.()
      }
    }
  })
  console.log(`Node ${process.version}, ${os.cpus()[0].model}, ${rounds} rounds of ${seconds} s\n\n${table(found)}`)
}

/** @param {Record<string, any[]>} found by variant, by round @returns {string} */
function table (found) {
  const [base, ...others] = Object.keys(found)
  const of = (/** @type {string} */ name, /** @type {string} */ what) => found[name].map((window) => window[what])
  const cell = (/** @type {string} */ name, /** @type {string} */ what) => {
    const { ratio, low, high } = pairedRatio(of(name, what), of(base, what))
    return `x ${ratio.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`
  }
  const first = `| ${base} (median) | ${median(of(base, 'mainUs')).toFixed(1)} µs | ${median(of(base, 'ratePerS')).toFixed(0)} |`
  const rows = others.map((name) => `| ${name} | ${cell(name, 'mainUs')} | ${cell(name, 'ratePerS')} |`)
  return ['| | Processor time of the main thread, a request | Requests a second |', '|---|---|---|', first, ...rows].join('\n')
}

function problem (/** @type {{ rounds: string, seconds: string }} */ { rounds, seconds }) {
  if (!/^[1-9]\d*$/.test(rounds) || Number(rounds) < 2) return `--rounds ${rounds}: must be a whole number from 2`
  return Number(seconds) > 0 ? undefined : `--seconds ${seconds}: must be a number over 0`
}

main(run)
