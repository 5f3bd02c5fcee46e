'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { Option } = require('commander')
const edgewise = require('../index')
const { printAcross } = require('./across')
const { EXIT, Failure, PROGRESS_MS, note } = require('./failure')
const { exitCodeAfter, interruption } = require('./interruption')
const { offerPage, withColumns, writePage } = require('./page')
const { traceFiles } = require('./recording')
const { writeWhole } = require('./whole-file')
const { colorOf } = require('./terminal')
const { count, name, names, percentile, processId, seconds } = require('./arguments')

const MOST_NAMED = 10
/** Whose critical paths are shown, if the user does not say. */
const SLOWEST = 5
const TRACE_FILE = /^(\d+)-(\d+)(\.\d+)?\.ewt$/

/**
 * @typedef {object} ReportOptions
 * @property {number} [percentile]
 * @property {string} [route]
 * @property {string[]} [excludeRoute]
 * @property {boolean} [eventStreams]
 * @property {number} [request]
 * @property {number} [process]
 * @property {number} [thread]
 * @property {string} [requests]
 * @property {number} [slowest]
 * @property {number} [skip]
 * @property {boolean} [json]
 * @property {boolean} [markdown]
 * @property {string | true} [html] the page's file; true: in the trace's directory
 * @property {boolean} [columns] of the page, too
 * @property {boolean} [stacks] every stack, too
 * @property {boolean} [store] and what answers for more than they hold
 * @property {string[]} [scratch] directories for what memory has no room for
 * @property {boolean} [sourceMaps]
 * @property {string} [perfetto] a file for Perfetto, too
 * @property {string} [spans] or one with the requests that spans are made of,
 * @property {number} [sample] of this share beside the tail,
 * @property {number} [most] at most so many
 */

/** @param {import('commander').Command} command @returns {import('commander').Command} with the options that say which requests are analysed, and by which files */
function selecting (command) {
  return command
    .option('--percentile <P>', 'the tail are the requests at or above it, of 100 (default: 99)', percentile)
    .option('--route <ROUTE>', 'only requests of this route, as the report names it', name)
    .option('--exclude-route <ROUTE>', 'leave out the requests of this route, such as a health check or a long poll of your own; may be given several times', names)
    .option('--event-streams', 'count event streams and long polls, which wait by design and are left out')
    .option('--process <PID>', 'only this process of the trace', processId)
    .option('--thread <T>', 'only this thread: 0 is the main thread', count)
    .option('--skip <S>', 'leave out the requests of the first S seconds of each file, the warm-up', seconds)
    .option('--no-source-maps', 'tell functions by the files that ran')
}

/** @param {import('commander').Command} program */
function add (program) {
  selecting(program.command('report'))
    .summary('explain the slow requests of a trace')
    .description('Explains why the slow requests of a recorded trace were slow.')
    .argument('<DIR...>', 'a directory with a trace (EDGEWISE_OUT, or --out of record); of several services recorded at the same time: one each', names)
    .option('--request <ID>', 'show this request\'s events and critical path', count)
    .option('--slowest <N>', 'how many critical paths are shown (default: 5)', count)
    .option('--requests <FILE>', 'also write one JSON line a request to FILE', name)
    .option('--html [FILE]', 'write a page to look at (default: report.html in DIR)', name)
    .addOption(new Option('--json', 'print the report as JSON').conflicts('markdown'))
    .option('--markdown', 'print the finding and the tables as Markdown, for a pull request')
    .addHelpText('after', `
Examples:
  edgewise report edgewise-4711
  edgewise report edgewise-4711 --html
  edgewise report traces/shop traces/cart traces/stock
  edgewise report edgewise-4711 --percentile 99.9 --route 'POST /todo'
  edgewise report edgewise-4711 --exclude-route 'GET /healthz' --exclude-route 'GET /metrics'
  edgewise report edgewise-4711 --request 1234
  edgewise report edgewise-4711 --json --requests requests.jsonl`)
    .action(async (directories, options) => {
      process.exitCode = directories.length === 1 ? await print(directories[0], options) : await printAcross(directories, options, sayProgress())
    })
}

