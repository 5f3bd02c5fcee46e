'use strict'

const fs = require('node:fs')
const { Option } = require('commander')
const { pipeline } = require('node:stream/promises')
const { EXIT, Failure } = require('./failure')
const { listed } = require('../named-texts')
const { exitCodeAfter, interruption } = require('./interruption')
const { name } = require('./arguments')
const { traceFiles } = require('./recording')
const { sayProgress } = require('./report')
const { cachedTables } = require('./tables')
const { colorOf } = require('./terminal')
const { writeWhole } = require('./whole-file')

/** @param {import('commander').Command} program */
function add (program) {
  program.command('query')
    .summary('ask anything of recordings, in SQL')
    .description(`Answers a question in SQL about any number of recordings: traces, or tables that
export parquet has written. It needs DuckDB: npm install --save-dev @duckdb/node-api`)
    .argument('[WHAT...]', 'directories with traces or tables; last the SQL, or the name of a saved query')
    .option('--list', 'tell the saved queries')
    .addOption(new Option('--json', 'print it as JSON').conflicts(['csv', 'parquet']))
    .addOption(new Option('--csv', 'print it as CSV').conflicts('parquet'))
    .option('--parquet <FILE>', 'write it to FILE, as a table again', name)
    .addHelpText('after', `
The tables are requests, steps, events, blockers, gcs, calls, loop, stacks and meta
(docs/tables.md). A question sees them and no other file.

Examples:
  edgewise query edgewise-4711 routes
  edgewise query --list
  edgewise query edgewise-4711 "FROM requests WHERE latency_ns > ms(50)"
  edgewise query edgewise-4711 "FROM critical_path_of(1234)"
  edgewise query tables --csv "SELECT host, max(latency_ns) FROM requests GROUP BY host"`)
    .action(async (what, options) => {
      process.exitCode = options.list ? list() : await query(what, options)
    })
}

/** @returns {number} the exit code */
function list () {
  process.stdout.write(listed(require('../query/saved').saved()))
  return EXIT.ok
}

/** @typedef {{ json?: boolean, csv?: boolean, parquet?: string }} Output */

/**
 * @param {string[]} what
 * @param {Output} options
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function query (what, options) {
  const asked = what.at(-1) ?? ''
  const directories = what.slice(0, -1)
  if (directories.length === 0) {
    throw new Failure(what.length === 0 || fs.existsSync(asked) ? 'what is the question? Give SQL, or the name of a saved query (--list), after the directories' : `of which recording? Give directories before ${JSON.stringify(asked)}`, EXIT.usage)
  }
  return askOf(directories, () => questionOf(asked), options)
}

/**
 * @param {string[]} directories with traces or tables
 * @param {() => string} question the SQL
 * @param {Output} options
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function askOf (directories, question, options) {
  explained(() => require('../query/engine').loadDuckDB()) // Before anything takes long.
  const sql = question()
  const interrupt = interruption()
  const places = []
  for (const directory of directories) {
    const found = await placesOf(directory, interrupt.signal)
    if (!found) return exitCodeAfter(interrupt.signal)
    places.push(...found)
  }
  const unique = Array.from(new Set(places))
  if (options.parquet) await writeWhole({ option: '--parquet', what: 'the answer' }, options.parquet, directories[0], (draft) => answerInto(unique, sql, draft, interrupt.signal))
  else await answer(unique, sql, options, interrupt.signal)
  interrupt.release()
  return interrupt.signal.aborted ? exitCodeAfter(interrupt.signal) : EXIT.ok
}

/** @param {string} asked @returns {string} */
function questionOf (asked) {
  const { saved, savedQuery } = require('../query/saved')
  const sql = savedQuery(asked)
  if (!sql && /^[\w-]+$/.test(asked)) {
    throw new Failure(`${JSON.stringify(asked)} is no saved query: there are ${saved().map((one) => one.name).join(', ')}; or give SQL`, EXIT.usage)
  }
  return sql ?? asked
}

/**
 * @param {string} directory with a trace, or tables
 * @param {AbortSignal} signal
 * @returns {Promise<string[] | null>} directories with tables; null: it was interrupted
 */
async function placesOf (directory, signal) {
  const { tablesIn } = require('../query/places')
  if (!fs.existsSync(directory)) throw new Failure(`${directory} does not exist: give a directory with a trace, or with tables`)
  const traces = explained(() => traceFiles(directory))
  if (traces.length > 0) {
    const tables = await cachedTables(directory, { signal, progress: () => sayProgress(`reading ${directory}`) })
    return tables === null ? null : explained(() => tablesIn(tables))
  }
  const found = explained(() => tablesIn(directory))
  if (found.length === 0) throw new Failure(`${directory} holds neither a trace nor tables: give the directory of a recording, or the one that export parquet has written below`)
  return found
}

/**
 * @param {string[]} places
 * @param {string} sql
 * @param {{ json?: boolean, csv?: boolean }} options
 * @param {AbortSignal} signal
 */
async function answer (places, sql, { json, csv }, signal) {
  const { ask, open } = require('../query/engine')
  const { asCsv, asJson, asTable } = require('../query/output')
  const { styleOf } = require('../report/layout')
  await answered(async () => {
    const connection = await open(places)
    signal.addEventListener('abort', () => connection.interrupt())
    const result = await ask(connection, sql)
    const text = json ? asJson(result) : csv ? asCsv(result) : asTable(result, styleOf({ color: colorOf(process.stdout), width: process.stdout.columns }))
    await pipeline(text, process.stdout, { end: false })
  }, signal)
}

/** @param {string[]} places @param {string} sql @param {string} draft @param {AbortSignal} signal */
async function answerInto (places, sql, draft, signal) {
  const { askInto, open } = require('../query/engine')
  await answered(async () => {
    const connection = await open(places, { output: draft })
    signal.addEventListener('abort', () => connection.interrupt())
    await askInto(connection, sql, draft)
  }, signal)
}

/** @param {() => Promise<void>} run @param {AbortSignal} signal */
async function answered (run, signal) {
  await run().catch((error) => {
    if (signal.aborted) return
    throw new Failure(error.message)
  })
}

/** @template T @param {() => T} find @returns {T} */
function explained (find) {
  try {
    return find()
  } catch (error) {
    throw new Failure(/** @type {Error} */ (error).message)
  }
}

module.exports = { add, askOf }
