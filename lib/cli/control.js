'use strict'

const { Argument } = require('commander')
const { ControlError, send } = require('../control')
const { Failure } = require('./failure')
const { processId } = require('./arguments')

const COMMANDS = [
  {
    name: 'on',
    summary: 'switch recording on in a running process',
    description: 'Switches recording on in a process that was started with edgewise, for instance with EDGEWISE_ENABLED=0.',
    example: 'EDGEWISE_ENABLED=0 node --require edgewise/register app.js &\n  edgewise on $!',
    done: 'recording'
  },
  {
    name: 'off',
    summary: 'switch recording off in a running process',
    description: 'Switches recording off in a recorded process. What was recorded stays.',
    example: 'edgewise off 4711',
    done: 'not recording'
  },
  {
    name: 'dump',
    summary: 'write what a flight recorder holds',
    description: 'Makes a process in EDGEWISE_MODE=flight write the events it holds to its trace.',
    example: 'EDGEWISE_MODE=flight node --require edgewise/register app.js &\n  edgewise dump $!',
    done: 'dumped'
  },
  {
    name: 'status',
    summary: 'tell what edgewise does in a running process',
    description: 'Tells whether a process is recording, where to, what it has dropped, and what boosting has done.',
    example: 'edgewise status 4711',
    done: ''
  }
]

/** @param {import('commander').Command} program */
function add (program) {
  addStacks(program)
  addPerfMap(program)
  for (const { name, summary, description, example, done } of COMMANDS) {
    program.command(name)
      .summary(summary)
      .description(description)
      .argument('<PID>', 'process id of the recorded process', processId)
      .addHelpText('after', `\nExample:\n  ${example}`)
      .action(async (pid) => {
        const facts = await ask(pid, name)
        const details = Object.entries(facts).map(([key, value]) => `  ${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
        process.stdout.write(`process ${pid}${done ? `: ${done}` : ''}\n${details.join('')}`)
      })
  }
}

const SWITCH = ['on', 'off']

/** @param {import('commander').Command} program */
function addStacks (program) {
  program.command('stacks')
    .summary('switch the sampling of stacks on or off in a running process')
    .description('Switches on or off that a recorded process samples which functions its busy event\nloop runs (EDGEWISE_STACKS). What was recorded stays.')
    .addArgument(new Argument('<SWITCH>').choices(SWITCH))
    .argument('<PID>', 'process id of the recorded process', processId)
    .addHelpText('after', '\nExample:\n  edgewise stacks on 4711')
    .action(async (to, pid) => {
      await ask(pid, `stacks-${to}`)
      process.stdout.write(`process ${pid}: ${to === 'on' ? 'sampling' : 'not sampling'} stacks\n`)
    })
}

/** @param {import('commander').Command} program */
function addPerfMap (program) {
  program.command('perf-map')
    .summary('tell perf and bpftrace the names of JavaScript functions')
    .description(`Makes a recorded process write where the machine code of its JavaScript functions
lies, to /tmp/perf-PID.map, from now on. perf and bpftrace read that file. To begin stops
the process for a moment: 0.1 to 0.5 s in a server of middle size.`)
    .argument('<PID>', 'process id of the recorded process', processId)
    .addArgument(new Argument('<SWITCH>').choices(SWITCH))
    .addHelpText('after', '\nExample:\n  edgewise perf-map 4711 on')
    .action(async (pid, to) => {
      const { path, functions, pause_ms: pause } = await ask(pid, `perf-map-${to}`)
      process.stdout.write(to === 'on'
        ? `process ${pid}: ${path} has ${functions} functions and gets new ones; it stood for ${pause.toFixed(1)} ms\n`
        : `process ${pid}: its map gets no new functions\n`)
    })
}

/**
 * @param {number} pid
 * @param {string} command
 */
async function ask (pid, command) {
  try {
    return await send(pid, command)
  } catch (error) {
    if (error instanceof ControlError) throw new Failure(`${command}: ${error.message}`)
    throw error
  }
}

module.exports = { add }
