'use strict'

// The report as Markdown: whatever a route is named, it is only text.

const assert = require('node:assert/strict')
const test = require('node:test')
const { renderMarkdown } = require('../../lib/report')
const { report } = require('./report-kit')

const EVIL = '<img src=x>|`*a*`|[x](http://example.com) @all'

/** @param {string} text @returns {string[][]} cells of all rows of its tables */
const cellsOf = (text) => text.split('\n').filter((line) => line.startsWith('|')).map((line) => line.split(/(?<!\\)\|/).slice(1, -1))

test('the finding and the tables, each row with as many cells as its head', () => {
  const text = renderMarkdown(report({}))
  assert.match(text, /^\*\*p99 requests are .*\*\*\n\n/)
  const tables = text.split('\n\n').map(cellsOf).filter((rows) => rows.length > 0)
  assert.ok(tables.length >= 4, text)
  for (const [head, rule, ...rows] of tables) {
    assert.ok(rule.every((cell) => /^ (---|---:) $/.test(cell)), JSON.stringify(rule))
    assert.ok(rows.length > 0)
    for (const row of rows) assert.equal(row.length, head.length, JSON.stringify(row))
  }
  assert.doesNotMatch(text, /\x1b/) // eslint-disable-line no-control-regex
})

test('names are no markup', () => {
  const [route] = report({}).routes
  const text = renderMarkdown(report({ routes: [{ ...route, route: EVIL }] }))
  assert.doesNotMatch(text, /<img|@all|(?<!\\)`|(?<!\\)\]\(http/)
  const row = cellsOf(text).find(([name]) => name.includes('img'))
  assert.equal(row?.[0].trim(), '&lt;img src=x&gt;\\|\\`\\*a\\*\\`\\|\\[x\\](http://example.com) &#64;all')
})

test('its page is linked where there is one', () => {
  assert.match(renderMarkdown(report({}), { page: 'report.html' }), /\n\[The page of this report\]\(report\.html\)\n$/)
  assert.doesNotMatch(renderMarkdown(report({})), /report\.html/)
})
