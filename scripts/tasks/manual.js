'use strict'

// A manual page for a command, from its help: the two cannot differ.

/** @typedef {import('commander').Command} Command */

const EXIT_CODES = [['0', 'done'], ['1', 'failed: one line on stderr says why'], ['2', 'wrong usage'], ['130', 'ended by Ctrl-C']]

/** @param {Command} program @returns {Command[]} it, and its commands */
const documented = (program) => [program, ...program.commands]

/** @param {Command} command @returns {string} of its page */
const pageName = (command) => command.parent ? `${command.parent.name()}-${command.name()}` : command.name()

/**
 * @param {Command} command
 * @param {{ version: string, description: string }} about of the package
 * @returns {string} roff, for man(1)
 */
function manualPage (command, { version, description }) {
  const help = command.createHelp()
  const name = pageName(command)
  const text = command.description()
  const parts = [
    `.TH ${name.toUpperCase()} 1 "" "edgewise ${version}" "edgewise"`,
    section('NAME', `${name} \\- ${escaped(command.summary() || description)}`),
    section('SYNOPSIS', `.B ${escaped(help.commandUsage(command))}`),
    section('DESCRIPTION', escaped(text)),
    list('COMMANDS', help.visibleCommands(command).map((each) => [help.subcommandTerm(each), help.subcommandDescription(each)])),
    list('ARGUMENTS', help.visibleArguments(command).map((each) => [help.argumentTerm(each), help.argumentDescription(each)])),
    list('OPTIONS', help.visibleOptions(command).map((each) => [help.optionTerm(each), help.optionDescription(each)])),
    ...notesAndExamples(command),
    /exit code/.test(text) ? '' : list('EXIT STATUS', EXIT_CODES, (code) => code), // Else it is another command's.
    section('SEE ALSO', seeAlso(command))
  ]
  return `${parts.filter(Boolean).join('\n')}\n`
}

/** @param {string} title @param {string} body */
const section = (title, body) => body && `.SH ${title}\n${body}`

/**
 * @param {string} title
 * @param {string[][]} rows of a term and its description
 * @param {(term: string) => string} [shown]
 */
function list (title, rows, shown = (term) => `\\fB${escaped(term)}\\fR`) {
  return section(title, rows.map(([term, text]) => `.TP\n${shown(term)}\n${escaped(text)}`).join('\n'))
}

/** @param {Command} command @returns {string[]} of what its help says after the options */
function notesAndExamples (command) {
  const [notes, commands = ''] = afterHelp(command).split(/^Examples?:\n/m)
  const lines = commands.split('\n').map((line) => escaped(line.trim()))
  return [section('NOTES', escaped(notes.trim())), section('EXAMPLES', commands && `.nf\n${lines.join('\n')}\n.fi`)]
}

/** @param {any} command which emits, as its types do not say */
function afterHelp (command) {
  let text = ''
  command.emit('afterHelp', { error: false, command, write: (/** @type {string} */ more) => { text += more } })
  return text.trim()
}

/** @param {Command} command */
function seeAlso (command) {
  const others = command.parent ? [command.parent, ...command.parent.commands.filter((each) => each !== command)] : command.commands
  return others.filter((each) => each.name() !== 'help').map((each) => `.BR ${pageName(each)} (1)`).join('\n')
}

/** @param {string} text @returns {string} as roff takes it */
function escaped (text) {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll(/^([.'])/gm, '\\&$1')
}

module.exports = { documented, manualPage, pageName }
