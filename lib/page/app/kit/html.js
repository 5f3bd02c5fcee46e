'use strict'

const { h } = require('preact')
const htm = /** @type {any} */ (require('htm')) // Its types are of its other form.

module.exports = { html: htm.bind(h) }
