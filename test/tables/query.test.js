'use strict'

// Recordings as tables: what three engines read is one and the same, and what
// the report says; questions of several conditions in time; the sandbox.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { after, before, test } = require('node:test')
const { TABLES } = require('../../lib/export/layout')
const { ROOT, report, request, startServer, temporaryDirectory } = require('../e2e/recorded-app')
const { engines } = require('./engines')

const HOSTS = ['web-1', 'web-2']
/** What a request does, how often: only the first kind collects, is answered after that, and is slow. */
const KINDS = { 'before,slow': 3, slow: 2, 'slow,after': 2, before: 2 }
const COUNT = Object.values(KINDS).reduce((sum, count) => sum + count)
const QUESTION = `
SELECT DISTINCT r.host AS host, r.request AS request
FROM requests r JOIN gcs g ON g.trace = r.trace JOIN calls c ON c.trace = r.trace AND c.request = r.request
WHERE r.route = 'GET /ask' AND r.latency_ns > 700000000
  AND g.type = 'mark_sweep_compact' AND g.start_ns >= r.start_ns AND g.start_ns < r.start_ns + r.latency_ns
  AND c.dur_ns > 5000000 AND c.start_ns + c.dur_ns > g.start_ns + g.dur_ns
ORDER BY host, request`

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-tables-test-'))
after(() => fs.rmSync(directory, { recursive: true, force: true }))
const traceOf = (/** @type {string} */ host) => path.join(directory, host)
const tables = path.join(directory, 'tables')

/** @type {Awaited<ReturnType<typeof engines>>} */
let found = null
before(async (t) => {
  found = await engines(/** @type {any} */ (t))
  if (!found) return
  for (const host of HOSTS) await record(t, traceOf(host))
  for (const host of HOSTS) {
    const { status, stderr } = found.edgewise(['export', 'parquet', traceOf(host), '--out', tables, '--host', host, '--app', 'asked'])
    assert.equal(status, 0, stderr)
  }
})

/** @param {any} t @param {string} out */
async function record (t, out) {
  const cleanups = /** @type {(() => any)[]} */ ([])
  const backend = http.createServer((_, response) => setTimeout(() => response.end('answer'), 15))
  await new Promise((resolve) => backend.listen(0, '127.0.0.1', () => resolve(null)))
  cleanups.push(() => backend.close(), () => backend.closeAllConnections())
  const env = { BACKEND_PORT: String(/** @type {import('node:net').AddressInfo} */ (backend.address()).port) }
  const app = await startServer({ after: (/** @type {() => any} */ clean) => cleanups.push(clean) }, path.join(__dirname, 'server.js'), { flags: ['--expose-gc'], env })
  for (const [kind, count] of Object.entries(KINDS)) {
    for (let i = 0; i < count; i++) assert.equal((await request(app.port, `/ask?${kind}`)).status, 200)
  }
  await app.stop()
  fs.cpSync(app.out, out, { recursive: true })
  for (const clean of cleanups) clean()
}

/** @param {any} t @returns {NonNullable<typeof found>} empty, and the test is skipped, where npm cannot be reached */
function engine (t) {
  if (!found) t.skip('skipped: npm cannot be reached')
  return found ?? /** @type {any} */ ({})
}

/** @param {string} table @returns {string} for DuckDB's and ClickHouse's functions */
const filesOf = (table) => path.join(tables, `app=*/host=*/date=*/*/${table}.parquet`)
/** @param {string} sql @param {(table: string) => string} source */
const with_ = (sql, source) => sql.replace(/\b(FROM|JOIN) ([a-z]+) /g, (whole, word, table) => `${word} ${source(table)} `)

