'use strict'

// Wrong usage reads as every other error does: one line, with the next step.

/** @typedef {import('commander').Command} Command */

/**
 * @param {Command} command and its subcommands
 * @param {string[]} [before] the names that lead to it
 */
function explainUsage (command, before = []) {
  const names = [...before, command.name()]
  command.configureOutput({
    outputError: (text, write) => write(`edgewise: ${oneLine(text)}; next step: ${names.join(' ')} --help\n`)
  })
  for (const each of command.commands) explainUsage(each, names)
}

/** @param {string} text of commander: 'error: ...', perhaps with a second line '(Did you mean ...?)' */
function oneLine (text) {
  return text.trim().replace(/^error: /, '').replace(/\s*\n\s*/g, ' ').replace(/\.$/, '')
}

module.exports = { explainUsage }
