'use strict'

// How fast a trace becomes tables, how large they are, and how long a question
// takes: npm run bench:tables.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { median } = require('../../lib/statistics')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { setup } = require('../../scripts/tasks/setup')
const { TaskError, main, say } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')

const SCALE = path.join(ROOT, 'build/benchmarks/analysis/analysis_scale')
const REPEATS = 5
const USAGE = `Usage: npm run bench:tables -- [options]

Makes a trace, writes its tables, and asks questions. Prints what that took.

  --events N   of the trace (10000000)`

// Of which the second is that of docs/tables.md, and of the paper.
const QUESTIONS = {
  'percentiles by route': 'routes',
  'three conditions in time': `WITH slow AS (FROM requests WHERE counted ORDER BY latency_ns DESC LIMIT 1000)
    SELECT count(*) AS n FROM slow r WHERE EXISTS (FROM gcs g WHERE g.trace = r.trace AND during(g.start_ns, g.dur_ns, r.start_ns, r.latency_ns))
    AND EXISTS (FROM calls c WHERE c.trace = r.trace AND c.request = r.request AND c.dur_ns > ms(0.1))`,
  'how long events of each type took': 'SELECT type, count(*) AS n, sum(dur_ns) AS ns, max(dur_ns) AS most FROM events GROUP BY type ORDER BY ns DESC'
}

/** @param {string[]} args */
async function run (args) {
  const { values } = parseArguments(args, USAGE, { events: { type: 'string', default: '10000000' } },
    ({ events }) => /^[1-9]\d{3,9}$/.test(events) ? undefined : `--events ${events}: a whole number from 1000 to 9999999999`)
  await setup()
  const { engines } = require(path.join(ROOT, 'test/tables/engines')) // Which tests alone have.
  const found = await engines(/** @type {any} */ ({ skip: (/** @type {string} */ why) => { throw new TaskError(why) } }))
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-tables-'))
  try {
    say(execFileSync(SCALE, ['--tables', values.events], { encoding: 'utf8' }).trim())
    execFileSync(SCALE, ['--write', path.join(directory, 'trace'), values.events])
    const tables = path.join(directory, 'tables')
    const { took } = timed(() => found?.edgewise(['export', 'parquet', path.join(directory, 'trace'), '--out', tables]))
    say(`edgewise export parquet: ${took.toFixed(2)} s, ${(sizeOf(tables) / Number(values.events)).toFixed(1)} bytes an event`)
    for (const [name, sql] of Object.entries(QUESTIONS)) {
      const times = Array.from({ length: REPEATS }, () => timed(() => found?.edgewise(['query', tables, sql, '--json'])).took)
      say(`${name}: ${median(times).toFixed(2)} s (${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)}, ${REPEATS} times, the start of the program included)`)
    }
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

function timed (/** @type {() => any} */ act) {
  const began = performance.now()
  const { status, stderr, stdout } = act()
  if (status !== 0) throw new TaskError(stderr)
  return { took: (performance.now() - began) / 1000, stdout }
}

/** @returns {number} bytes of all files in it */
function sizeOf (/** @type {string} */ directory) {
  return fs.readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath ?? entry.path, entry.name)).size, 0)
}

main(run)
