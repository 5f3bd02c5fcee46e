'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { InvalidArgumentError, Option } = require('commander')
const { parseCuts } = require('../slow/cuts')
const { FRONT, collect, parsePlace, parseService } = require('../slow/services')
const { parseCpus } = require('../slow/cores')
const { POKER, nextStep } = require('../native/native-files')
const { count, name, paths, port, seconds } = require('./arguments')
const { EXIT, Failure, note } = require('./failure')
const { exitCodeAfter, interruption } = require('./interruption')
const { CONNECTIONS, ownLoad } = require('./own-load')
const { refuseTaken } = require('./server')
const { withServices } = require('./services')
const { colorOf } = require('./terminal')

/** @param {import('commander').Command} program */
function add (program) {
  program.command('slow')
    .summary('predict the throughput with a faster service, by slowing down the others')
    .description('Pauses all services but one for moments, so that the one is faster against them,\nand tells what throughput that comes to (docs/slow.md). For what no trace tells:\nservices that are not recorded, locks, the inner limit of a database.')
    .argument('[command...]', `the service that users ask, after --; its name is ${FRONT}`)
    .requiredOption('--target <NAME>', 'the service that is to be faster', name)
    .requiredOption('--by <LIST>', 'by how much, such as 200us, or 20%,50% of the processor time that it takes a request', cuts)
    .option('--service <NAME=WHAT>', 'another service: a shell command, or the id of a process that runs; may be given several times', service)
    .option('--services <FILE>', 'services of a JSON file (docs/slow.md), the one that users ask first', name)
    .option('--cpus <NAME=LIST>', 'the processors of a service, such as users=0; may be given several times', place)
    .addOption(new Option('--load <CMD>', 'shell command that sends the requests and waits for their answers; it finds the first service in $PORT and $URL').argParser(name))
    .addOption(new Option('--url <PATH>', 'send GET requests for PATH; may be given several times').argParser(paths).conflicts(['load', 'mix']))
    .addOption(new Option('--mix <FILE>', 'send the requests that FILE describes (docs/load.md)').argParser(name).conflicts('load'))
    .addOption(new Option('--connections <N>', `of --url and --mix: so many users, who each wait for their answer (${CONNECTIONS})`).argParser(above).conflicts('load'))
    .option('--load-cpus <LIST>', 'the processors of the load (default: those of no service, else of the target)', cpus)
    .option('--repetitions <N>', 'how often all is measured', above, 5)
    .option('--for <S>', 'seconds that each run measures', seconds, 10)
    .option('--warmup <S>', 'seconds of load before', seconds, 10)
    .option('--batch <N>', 'requests of the target between two pauses', above, 50)
    .option('--parallel <N>', 'how many requests the target works on at once (default: its processes that answer any)', above)
    .option('--calls <X>', 'how often a request of a user asks the target, where that does not count its own: it is no server of HTTP on Node.js', calls)
    .option('--port <P>', 'the port of the first service (default: the first that it listens on)', port)
    .option('--wait <S>', 'seconds each service may take until it listens', seconds, 60)
    .option('--json', 'print the result as JSON')
    .passThroughOptions()
    .addHelpText('after', `
Examples:
  edgewise slow --target users --by 200us --url / --service 'users=node users.js' --cpus users=0 --cpus front=1 -- node front.js
  edgewise slow --target users --by 20%,50% --services services.json --load 'npx autocannon -c 100 -d 600 $URL'
  edgewise slow --target db --by 100us --calls 2.5 --url / --service db=4711 --cpus front=1 -- node front.js`)
    .action(async (command, options) => {
      process.exitCode = await slow(command, options)
    })
}

/** @param {string} text */
function cuts (text) {
  const parsed = parseCuts(text)
  if (!parsed) throw new InvalidArgumentError('Allowed are times such as 200us or 1.5ms and shares such as 50%, separated by commas.')
  return parsed
}

/** @param {string} text @param {import('../slow/services').Service[]} [before] */
function service (text, before = []) {
  const parsed = parseService(text)
  if (!parsed) throw new InvalidArgumentError("Allowed is a name and a command or a process id, such as 'users=node users.js' or users=4711.")
  return [...before, parsed]
}

/** @param {string} text @param {{ name: string, cpus: string }[]} [before] */
function place (text, before = []) {
  const parsed = parsePlace(text)
  if (!parsed) throw new InvalidArgumentError('Allowed is a name and a list of processors, such as users=0 or users=2-3.')
  return [...before, parsed]
}

/** @param {string} text */
function cpus (text) {
  if (!parseCpus(text)) throw new InvalidArgumentError('Allowed is a list of processors, such as 0 or 2-3.')
  return text
}

/** @param {string} text */
function above (text) {
  const value = count(text)
  if (value < 1) throw new InvalidArgumentError('Allowed is a whole number above 0.')
  return value
}

/** @param {string} text */
function calls (text) {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0
  if (!(value > 0)) throw new InvalidArgumentError('Allowed is a number above 0, such as 2.5.')
  return value
}

/**
 * @param {string[]} command
 * @param {any} options
 * @returns {Promise<number>} the exit code
 * @throws {Failure}
 */
async function slow (command, options) {
  const services = collected(command, options)
  if (!options.load && !options.url && !options.mix) throw new Failure('there is no load: give --url, --mix or --load', EXIT.usage)
  if (!fs.existsSync(POKER)) throw new Failure(`edgewise-poker is not built for Node ${process.version}; next step: ${nextStep()}`)
  await refuseTaken(options.port)
  const own = options.load ? null : ownLoad({ ...options, for: lengthOf(options), connections: options.connections ?? CONNECTIONS })
  const interrupt = interruption()
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-slow-'))
  try {
    const result = await withServices(services, { ...options, load: options.load ?? own?.command, quietLoad: own !== null, directory, program: POKER }, interrupt.signal)
    if (result) print(result, options)
  } finally {
    own?.remove()
    fs.rmSync(directory, { recursive: true, force: true })
  }
  return interrupt.signal.aborted ? exitCodeAfter(interrupt.signal) : EXIT.ok
}

/** @param {string[]} command @param {any} options */
function collected (command, options) {
  try {
    return collect({ ...options, command })
  } catch (error) {
    throw new Failure(/** @type {Error} */ (error).message, EXIT.usage)
  }
}

/** Seconds that the load lasts: ended before, when all is measured. */
function lengthOf (/** @type {any} */ { by, for: each, warmup, repetitions }) {
  const runs = 1 + repetitions * (2 + by.length)
  return 2 * (warmup + runs * (each + 2)) + 60
}

/** @param {Record<string, any>} result @param {any} options */
function print (result, { json }) {
  if (result.repetitions === 0) return note('interrupted before the first repetition was over')
  process.stdout.write(json
    ? `${JSON.stringify(result)}\n`
    : require('../slow/render').render(result, { color: colorOf(process.stdout), width: process.stdout.columns }))
}

module.exports = { add }
