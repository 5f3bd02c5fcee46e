'use strict'

// What the server tells that has given the page (lib/page/serve.js).

const { useEffect, useMemo, useState } = require('preact/hooks')
const { readColumns } = require('../data/columns')
const { lanesOf } = require('../data/lanes')
const { pathsOf } = require('../data/paths')
const { requestsOf } = require('../data/requests')

/** In a window of as much time as is seen, so many parts. */
const PARTS = 2048

/** @type {import('./held').Source} */
function useAsked ({ columns: { head }, requests: all, selection, request, most }) {
  const slowest = useAnswer(`requests?${queryOf({ ...selection, tail: Number(selection.tail ?? 0), count: most })}`)
  const single = useAnswer(request === undefined ? null : `request?number=${request}`)
  const list = useMemo(() => requestsIn(slowest.columns, head), [slowest.columns])
  const open = useMemo(() => requestsIn(single.columns, head), [single.columns])
  const told = open && open.requests.of.number[0] === request
  const [trouble, setTrouble] = useState(/** @type {string | undefined} */ (undefined))
  return {
    list: {
      requests: list?.requests ?? all,
      rows: list ? [...list.requests.of.number.keys()] : [],
      hasPath: () => true,
      keyOf: (row) => list?.requests.of.number[row] ?? row,
      busy: slowest.busy
    },
    open: told ? { requests: open.requests, row: 0, steps: open.paths.get(0) ?? [] } : undefined,
    useLanes: (window) => {
      const answer = useAnswer(windowQuery(window))
      useEffect(() => setTrouble(answer.trouble), [answer.trouble])
      return useMemo(() => answer.columns ? lanesOf({ ...answer.columns, head: { ...head, ...answer.columns.head } }) : [], [answer.columns])
    },
    without: '',
    trouble: slowest.trouble ?? single.trouble ?? trouble
  }
}

/** @param {import('../data/columns').Columns | null} columns @param {Record<string, any>} head of the page, with the names */
function requestsIn (columns, head) {
  if (!columns) return undefined
  const named = { head: { ...head, ...columns.head }, tables: columns.tables }
  return { requests: requestsOf(named), paths: pathsOf(named) }
}

/** The last answer, until there is one to what is asked now (`busy`). @param {string | null} question null: nothing is asked @returns {{ columns: import('../data/columns').Columns | null, trouble?: string, busy: boolean }} */
function useAnswer (question) {
  const [answer, setAnswer] = useState(/** @type {{ columns: import('../data/columns').Columns | null, trouble?: string, to: string | null }} */ ({ columns: null, to: null }))
  useEffect(() => {
    if (question === null) return
    const controller = new AbortController()
    answered(question, controller.signal).then((columns) => setAnswer({ columns, to: question }), (/** @type {Error} */ { message }) => {
      if (!controller.signal.aborted) setAnswer((last) => ({ ...last, to: question, trouble: `The server of this page does not answer (${message}). It runs until Ctrl-C: call edgewise view again.` }))
    })
    return () => controller.abort()
  }, [question])
  return { ...answer, busy: answer.to !== question }
}

/** @param {string} question @param {AbortSignal} signal */
async function answered (question, signal) {
  const response = await fetch(question, { signal })
  if (!response.ok) throw new Error((await response.text()).trim())
  return readColumns(new Uint8Array(await response.arrayBuffer()))
}

/** More than is seen, so that a small move asks for nothing. @param {{ from: number, to: number }} window */
function windowQuery ({ from, to }) {
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, to - from)))
  const first = Math.floor(from / length) * length
  return `window?${queryOf({ from: Math.max(0, first - length), to: first + 3 * length, least: Math.max(1, Math.floor(length / PARTS)) })}`
}

/** Whole numbers that the server can read. @param {Record<string, number | undefined | boolean>} given */
function queryOf (given) {
  const known = Object.entries(given).filter(([, value]) => value !== undefined)
  return new URLSearchParams(known.map(([name, value]) => [name, String(Math.min(1e15 - 1, Math.round(Number(value))))]))
}

module.exports = { useAsked, windowQuery }
