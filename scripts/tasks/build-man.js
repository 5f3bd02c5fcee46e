'use strict'

// The manual pages that the package has, one a command.

const fs = require('node:fs')
const path = require('node:path')
const { program } = require('../../lib/cli')
const about = require('../../package.json')
const { documented, manualPage, pageName } = require('./manual')
const { ROOT } = require('./tree')

const MANUAL = path.join(ROOT, 'man')

/** @param {string} [directory] made anew */
function buildManual (directory = MANUAL) {
  fs.rmSync(directory, { recursive: true, force: true })
  fs.mkdirSync(directory, { recursive: true })
  for (const command of documented(program())) {
    fs.writeFileSync(path.join(directory, `${pageName(command)}.1`), manualPage(command, about))
  }
}

async function run () {
  buildManual()
}

module.exports = { buildManual, run }
