'use strict'

// A manual page for each command, with all that its help says.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { test } = require('node:test')
const { program } = require('../../lib/cli')
const { buildManual } = require('../../scripts/tasks/build-man')
const { manualPage } = require('../../scripts/tasks/manual')
const { Command } = require('commander')

const ABOUT = { version: '1.2.3', description: 'Finds what is slow' }
const HAS_GROFF = spawnSync('groff', ['--version']).status === 0

test('each command has a page that names its options, its arguments and its examples', (t) => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-man-'))
  t.after(() => fs.rmSync(directory, { recursive: true, force: true }))
  buildManual(directory)
  const { commands } = program()
  assert.deepEqual(fs.readdirSync(directory).sort(), ['edgewise.1', ...commands.map((each) => `edgewise-${each.name()}.1`)].sort())
  const main = fs.readFileSync(path.join(directory, 'edgewise.1'), 'utf8')
  for (const command of commands) {
    const page = fs.readFileSync(path.join(directory, `edgewise-${command.name()}.1`), 'utf8').replaceAll('\\-', '-')
    for (const { long } of command.options) assert.ok(page.includes(`\n\\fB${long}`), `${command.name()} ${long}`)
    for (const argument of command.registeredArguments) assert.ok(page.includes(argument.name()), `${command.name()} ${argument.name()}`)
    assert.match(page, /\n\.SH EXAMPLES\n\.nf\n(.*\n)*edgewise .*\n(.*\n)*\.fi\n/)
    assert.ok(main.includes(`.BR edgewise-${command.name()} (1)`))
  }
})

test('what roff would take for its own is text', () => {
  const page = manualPage(new Command('edgewise').description('.TH is no title\n\'nor this: C:\\dir --flag'), ABOUT)
  assert.match(page, /\n\\&\.TH is no title\n\\&'nor this: C:\\edir \\-\\-flag\n/)
})

test('groff has nothing to say of a page', { skip: !HAS_GROFF && 'groff is not installed' }, () => {
  for (const command of program().commands) {
    const { status, stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-P-cbu'], { input: manualPage(command, ABOUT), encoding: 'utf8' })
    assert.deepEqual([command.name(), status, stderr], [command.name(), 0, ''])
    assert.match(stdout, /SEE ALSO/)
  }
})