test('DuckDB, ClickHouse and hyparquet read the same', async (t) => {
  const { clickhouse, duckdb, hyparquet } = engine(t)
  if (!found) return
  for (const table of TABLES) {
    const [sample] = filesIn().filter((file) => path.basename(file) === `${table}.parquet`)
    const rows = await hyparquet(sample)
    const described = await duckdb(`DESCRIBE SELECT * FROM read_parquet('${sample}', hive_partitioning = false)`)
    const whole = described.filter((column) => column.column_type === 'BIGINT').map((column) => column.column_name)
    const names = described.filter((column) => column.column_type === 'VARCHAR').map((column) => column.column_name)
    const flags = described.filter((column) => column.column_type === 'BOOLEAN').map((column) => column.column_name)
    assert.equal(whole.length + names.length + flags.length, described.length)
    const byHand = {
      rows: String(rows.length),
      ...Object.fromEntries(whole.map((name) => [`${name}_sum`, String(rows.reduce((sum, row) => sum + BigInt(row[name] ?? 0), 0n))])),
      ...Object.fromEntries(flags.map((name) => [`${name}_sum`, String(rows.filter((row) => row[name]).length)])),
      ...Object.fromEntries(names.map((name) => [`${name}_sum`, String(rows.reduce((sum, row) => sum + Buffer.byteLength(row[name] ?? ''), 0))]))
    }
    const sums = (/** @type {(name: string) => string} */ wholeOf, /** @type {(name: string) => string} */ lengthOf, /** @type {(sql: string) => string} */ text) => [
      `${text('count(*)')} AS rows`,
      ...whole.map((name) => `${text(`coalesce(sum(${wholeOf(name)}), 0)`)} AS ${name}_sum`),
      ...flags.map((name) => `${text(`coalesce(sum(CAST(${name} AS INTEGER)), 0)`)} AS ${name}_sum`),
      ...names.map((name) => `${text(`coalesce(sum(${lengthOf(name)}), 0)`)} AS ${name}_sum`)
    ].join(', ')
    const [byDuck] = await duckdb(`SELECT ${sums((name) => name, (name) => `strlen(${name})`, (sql) => `CAST(${sql} AS VARCHAR)`)} FROM read_parquet('${sample}', hive_partitioning = false)`)
    const [byHouse] = clickhouse(`SELECT ${sums((name) => `toInt128(${name})`, (name) => `length(${name})`, (sql) => `toString(${sql})`)} FROM file('${sample}', Parquet)`)
    assert.deepEqual(byDuck, byHand, table)
    assert.deepEqual(byHouse, byHand, table)
    assert.equal(fs.statSync(sample).mode & 0o777, 0o600)
  }
})

test('sums are those of the report', async (t) => {
  const { edgewise } = engine(t)
  if (!found) return
  for (const host of HOSTS) {
    const told = report(traceOf(host), { percentile: 90 })
    const sql = `SELECT (SELECT count(*) FROM requests WHERE counted AND tail) AS tail,
      (SELECT CAST(round(avg(latency_ns)) AS BIGINT) FROM requests WHERE counted AND tail) AS mean,
      (SELECT sum(ns) FROM blockers JOIN requests USING (trace, request) WHERE tail) AS blocked,
      (SELECT sum(dur_ns) FROM calls JOIN requests USING (trace, request) WHERE tail) AS waited,
      (SELECT count(*) FROM events WHERE first) AS events, (SELECT sum(busy_ns) FROM loop) AS busy, (SELECT count(*) FROM gcs) AS gcs`
    const out = path.join(temporaryDirectory(t), 'tables')
    assert.equal(edgewise(['export', 'parquet', traceOf(host), '--out', out, '--percentile', '90']).status, 0)
    const { status, stderr, stdout } = edgewise(['query', out, '--json', sql])
    assert.equal(status, 0, stderr)
    const sum = (/** @type {any[]} */ list, /** @type {string} */ key) => list.reduce((total, one) => total + one[key], 0)
    const [row] = JSON.parse(stdout)
    assert.deepEqual({ ...row, blocked: null }, {
      tail: told.tail.count, mean: told.tail.mean_latency_ns, blocked: null, waited: sum(told.dependencies, 'io_ns'), events: told.events.count, busy: told.loop.busy_ns, gcs: told.gc.count
    })
    assert.ok(Math.abs(row.blocked - sum(told.blockers, 'queue_ns')) <= told.blockers.length)
  }
})

test('three conditions in time: edgewise query and ClickHouse find the same requests, and the right ones', (t) => {
  const { clickhouse, edgewise } = engine(t)
  if (!found) return
  const asked = edgewise(['query', tables, '--json', QUESTION])
  assert.equal(asked.status, 0, asked.stderr)
  const answer = JSON.parse(asked.stdout)
  for (const host of HOSTS) assert.equal(answer.filter((/** @type {any} */ row) => row.host === host).length, KINDS['before,slow'])
  const other = clickhouse(with_(QUESTION, (table) => `(SELECT *, host FROM file('${filesOf(table)}', Parquet)) AS`))
  assert.deepEqual(other.map((row) => ({ host: row.host, request: Number(row.request) })), answer)
})

test('the question of docs/tables.md, as DuckDB and as ClickHouse have it', async (t) => {
  const { clickhouse, duckdb } = engine(t)
  if (!found) return
  const page = fs.readFileSync(path.join(ROOT, 'docs/tables.md'), 'utf8')
  const [, ours, theirs] = /```sql\n-- DuckDB, [^\n]*\n([^]*?);\n\n-- ClickHouse, [^\n]*\n([^]*?)\nSETTINGS [^\n]*;\n```/.exec(page) ?? []
  const here = (/** @type {string} */ sql) => sql.replace("'tables/", `'${tables}/`)
  const answer = await duckdb(here(ours))
  assert.deepEqual(answer.map(({ host, requests }) => [host, Number(requests)]), HOSTS.map((host) => [host, COUNT]))
  assert.deepEqual(clickhouse(here(theirs)), answer)
})

