'use strict'

// From the cells of all rounds to one row a server and variant.

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

/** @type {(keyof import('./pairs').Pair)[]} */
const PAIRED = ['mainUs', 'ratePerS', 'memoryMb', 'p999Us']

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
  const groups = grouped(cells)
  return groups.map((group) => rowOf(group, groups.find(([{ server, variant }]) => server === group[0].server && variant === 'off') ?? []))
}

/**
 * @template {{ server: string, variant: string }} T
 * @param {T[]} measured
 * @returns {T[][]} by server and variant
 */
function grouped (measured) {
  /** @type {Map<string, T[]>} */
  const groups = new Map()
  for (const one of measured) {
    const key = `${one.server} ${one.variant}`
    groups.set(key, [...groups.get(key) ?? [], one])
  }
  return [...groups.values()]
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
    said: distinct(group.map(({ said }) => said.trim()).filter(Boolean))
  }
}

// Texts that differ by their numbers only are one, the last of them.
function distinct (texts) {
  return [...new Map(texts.map((text) => [text.replace(/\d+/g, '#'), text])).values()]
}

/** @returns {Record<string, number>} */
function helpers (windows) {
  const names = new Set(windows.flatMap(({ helpersPercent }) => Object.keys(helpersPercent)))
  return Object.fromEntries([...names].map((name) => [name, median(windows.map(({ helpersPercent }) => helpersPercent[name] ?? 0))]))
}

/**
 * @typedef {object} PairsRow
 * @property {string} server
 * @property {string} variant
 * @property {number} pairs how many
 * @property {Partial<Record<keyof import('./pairs').Pair, { off: number, ratio: Ratio }>>} measures of the pairs that have it (`ratio.runs` of them); off: of the bare server, median
 */

/**
 * @param {{ pairs: (import('./pairs').Pair & { server: string, variant: string })[] }} results
 * @returns {PairsRow[]}
 */
function summarizePairs ({ pairs }) {
  return grouped(pairs).map((group) => {
    const measure = (name) => {
      const having = group.filter((pair) => name in pair)
      return {
        off: median(having.map((pair) => pair[name].off)),
        ratio: pairedRatio(having.map((pair) => pair[name].ratio), having.map(() => 1))
      }
    }
    return {
      server: group[0].server,
      variant: group[0].variant,
      pairs: group.length,
      measures: Object.fromEntries(PAIRED.filter((name) => group.some((pair) => name in pair)).map((name) => [name, measure(name)]))
    }
  })
}

module.exports = { summarize, summarizePairs, MEASURES }
