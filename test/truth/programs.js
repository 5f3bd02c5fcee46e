'use strict'

// All programs of known truth, by file name.

const fs = require('node:fs')
const path = require('node:path')

const FOLDER = path.join(__dirname, 'programs')

const PROGRAMS = fs.readdirSync(FOLDER).sort()
  .map((file) => require(path.join(FOLDER, file)))

module.exports = { PROGRAMS }