test('macros and saved questions; of traces, too, whose tables are kept as long as they are', (t) => {
  const { edgewise } = engine(t)
  if (!found) return
  const trace = path.join(temporaryDirectory(t), 'trace')
  fs.cpSync(traceOf(HOSTS[0]), trace, { recursive: true })
  const json = (/** @type {string} */ sql) => {
    const { status, stderr, stdout } = edgewise(['query', trace, sql, '--json'])
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout)
  }
  const macros = `SELECT ms(1.5) AS a, us(2) AS b, during(0, 10, 9, 1) AS c, during(0, 9, 9, 1) AS d, before(0, 5, 7, 1, within := 2) AS e,
    before(0, 5, 8, 1, within := 2) AS f, after(7, 1, 0, 5, within := 2) AS g, after(4, 1, 0, 5) AS h`
  assert.deepEqual(json(macros), [{ a: 1500000, b: 2000, c: true, d: false, e: true, f: false, g: true, h: false }])
  const [{ request: slowest }] = json('slowest')
  const steps = json(`SELECT * FROM critical_path_of(${slowest})`)
  assert.ok(steps.length >= 2)
  assert.ok(json(`SELECT sum(ns) AS ns FROM blocked_by(${slowest})`)[0].ns >= 0)
  const names = edgewise(['query', '--list']).stdout.trim().split('\n').map((/** @type {string} */ line) => line.split(' ')[0])
  for (const saved of names) assert.equal(edgewise(['query', trace, saved]).status, 0, saved)
  const [kept] = fs.readdirSync(path.join(trace, '.edgewise-tables'))
  json('routes')
  assert.deepEqual(fs.readdirSync(path.join(trace, '.edgewise-tables')), [kept])
  const [file] = fs.readdirSync(trace).filter((name) => name.endsWith('.ewt'))
  fs.utimesSync(path.join(trace, file), 1, 1)
  json('routes')
  assert.notDeepEqual(fs.readdirSync(path.join(trace, '.edgewise-tables')), [kept])
})

test('a question sees the tables, and nothing else', (t) => {
  const { edgewise } = engine(t)
  if (!found) return
  const out = path.join(temporaryDirectory(t), 'out')
  const first = filesIn()[0]
  const refused = [
    "SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM glob('/etc/*')",
    `COPY requests TO '${out}'`, `COPY requests TO '${path.join(tables, 'new.parquet')}'`, `EXPLAIN ANALYZE COPY requests TO '${first}'`,
    `ATTACH '${out}'`, `EXPORT DATABASE '${out}'`, 'INSTALL httpfs', 'LOAD httpfs', "SELECT * FROM read_parquet('https://127.0.0.1:1/x.parquet')",
    'SET enable_external_access = true', "SET allowed_paths = ['/etc/passwd']"
  ]
  const sizes = filesIn().map((file) => fs.statSync(file).size)
  for (const sql of refused) {
    const { status, stderr, stdout } = edgewise(['query', tables, sql])
    assert.equal(status, 1, sql)
    assert.equal(stdout, '')
    assert.match(stderr, /^edgewise: SQL.*(Permission Error|configuration has been locked).*\n$/, sql)
  }
  assert.equal(fs.existsSync(out), false)
  assert.deepEqual(filesIn().map((file) => fs.statSync(file).size), sizes)
})

/** @returns {string[]} of all tables */
function filesIn () {
  return fs.readdirSync(tables, { recursive: true }).map(String).filter((file) => file.endsWith('.parquet')).map((file) => path.join(tables, file))
}

test('answers as a table, JSON, CSV and Parquet', async (t) => {
  const { duckdb, edgewise } = engine(t)
  if (!found) return
  const sql = "SELECT 1 AS one, 'a,\"b\"' AS text, NULL AS nothing, 9007199254740993 AS large, 2.5 AS half"
  assert.equal(edgewise(['query', tables, sql, '--csv']).stdout, 'one,text,nothing,large,half\n1,"a,""b""",,9007199254740993,2.5\n')
  assert.deepEqual(JSON.parse(edgewise(['query', tables, sql, '--json']).stdout), [{ one: 1, text: 'a,"b"', nothing: null, large: '9007199254740993', half: 2.5 }])
  assert.match(edgewise(['query', tables, sql]).stdout, /^one +text +nothing +large +half\n +1 +a,"b" +9007199254740993 +2.5\n\(1 row\)\n$/)
  assert.equal(edgewise(['query', tables, 'SELECT 1 WHERE false', '--json']).stdout, '[]\n')
  assert.match(edgewise(['query', tables, 'SELECT range FROM range(2000)']).stdout, /\n\(2000 rows; the first 1000 are shown: --csv and --json have all\)\n$/)
  const file = path.join(temporaryDirectory(t), "it's.parquet")
  const { status, stderr } = edgewise(['query', tables, 'SELECT route, count(*) AS n FROM requests GROUP BY route;', '--parquet', file])
  assert.equal(status, 0, stderr)
  assert.deepEqual(await duckdb(`SELECT route, n FROM read_parquet('${file.replaceAll("'", "''")}')`), [{ route: 'GET /ask', n: String(HOSTS.length * COUNT) }])
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
})
