'use strict'

// DuckDB over the tables of any number of recordings. It sees their files and
// nothing else: no other file, no network, no extension.

const path = require('node:path')
const { SCHEMA, TABLES } = require('../export/layout')
const { sqlError } = require('./errors')
const { MACROS } = require('./macros')
const { arePartitioned } = require('./places')

const PACKAGE = '@duckdb/node-api'
const PARTITIONS = "hive_partitioning = true, hive_types = {'app': VARCHAR, 'host': VARCHAR, 'date': DATE}"
const NO_PARTITIONS = 'CAST(NULL AS VARCHAR) AS app, CAST(NULL AS VARCHAR) AS host, CAST(NULL AS DATE) AS date'

/** @returns {any} DuckDB, installed beside edgewise or where the user is @throws {Error} with the next step */
function loadDuckDB () {
  let found
  try {
    found = require.resolve(PACKAGE, { paths: [__dirname, process.cwd()] })
  } catch {
    throw new Error(`query needs DuckDB, which is not installed: npm install --save-dev ${PACKAGE}`)
  }
  try {
    return require(found)
  } catch (error) {
    throw new Error(`DuckDB (${PACKAGE}) does not load here: ${/** @type {Error} */ (error).message.split('\n')[0]}`)
  }
}

/**
 * @param {string[]} places directories with tables, not empty
 * @param {{ output?: string }} [options] a file that may be written, beside the tables that may be read
 * @returns {Promise<any>} a connection that sees them
 * @throws {Error} one of them is damaged, foreign, or of another version
 */
async function open (places, { output } = {}) {
  const { DuckDBInstance } = loadDuckDB()
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const run = (/** @type {string} */ sql) => connection.run(sql)
  await run("SET temp_directory = ''")
  await checkVersions(connection, places)
  for (const table of TABLES) await run(`CREATE VIEW ${table} AS ${viewOf(table, places)}`).catch((/** @type {Error} */ error) => { throw damaged(error) })
  for (const macro of MACROS) await run(`CREATE MACRO ${macro}`)
  const files = TABLES.flatMap((table) => filesOf(table, places))
  await run(`SET allowed_paths = ${list([...files, ...output ? [path.resolve(output)] : []])}`)
  await run('SET autoinstall_known_extensions = false')
  await run('SET autoload_known_extensions = false')
  await run('SET enable_external_access = false')
  await run('SET lock_configuration = true')
  return connection
}

/** @param {any} connection @param {string[]} places */
async function checkVersions (connection, places) {
  const files = filesOf('meta', places)
  const sql = `SELECT file_name, decode(value) FROM parquet_kv_metadata(${list(files)}) WHERE decode(key) = 'edgewise.schema'`
  const rows = (await connection.runAndReadAll(sql).catch((/** @type {Error} */ error) => { throw damaged(error) })).getRowsJson()
  const versions = new Map(rows)
  for (const file of files) {
    const version = versions.get(file)
    if (version === undefined) throw new Error(`${file} is none of edgewise's tables`)
    if (version !== SCHEMA) throw new Error(`${path.dirname(file)} has tables of version ${version}, and this edgewise reads version ${SCHEMA}: export its trace again`)
  }
}

/** @param {string} table @param {string[]} places */
function viewOf (table, places) {
  const files = list(filesOf(table, places))
  return arePartitioned(places)
    ? `SELECT * FROM read_parquet(${files}, ${PARTITIONS})`
    : `SELECT *, ${NO_PARTITIONS} FROM read_parquet(${files}, hive_partitioning = false)`
}

/** @param {string} table @param {string[]} places */
function filesOf (table, places) {
  return places.map((place) => path.join(place, `${table}.parquet`))
}

/** @param {string[]} texts */
function list (texts) {
  return `[${texts.map(quoted).join(', ')}]`
}

/** @param {string} text */
function quoted (text) {
  return `'${text.replaceAll("'", "''")}'`
}

/** @param {Error} error of DuckDB @returns {Error} */
function damaged ({ message }) {
  return new Error(`a table cannot be read: ${message.split('\n')[0].replace(/^[A-Z][A-Za-z ]*Error: /, '')}: export its trace again`)
}

/**
 * @param {any} connection of open()
 * @param {string} sql
 * @returns {Promise<any>} the result of the last statement, to be read once
 * @throws {Error} which names the place
 */
async function ask (connection, sql) {
  if (isEmpty(sql)) throw new Error('there is no question in it: give SQL, or the name of a saved query (--list)')
  return connection.stream(sql).catch((/** @type {Error} */ error) => { throw sqlError(error, sql) })
}

/**
 * @param {any} connection of open() with this output
 * @param {string} sql one question
 * @param {string} output
 */
async function askInto (connection, sql, output) {
  if (isEmpty(sql)) throw new Error('there is no question in it')
  const { count } = await connection.extractStatements(sql).catch((/** @type {Error} */ error) => { throw sqlError(error, sql) })
  if (count !== 1) throw new Error(`--parquet takes the answer of one question, and these are ${count}`)
  const question = sql.replace(/[\s;]+$/, '')
  await connection.run(`COPY (\n${question}\n) TO ${quoted(path.resolve(output))} (FORMAT parquet, USE_TMP_FILE false)`)
    .catch((/** @type {Error} */ error) => { throw sqlError(error, `COPY (\n${question}`, 1) })
}

/** @param {string} sql @returns {boolean} whether it is only comments and blanks */
function isEmpty (sql) {
  return sql.replace(/--.*|\/\*[^]*?\*\/|[\s;]/g, '') === ''
}

module.exports = { ask, askInto, loadDuckDB, open }
