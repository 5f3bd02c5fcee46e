'use strict'

// What reads the tables: DuckDB, ClickHouse and hyparquet, from npm.

const { spawnSync } = require('node:child_process')
const path = require('node:path')
const { ROOT } = require('../e2e/recorded-app')
const { installed } = require('../frameworks/packages')

/**
 * @param {import('node:test').TestContext} t skipped where npm cannot be reached
 * @returns {Promise<ReturnType<typeof enginesOf> | null>}
 */
async function engines (t) {
  const found = await installed('../tables/packages')
  if ('reason' in found) {
    t.skip(`skipped: ${found.reason}`)
    return null
  }
  return enginesOf(found.directory)
}

/** @param {string} directory where they are installed */
function enginesOf (directory) {
  const from = (/** @type {string} */ name) => require(require.resolve(name, { paths: [directory] }))
  return {
    /** `edgewise`, where it finds DuckDB. @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
    edgewise (args, env = {}) {
      return spawnSync(process.execPath, [path.join(ROOT, 'bin/edgewise.js'), ...args], { cwd: directory, encoding: 'utf8', env: { ...process.env, ...env }, maxBuffer: 2 ** 28 })
    },
    /** The messages of OTLP, as OpenTelemetry's own code has them. */
    otlp () {
      return from('@opentelemetry/otlp-transformer/build/src/generated/root').opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest
    },
    /** Perfetto's messages. */
    perfetto () {
      return from('protobufjs').loadSync(path.join(__dirname, 'perfetto.proto')).lookupType('Trace')
    },
    /** @param {string} sql @returns {Promise<Record<string, any>[]>} whole numbers as text */
    async duckdb (sql) {
      const connection = await (await from('@duckdb/node-api').DuckDBInstance.create(':memory:')).connect()
      return (await connection.runAndReadAll(sql)).getRowObjectsJson()
    },
    /** @param {string} sql @returns {Record<string, any>[]} whole numbers as text */
    clickhouse (sql) {
      const text = from('chdb').query(`${sql} SETTINGS use_hive_partitioning = 1, output_format_json_quote_64bit_integers = 1`, 'JSONEachRow')
      return text.trim().split('\n').filter(Boolean).map((/** @type {string} */ line) => JSON.parse(line))
    },
    /** @param {string} file @returns {Promise<Record<string, any>[]>} */
    async hyparquet (file) {
      const { asyncBufferFromFile, parquetReadObjects } = await import(path.join(directory, 'node_modules/hyparquet/src/node.js'))
      return parquetReadObjects({ file: await asyncBufferFromFile(file) })
    }
  }
}

module.exports = { engines }
