'use strict'

const fs = require('node:fs')
const { parseArguments } = require('../../scripts/tasks/arguments')

const PARTS = ['truth', 'peers', 'cost']

/** How often each is measured. @typedef {{ runs: number, otherRuns: number, requests: number, pauses: number, starts: number, named: number, peerRounds: number, costRounds: number }} Amounts */
/** @type {Record<'whole' | 'quick', Amounts>} */
const AMOUNTS = {
  whole: { runs: 5, otherRuns: 2, requests: 40, pauses: 10, starts: 10, named: 2, peerRounds: 2, costRounds: 3 },
  quick: { runs: 1, otherRuns: 1, requests: 20, pauses: 2, starts: 2, named: 1, peerRounds: 1, costRounds: 1 }
}

const USAGE = `Usage: npm run bench:stacks -- [options]

Are the functions that edgewise blames the right ones, and what does it cost to
know them? Programs of known truth; other samplers beside edgewise on the same
programs; servers with and without stacks.

  --only PART       ${PARTS.join(', ')} (all)
  --nodes LIST      truth on these Nodes too: programs or versions, separated by
                    colons
  --quick           little of each: whether it works, and no numbers to publish
  --json FILE       all that was measured
  --from-json FILE  with --only: the other parts, as an earlier run measured them
  --page FILE       write the page here; by default docs/stacks-measured.md, when
                    all was measured
  --generator FILE  the load generator (default: the one scripts/setup builds)
  --no-setup        do not look whether everything is built`

/** @param {string[]} args @returns {{ parts: string[], nodes: string[], amounts: Amounts, json?: string, fromJson?: string, page?: string, generator?: string, setup: boolean, whole: boolean }} */
function readArguments (args) {
  const { values } = parseArguments(args, USAGE, {
    only: { type: 'string' },
    nodes: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    'from-json': { type: 'string' },
    page: { type: 'string' },
    generator: { type: 'string' },
    'no-setup': { type: 'boolean', default: false }
  }, problem)
  return {
    parts: values.only ? [values.only] : PARTS,
    nodes: ['', ...values.nodes.split(':').filter(Boolean)],
    amounts: AMOUNTS[values.quick ? 'quick' : 'whole'],
    json: values.json,
    fromJson: values['from-json'],
    page: values.page,
    generator: values.generator,
    setup: !values['no-setup'],
    whole: (!values.only || values['from-json'] !== undefined) && !values.quick
  }
}

/** @param {any} values @param {string[]} positionals */
function problem (values, positionals) {
  if (positionals.length) return `'${positionals[0]}': no such argument`
  if (values.only && !PARTS.includes(values.only)) return `--only ${values.only}: allowed are ${PARTS.join(', ')}`
  if (values['from-json'] !== undefined && !fs.existsSync(values['from-json'])) return `--from-json ${values['from-json']}: there is no such file`
  return undefined
}

module.exports = { readArguments }
