'use strict'

module.exports = { start: () => {} }
