'use strict'

// How often comparisons are wrong: npm run bench:compare.

const { execFile } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { setup } = require('../../scripts/tasks/setup')
const { main, say } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { publish } = require('../shared/page-file')
const { page } = require('./page')

const PROGRAM = path.join(ROOT, 'build/benchmarks/compare/edgewise-pairs')
const PUBLISHED = path.join(ROOT, 'docs', 'compare-accuracy.md')
const WHOLE = 1000
const USAGE = `Usage: npm run bench:compare -- [options]

Compares made sides, of which is known whether they differ, and says how often
the comparison is wrong; beside it tests that take each request for independent.
Takes some ten minutes.

  --pairs N     of each kind (${WHOLE})
  --page FILE   the page (docs/compare-accuracy.md with ${WHOLE} pairs or more)
  --json FILE   the numbers
  --no-setup    do not look whether everything is built`

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, {
    pairs: { type: 'string', default: String(WHOLE) },
    page: { type: 'string' },
    json: { type: 'string' },
    'no-setup': { type: 'boolean', default: false }
  }, ({ pairs }) => /^[1-9]\d*$/.test(pairs) ? undefined : `--pairs ${pairs}: a number, at least 1`)
  if (!values['no-setup']) await setup()
  const pairs = Number(values.pairs)
  say(`comparing ${pairs} pairs of each kind`)
  const { stdout } = await promisify(execFile)(PROGRAM, [String(pairs)])
  if (values.json) require('node:fs').writeFileSync(values.json, stdout)
  const kinds = stdout.trim().split('\n').map((line) => JSON.parse(line))
  publish(page(kinds), { page: values.page, whole: pairs >= WHOLE }, PUBLISHED)
}

main(run)
