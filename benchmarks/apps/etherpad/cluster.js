'use strict'

// Etherpad in cluster workers that share a port. It is not made for that: each
// worker has a data file of its own, so what one creates the others do not know.
// Arguments: the installation's directory, the number of workers, and the file
// of settings of each.

const cluster = require('node:cluster').default ?? require('node:cluster')
const path = require('node:path')
const process = require('node:process')

const primary = require('../cluster-primary')

const [folder, ...rest] = process.argv.slice(2)

if (cluster.isPrimary) {
  const [keys, ...settings] = rest
  primary.run(settings.length, index => ({ SETTINGS: settings[index], KEYS: keys }))
} else {
  const { SETTINGS, KEYS } = process.env
  const args = ['--settings', SETTINGS, '--apikey', `${KEYS}/APIKEY.txt`, '--sessionkey', `${KEYS}/SESSIONKEY.txt`]
  process.argv = [process.argv[0], path.join(folder, 'src/node/server.js'), ...args.map(String)]
  require(process.argv[1]).start()
}
