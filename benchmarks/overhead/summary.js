'use strict'

// From the cells of all rounds to one row a server and variant.

// @ts-ignore: the types are those of its ES module
const { geometricMean } = require('simple-statistics')
const { median, pairedRatio } = require('../../lib/statistics')

/** @typedef {{ ratio: number, low: number, high: number, runs: number }} Ratio */

/**
 * What is compared; `of` reads it from a cell. An unfinished open loop has none.
 * @type {Record<string, { text: string, of: (cell: any) => number | undefined }>}
 */
const MEASURES = {
  throughput: { text: 'requests/s at saturation', of: (cell) => cell.saturated.ratePerS },
  mainUs: { text: 'main thread, µs a request', of: (cell) => cell.saturated.mainUs },
  openMainUs: { text: 'main thread at 60 % load, µs a request', of: (cell) => cell.open?.mainUs },
  p50: { text: 'p50 at 60 % load, µs', of: (cell) => cell.open?.latencyUs.p50 },
  p99: { text: 'p99 at 60 % load, µs', of: (cell) => cell.open?.latencyUs.p99 },
  p999: { text: 'p99.9 at 60 % load, µs', of: (cell) => cell.open?.latencyUs.p999 }
}

/**
 * @typedef {object} Row
 * @property {string} server
 * @property {string} variant
 * @property {number} runs
 * @property {Record<string, { value: number, ratio: Ratio | null }>} measures value: median over the runs
 * @property {Record<string, number>} helpersPercent of one core at saturation, by thread
 * @property {Record<string, number>} openHelpersPercent at 60 % load
 * @property {number} errors failed requests of all runs
 * @property {number} lagged runs in which the load generator itself was late
 * @property {string[]} said what the server wrote to stderr
 */

/**
 * @param {{ cells: any[] }} results
 * @returns {Row[]}
 */
function summarize ({ cells }) {
  /** @type {Map<string, any[]>} */
  const groups = new Map()
  for (const cell of cells) {
    const key = `${cell.server}\n${cell.variant}`
    groups.set(key, [...groups.get(key) ?? [], cell])
  }
  return [...groups.values()].map((group) => {
    const { server } = group[0]
    return rowOf(group, groups.get(`${server}\noff`) ?? [])
  })
}

/** @returns {Row} */
function rowOf (group, off) {
  /** @type {Row['measures']} */
  const measures = {}
  for (const [name, { of }] of Object.entries(MEASURES)) {
    const pairs = group.flatMap((cell) => {
      const base = off.find(({ round }) => round === cell.round)
      return of(cell) === undefined ? [] : [{ value: of(cell), base: base && of(base) }]
    })
    if (pairs.length === 0) continue
    const paired = pairs.filter(({ base }) => base !== undefined)
    const ratio = group[0].variant === 'off' || paired.length === 0
      ? null
      : pairedRatio(paired.map(({ value }) => value), paired.map(({ base }) => base))
    measures[name] = { value: median(pairs.map(({ value }) => value)), ratio }
  }
  const windows = group.flatMap(({ saturated, open }) => open ? [saturated, open] : [saturated])
  return {
    server: group[0].server,
    variant: group[0].variant,
    runs: group.length,
    measures,
    helpersPercent: helpers(group.map(({ saturated }) => saturated)),
    openHelpersPercent: helpers(group.flatMap(({ open }) => open ?? [])),
    errors: windows.reduce((sum, { errors }) => sum + errors, 0),
    lagged: group.filter(({ open }) => open?.lagged).length,
    said: [...new Set(group.map(({ said }) => said.trim()).filter(Boolean))]
  }
}

/** @returns {Record<string, number>} */
function helpers (windows) {
  const names = new Set(windows.flatMap(({ helpersPercent }) => Object.keys(helpersPercent)))
  return Object.fromEntries([...names].map((name) => [name, median(windows.map(({ helpersPercent }) => helpersPercent[name] ?? 0))]))
}

/**
 * @typedef {object} SwitchingRow
 * @property {string} server
 * @property {string} variant
 * @property {number} pairs
 * @property {number} offUs main thread, µs a request, median
 * @property {Ratio} aa
 * @property {Ratio} on
 */

/**
 * @param {{ switching: { server: string, variant: string, blocks: import('./switching').Block[] }[] }} results
 * @returns {SwitchingRow[]} a pair is one number: the geometric mean of its blocks' ratios
 */
function summarizeSwitching ({ switching }) {
  const measured = new Set(switching.map(({ server, variant }) => `${server} ${variant}`))
  return [...measured].map((name) => {
    const [server, variant] = name.split(' ')
    const pairs = switching.filter((one) => one.server === server && one.variant === variant).map(({ blocks }) => blocks)
    const ratio = (state) => pairedRatio(pairs.map((blocks) => geometricMean(blocks.map((block) => block[state]))), pairs.map(() => 1))
    return {
      server,
      variant,
      pairs: pairs.length,
      offUs: median(pairs.flat().map(({ offUs }) => offUs)),
      aa: ratio('aa'),
      on: ratio('on')
    }
  })
}

module.exports = { summarize, summarizeSwitching, MEASURES }
