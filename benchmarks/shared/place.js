'use strict'

const path = require('node:path')
const { CACHE } = require('../../scripts/tasks/tree')

/** Where the servers are installed. */
const PLACE = path.join(CACHE, 'overhead')

module.exports = { PLACE }
