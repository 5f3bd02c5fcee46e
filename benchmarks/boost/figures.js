'use strict'

// Tail reduction against energy: the paper's figure 7 and table 7 as one.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { installPackages, missingPackages } = require('../../scripts/tasks/debian-packages')
const { svg } = require('../results/figures')
const { PAPER } = require('./paper')
const { paretoFrontier, points } = require('./summary')

const WIDTH_PX = 900
const OURS = 'measured here, emulated frequency'
const THEIRS = 'the paper'

/**
 * @param {any[]} cells of the section main
 * @param {string[]} apps
 * @param {string} directory where the files go
 * @returns {Promise<string[]>} their names: SVG, PNG
 */
async function draw (cells, apps, directory) {
  const names = ['tail-energy.svg', 'tail-energy.png']
  const [picture, pixels] = names.map((name) => path.join(directory, name))
  fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(picture, await svg(scatter(points(cells, apps))))
  const lacking = missingPackages(['figures'])
  if (lacking.length > 0) await installPackages(lacking)
  execFileSync('rsvg-convert', ['--width', String(WIDTH_PX), '--background-color', 'white', '--output', pixels, picture])
  return names
}

/** @param {import('./summary').Point[]} ours @returns {any} for vega-lite */
function scatter (ours) {
  const theirs = Object.entries(PAPER.policies).map(([name, point]) => ({ name, ...point, whose: THEIRS }))
  const both = [...ours.map((point) => ({ ...point, whose: OURS })), ...theirs]
  const x = { field: 'energy', type: 'quantitative', scale: { zero: false }, title: 'energy, modelled, relative to 2.6 GHz' }
  const y = { field: 'reduction', type: 'quantitative', title: 'reduction of p99.9 at emulated frequency, %' }
  const color = { field: 'whose', type: 'nominal', title: null, scale: { domain: [OURS, THEIRS], range: ['#1f77b4', '#999999'] }, legend: { orient: 'top', labelLimit: 400 } }
  return {
    width: 620,
    height: 380,
    layer: [
      { data: { values: paretoFrontier(ours) }, mark: { type: 'line', color: '#1f77b4', strokeDash: [4, 3] }, encoding: { x, y, order: { field: 'energy' } } },
      { data: { values: both }, mark: { type: 'point', filled: true, size: 70 }, encoding: { x, y, color, shape: { ...color, scale: { domain: [OURS, THEIRS], range: ['circle', 'diamond'] } } } },
      { data: { values: both }, mark: { type: 'text', align: 'left', dx: 7, dy: -5, fontSize: 10 }, encoding: { x, y, color, text: { field: 'name' } } }
    ]
  }
}

module.exports = { draw, scatter }
