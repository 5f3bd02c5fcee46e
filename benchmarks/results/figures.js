'use strict'

// The two figures, as SVG.

const fs = require('node:fs')
const path = require('node:path')
const { SHARES } = require('./cell')
const { meanOf, partsOf, routesOf } = require('./summary')

const MS = 1e6
const PANEL = { width: 260, height: 180 }
const PARTS = ['I/O', 'queueing', 'execution']

/**
 * @param {any} results
 * @param {string} directory where the files go
 * @returns {Promise<string[]>} their names
 */
async function draw (results, directory) {
  const figures = { 'latency.svg': distribution(results), 'breakdown.svg': breakdown(results) }
  for (const [name, spec] of Object.entries(figures)) {
    fs.writeFileSync(path.join(directory, name), await svg(spec))
  }
  return Object.keys(figures)
}

/** @param {any} spec of vega-lite @returns {Promise<string>} */
async function svg (spec) {
  const [vega, lite] = await Promise.all([import('vega'), import('vega-lite')])
  const view = new vega.View(vega.parse(lite.compile(spec).spec), { renderer: 'none' })
  return view.toSVG()
}

// Figure 2: the latency of the bare application, each share the mean over the rounds.
function distribution ({ cells, rates }) {
  const values = Object.keys(rates).flatMap((app) => {
    const bare = cells.filter((cell) => cell.app === app && cell.variant === 'bare')
    return SHARES.map((share, i) => ({ app, share: 100 * share, ms: meanOf(bare.map(({ cdf }) => cdf[i])) / MS }))
      .filter(({ share }) => share > 0)
  })
  return {
    data: { values },
    facet: { field: 'app', type: 'nominal', columns: 3, title: null },
    resolve: { scale: { x: 'independent' } },
    spec: {
      ...PANEL,
      mark: { type: 'line', interpolate: 'step-after' },
      encoding: {
        x: { field: 'ms', type: 'quantitative', scale: { type: 'log' }, title: 'latency, ms' },
        y: { field: 'share', type: 'quantitative', title: '% of requests' }
      }
    }
  }
}

// Figure 6: what a request of each route spends its time on, tail beside rest.
function breakdown (results) {
  const values = Object.keys(results.rates).flatMap((app) => routesOf(results, app).flatMap((route) =>
    ['rest', 'tail'].flatMap((part) => Object.entries(partsOf(route[part])).map(([name, ns]) =>
      ({ app, route: route.route, part, name, ms: ns / MS })))))
  return {
    data: { values },
    facet: { row: { field: 'app', type: 'nominal', title: null }, column: { field: 'part', type: 'nominal', title: null } },
    resolve: { scale: { y: 'independent', x: 'independent' } },
    spec: {
      width: 320,
      height: { step: 16 },
      mark: 'bar',
      encoding: {
        y: { field: 'route', type: 'nominal', title: null, axis: { labelLimit: 220 } },
        x: { field: 'ms', type: 'quantitative', title: 'mean of a request, ms' },
        color: { field: 'name', type: 'nominal', title: null, sort: PARTS },
        order: { field: 'name', sort: 'descending' }
      }
    }
  }
}

module.exports = { draw, svg }