/**
 * Analyses a trace and prints what it found.
 *
 * @param {string} directory
 * @param {ReportOptions} options
 * @param {boolean} [offersPage] also writes its page, if that can be
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function print (directory, { html, ...options }, offersPage = false) {
  const interrupt = interruption()
  const found = await analyse(directory, html || offersPage ? withColumns(options, directory) : options, interrupt.signal, sayProgress())
  interrupt.release()
  if (!found) return exitCodeAfter(interrupt.signal)
  const { columns, ...whole } = found
  const explained = { ...whole, slowest: whole.slowest.slice(0, options.slowest ?? SLOWEST) }
  const page = html && await writePage(html, directory, found)
  if (options.json) {
    process.stdout.write(JSON.stringify(explained) + '\n')
  } else {
    const { render, renderMarkdown } = require('../report') // Only here: other commands begin sooner.
    process.stdout.write(options.markdown
      ? renderMarkdown(explained, { page: page ? path.basename(page) : undefined })
      : render(explained, { color: colorOf(process.stdout), width: process.stdout.columns }))
  }
  if (page) note(`page: ${page}`)
  if (offersPage) await offerPage(directory, found)
  return EXIT.ok
}

/** @param {string} [what] is done @returns {(share: number) => void} says from time to time how far it is */
function sayProgress (what = 'analysing') {
  let said = performance.now()
  return (share) => {
    if (performance.now() - said < PROGRESS_MS) return
    said = performance.now()
    note(`${what}: ${Math.floor(100 * share)} %`)
  }
}

/**
 * @param {string} directory
 * @param {ReportOptions} options
 * @param {AbortSignal} interrupted
 * @param {(share: number) => void} [onProgress]
 * @returns {Promise<Record<string, any> | null>} see docs/report-json.md; null: it was interrupted
 * @throws {Failure}
 */
async function analyse (directory, { requests, json, markdown, ...options }, interrupted, onProgress) {
  if (!fs.existsSync(directory)) throw new Failure(`${directory} does not exist: give the directory that the recording has named`)
  const explain = (/** @type {string | undefined} */ requestsPath = undefined) =>
    edgewise.reportAsync(directory, { ...options, requestsPath, signal: interrupted, onProgress })
  try {
    return await (requests ? writeWhole({ option: '--requests', what: 'the requests' }, requests, directory, explain) : explain())
  } catch (error) {
    if (error instanceof Failure) throw error
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === 'CANCELLED') return null
    const named = message.replace('the process and thread asked for', () => `${asked(options)}; recorded are ${recorded(directory)}`)
    throw new Failure(named, code === 'INVALID_ARGUMENT' ? EXIT.usage : EXIT.failure)
  }
}

/** @param {{ process?: number, thread?: number }} options */
function asked ({ process, thread }) {
  return [...process === undefined ? [] : [`process ${process}`], ...thread === undefined ? [] : [`thread ${thread}`]].join(', ')
}

/** @param {string} directory @returns {string} the processes of a trace and their threads, by its files' names */
function recorded (directory) {
  /** @type {Map<number, Set<number>>} */
  const threads = new Map()
  for (const file of traceFiles(directory)) {
    const [, process, thread] = TRACE_FILE.exec(path.basename(file)) ?? []
    if (!process) continue
    threads.set(Number(process), (threads.get(Number(process)) ?? new Set()).add(Number(thread)))
  }
  const ascending = Array.from(threads).sort(([a], [b]) => a - b)
  const all = ascending.map(([process, its]) => `process ${process} (thread ${Array.from(its).sort((a, b) => a - b).join(', ')})`)
  return [...all.slice(0, MOST_NAMED), ...all.length > MOST_NAMED ? [`${all.length - MOST_NAMED} more`] : []].join(', ') || 'none'
}

module.exports = { add, analyse, print, sayProgress, selecting }
