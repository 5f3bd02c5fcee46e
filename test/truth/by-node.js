'use strict'

// The truth programs on several Nodes, one after the other, and what came of it: docs/truth-by-node.md.
//   node test/truth/by-node.js [NODE]...   versions, or programs; without one all that edgewise is built for

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { provideAddon } = require('../../scripts/tasks/build-addon')
const { describeNode, nodeProgram } = require('../../scripts/tasks/node-release')
const { TaskError, main, runShown } = require('../../scripts/tasks/step')

const ROOT = path.join(__dirname, '../..')
const PAGE = path.join(ROOT, 'docs/truth-by-node.md')
const NODES = ['20', '22', '24', '26']

/** @param {string[]} wanted */
async function run (wanted) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-truth-'))
  try {
    const results = []
    for (const name of wanted.length ? wanted : NODES) {
      const program = await nodeProgram(name)
      await provideAddon(program)
      const file = path.join(directory, `${name.replaceAll('/', '_')}.json`)
      const passed = await runShown([program, '--test', '--test-reporter=dot', path.join(ROOT, 'test/truth/truth.test.js')], { cwd: ROOT, env: { ...process.env, TRUTH_OUT: file } })
      if (!passed) throw new TaskError(`the truth programs on Node ${name}: not all are right`)
      results.push({ version: describeNode(program).version, rows: JSON.parse(fs.readFileSync(file, 'utf8')) })
    }
    fs.writeFileSync(PAGE, pageOf(results))
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

/** @param {{ version: string, rows: { program: string, level: string, observable: boolean, recall: number | null, precision: number | null }[] }[]} results */
function pageOf (results) {
  const keys = [...new Set(results.flatMap(({ rows }) => rows.map(({ program, level }) => `${program}\n${level}`)))]
  const cell = (/** @type {any} */ row) => {
    if (row === undefined) return 'not run'
    const percents = row.recall === row.precision ? percent(row.recall) : `${percent(row.recall)}, ${percent(row.precision)}`
    return row.observable ? percents : `(${percents})`
  }
  const lines = keys.map((key) => {
    const [program, level] = key.split('\n')
    return [program, level, ...results.map(({ rows }) => cell(rows.find((row) => row.program === program && row.level === level)))]
  })
  const table = [['Program', 'Causality', ...results.map(({ version }) => version)], ['---', '---', ...results.map(() => '---')], ...lines]
  return `# Truth by Node

Programs that know what each of their requests waited for (\`test/truth\`), under each Node. How many of the steps of their critical paths the report
has (recall), and how many of its steps are right (precision; one number where both are the same), in per cent.
In brackets: what is not observable at that level of causality, and is not required; the rest must be 100.
\`node test/truth/by-node.js\` writes this page.

${table.map((row) => `| ${row.join(' | ')} |`).join('\n')}
`
}

function percent (/** @type {number | null} */ value) {
  return value === null ? '-' : value.toFixed(1).replace(/\.0$/, '')
}

if (require.main === module) main(run)

module.exports = { pageOf }
