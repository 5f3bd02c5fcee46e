'use strict'

// Where what is compiled lies. Builds for several Nodes live side by side.

const path = require('node:path')

const KEY = `node-v${process.versions.modules}-${process.platform}-${process.arch}`
const DIRECTORY = path.join(__dirname, '..', 'build', KEY)

module.exports = {
  KEY,
  ADDON: path.join(DIRECTORY, 'edgewise.node'),
  /** The daemon: what `edgewise boostd` starts. */
  BOOSTD: path.join(DIRECTORY, 'edgewise-boostd')
}
