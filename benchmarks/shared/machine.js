'use strict'

// Where numbers come from: no host name, no date, no path.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { PLACE } = require('./place')

const TOOLS = {
  express: 'node_modules/express',
  fastify: 'node_modules/fastify',
  '@opentelemetry/instrumentation-http': 'node_modules/@opentelemetry/instrumentation-http',
  '@clinic/bubbleprof': 'bubbleprof/node_modules/@clinic/bubbleprof'
}

/** @returns {{ cpu: string, cpus: number, memoryGb: number, kernel: string, node: string, packages: Record<string, string> }} */
function machine () {
  const cpus = os.cpus()
  /** @type {Record<string, string>} */
  const packages = {}
  for (const [name, place] of Object.entries(TOOLS)) {
    const file = path.join(PLACE, place, 'package.json')
    if (fs.existsSync(file)) packages[name] = JSON.parse(fs.readFileSync(file, 'utf8')).version
  }
  return {
    cpu: cpus[0].model,
    cpus: cpus.length,
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    kernel: os.release(),
    node: process.version,
    packages
  }
}

module.exports = { machine }
