'use strict'

// docs/whatif-accuracy.md.

const { PERCENTILES, orders, rootMeanSquare, summary } = require('./judge')

const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`
const signed = (/** @type {number} */ share) => `${share > 0 ? '+' : ''}${(100 * share).toFixed(1)}`

/**
 * @param {{ machine: string, options: any, runs: { app: string, level: number, round: number, judged: import('./judge').Judged[] }[] }} results
 * @returns {string}
 */
function page ({ machine, options, runs }) {
  const apps = [...new Set(runs.map(({ app }) => app))]
  return [
    '# How far predictions are off',
    '',
    '`npm run bench:whatif` records a server, predicts what a change does to its latency, makes the change, and records again at once. Each row is all',
    `rounds at all loads. ${machine}; ${options.rounds} ${options.rounds === 1 ? 'round' : 'rounds'} of ${options.duration} s at ${options.levels.map((level) => `${level} %`).join(' and ')} of the saturation throughput.`,
    'Where nothing is changed, that is what a run differs from itself by. "By the path only" changes the recorded critical path and leaves the waiting for the loop as it was.',
    'The server, those whom it asks and the generator run in real time: nothing else on the machine displaces them. What a change of an application brings to each route is',
    'measured first, at a fifth of the saturation throughput, where hardly anybody waits for the loop.',
    '',
    ...inShort(apps.map((app) => ({ app, judged: runs.filter((run) => run.app === app).flatMap((run) => run.judged) }))),
    ...apps.flatMap((app) => section(app, runs.filter((run) => run.app === app))),
    ''
  ].join('\n')
}

/**
 * @param {string} published the page as it is
 * @param {string[]} apps whose sections this benchmark writes
 * @returns {string} the sections that others write
 */
function othersSections (published, apps) {
  const sections = published.split(/^(?=## )/m).slice(1)
  return sections.filter((text) => !apps.includes(text.slice(3, text.indexOf('\n')))).join('')
}

/** @param {{ app: string, judged: import('./judge').Judged[] }[]} all */
function inShort (all) {
  const row = (/** @type {string} */ name, /** @type {import('./judge').Judged[]} */ judged) => PERCENTILES.flatMap((percentile) => {
    const of = judged.filter((each) => each.percentile === percentile)
    const [changed, same] = [of.filter(({ low }) => Number.isFinite(low)), of.filter(({ low }) => !Number.isFinite(low))]
    if (changed.length === 0 || same.length === 0) return []
    const { median, path, inside } = summary(changed)
    return [`| ${name} | ${percentile} | ${percent(median)} | ${percent(path)} | ${percent(summary(same).median)} | ${inside === null ? '' : percent(inside)} | ${changed.length} |`]
  })
  return [
    '| Server | Percentile | Median error of all changes | By the path only | Nothing changed | 90 % intervals that held it | Predictions |',
    '|---|---|---:|---:|---:|---:|---:|',
    ...all.flatMap(({ app, judged }) => row(app, judged)),
    ...row('**all applications**', all.filter(({ app }) => app !== 'synthetic').flatMap(({ judged }) => judged)),
    ''
  ]
}

function section (app, runs) {
  const judged = runs.flatMap((run) => run.judged)
  const cells = [...new Set(judged.map(({ cell }) => cell))]
  const changed = judged.filter(({ low }) => Number.isFinite(low))
  return [
    `## ${app}`,
    '',
    '| Change | Percentile | Came, against before | Median error | RMS error | By the path only, median | 90 % intervals that held it | Each run: predicted / came - 1, % |',
    '|---|---|---:|---:|---:|---:|---:|---|',
    ...cells.flatMap((cell) => PERCENTILES.flatMap((percentile) => row(cell, percentile, judged.filter((each) => each.cell === cell && each.percentile === percentile)))),
    ...PERCENTILES.flatMap((percentile) => row('**all changes**', percentile, changed.filter((each) => each.percentile === percentile), false)),
    '',
    ...PERCENTILES.flatMap((percentile) => order(percentile, runs.map((run) => run.judged.filter((each) => each.percentile === percentile)))),
    '',
    ...capacities(runs.flatMap((run) => run.capacity))
  ]
}

/** @param {string} percentile @param {import('./judge').Judged[][]} judged by run */
function order (percentile, judged) {
  const { runs, best, correlation } = orders(judged)
  return runs > 0 ? [`- ${percentile}: the change that was predicted to be the best was it in ${best} of ${runs} runs; rank correlation of all ${correlation.toFixed(2)}.`] : []
}

/** @param {{ cell: string, came: number, predicted: number }[]} found */
function capacities (found) {
  const cells = [...new Set(found.map(({ cell }) => cell))]
  const errors = (/** @type {string} */ cell) => found.filter((each) => each.cell === cell).map(({ came, predicted }) => predicted / came - 1)
  return [
    'Requests a second at most, from recordings at those loads, against a closed loop that saturates the server:',
    '',
    '| Change | Came | RMS error | Each: predicted / came - 1, % |',
    '|---|---:|---:|---|',
    ...cells.map((cell) => `| ${cell} | ${found.find((each) => each.cell === cell)?.came.toFixed(0)} | ${percent(rootMeanSquare(errors(cell)))} | ${errors(cell).map(signed).join(', ')} |`),
    ''
  ]
}

function row (cell, percentile, judged, each = true) {
  if (judged.length === 0) return []
  const { median, rms, path, inside } = summary(judged)
  const effect = judged.map(({ came, before }) => came / before - 1)
  const range = `${signed(Math.min(...effect))} to ${signed(Math.max(...effect))} %`
  const all = each ? judged.map(({ predicted, came }) => signed(predicted / came - 1)).join(', ') : ''
  return [`| ${cell} | ${percentile} | ${range} | ${percent(median)} | ${percent(rms)} | ${percent(path)} | ${inside === null ? '' : percent(inside)} | ${all} |`]
}

module.exports = { othersSections, page }
