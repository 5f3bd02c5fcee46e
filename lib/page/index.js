'use strict'

// One file that shows a trace to a person: it opens from disk, and asks for
// nothing from anywhere.

const fs = require('node:fs')
const path = require('node:path')
const { deflateRawSync } = require('node:zlib')
const { summary } = require('../report')
const { placeOf } = require('../report/place')

const BUNDLE = path.join(__dirname, 'bundle.js')
const STYLE = path.join(__dirname, 'style.css')
/** Numbers gain little by more. */
const LEVEL = 3
/** Of a table. */
const ROWS = 100

/**
 * @param {Record<string, any>} report docs/report-json.md
 * @param {Uint8Array} columns docs/page-data.md
 * @param {{ asks?: boolean }} [options] asks: it comes from a server (serve.js), and asks that for what its columns do not hold
 * @returns {string} HTML
 * @throws {Error} the page's script is not built
 */
function pageOf (report, columns, { asks = false } = {}) {
  const told = JSON.stringify(toldOf(report))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'${asks ? "; connect-src 'self'" : ''}">
<title>edgewise</title>
<link rel="icon" href="data:,">
<style>${fs.readFileSync(STYLE, 'utf8')}</style>
</head>
<body>
<div id="page"${asks ? ' data-asks' : ''}>This page needs a browser that runs its script, and knows DecompressionStream (Chrome 103, Firefox 113, Safari 16.4).</div>
<template id="edgewise-told">${packed(Buffer.from(told))}</template>
<template id="edgewise-columns">${packed(columns)}</template>
<script>${inline(scriptOf())}</script>
</body>
</html>
`
}

/** What the page says beside its columns. @param {Record<string, any>} report */
function toldOf (report) {
  const { finding, recorded, losses, notes } = summary(report)
  const { tail, routes = [], dependencies = [], blockers = [] } = report
  return {
    finding,
    recorded,
    losses,
    notes,
    next: nextOf(report),
    threshold_ns: tail?.threshold_ns ?? 0,
    percentile: tail?.percentile ?? 99,
    tail: { count: tail?.count ?? 0 },
    routes: routes.slice(0, ROWS).map(({ route, count, latency_ns: ns }) => ({ route, count, latency_ns: ns })),
    dependencies: dependencies.slice(0, ROWS).map(({ what, io_ns: ns, share, requests }) => ({ what, io_ns: ns, share, requests })),
    blockers: blockers.slice(0, ROWS).map(({ what, queue_ns: ns, share, requests }) => ({ what, queue_ns: ns, share, requests })),
    functions: functionsOf(report).slice(0, ROWS),
    frames: framesOf(report)
  }
}

/** @param {Record<string, any>} report @returns {string} what to do with it */
function nextOf ({ requests, stacks }) {
  if (!requests?.count) return 'send the server requests while it is recorded'
  const slow = 'select the slow requests below, and open one: it names what blocked it'
  return stacks ? slow : `${slow}. To know the functions, record with EDGEWISE_STACKS=100`
}

/** The functions that the column `node` of `frames` counts. @param {Record<string, any>} report with every stack */
function framesOf ({ stacks }) {
  const { parent = [], function: names = [], script = [], line = [], package: packageOf = [], packages = [], texts = [] } = stacks?.tree ?? {}
  const text = (/** @type {number} */ node) => {
    if (node === 0) return '(could not be told)'
    const place = placeOf({ script: texts[script[node]], line: line[node], package: packages[packageOf[node]] })
    return `${texts[names[node]] || '(anonymous)'}${place && ` (${place})`}`
  }
  return { parent, text: parent.map((/** @type {number} */ _, /** @type {number} */ node) => text(node)) }
}

/** Largest in the tail first. @param {Record<string, any>} report */
function functionsOf ({ stacks }) {
  return (stacks?.causes ?? []).flatMap(({ what, functions }) => functions.map((/** @type {any} */ of) => ({
    name: of.function || '(anonymous)',
    where: placeOf(of),
    what,
    wait: of.tail_wait_ns,
    exec: of.tail_exec_ns
  }))).sort((/** @type {any} */ a, /** @type {any} */ b) => b.wait + b.exec - a.wait - a.exec)
}

const packed = (/** @type {Uint8Array} */ bytes) => deflateRawSync(bytes, { level: LEVEL }).toString('base64')

function scriptOf () {
  if (!fs.existsSync(BUNDLE)) throw new Error('the script of the page is not built: run scripts/setup in the checkout of edgewise')
  return fs.readFileSync(BUNDLE, 'utf8')
}

/** No text of a script ends it. */
const inline = (/** @type {string} */ script) => script.replaceAll(/<(?=\/script|!--|script)/gi, '\\x3c')

module.exports = { pageOf }
