'use strict'

// What the page's own columns tell.

const { useMemo } = require('preact/hooks')
const { lanesOf } = require('../data/lanes')
const { pathsOf } = require('../data/paths')
const { slowestOf } = require('../data/requests')

/**
 * What is shown of single requests, and of the loops. A request's key names it in the page's address.
 * @typedef {object} Shown
 * @property {{ requests: import('../data/requests').Requests, rows: number[], hasPath: (row: number) => boolean, keyOf: (row: number) => number, busy: boolean }} list the slowest of the selection, slowest first; `busy`: of the one before
 * @property {{ requests: import('../data/requests').Requests, row: number, steps: import('../data/paths').Step[] } | undefined} open the request that is told step by step
 * @property {(window: { from: number, to: number }) => import('../data/lanes').Lane[]} useLanes
 * @property {string} without what is said of a stretch of time of which nothing is known
 * @property {string} [trouble]
 */
/** @typedef {(page: { columns: import('../data/columns').Columns, requests: import('../data/requests').Requests, marks: Uint8Array, selection: import('../data/requests').Selection, request: number | undefined, most: number }) => Shown} Source */

/** @type {Source} */
function useHeld ({ columns, requests, marks, request, most }) {
  const paths = useMemo(() => pathsOf(columns), [columns])
  const lanes = useMemo(() => lanesOf(columns), [columns])
  const rows = useMemo(() => slowestOf(requests, marks, most), [marks])
  const steps = request === undefined ? undefined : paths.get(request)
  return {
    list: { requests, rows, hasPath: (row) => paths.has(row), keyOf: (row) => row, busy: false },
    open: steps && { requests, row: Number(request), steps },
    useLanes: () => lanes,
    without: 'What ran then is not in this file: it has the time around the slowest requests, and around some others.'
  }
}

module.exports = { useHeld }
