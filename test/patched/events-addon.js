'use strict'

// The addon of the tests, built against the headers of a stock Node 20.

const { buildAddon } = require('../build-addon')
const { patchedNode } = require('./patched-node')

/** @returns {Promise<string>} the addon's file */
function eventsAddon () {
  return buildAddon('test/patched/addon/events.cc', patchedNode(), ['src/hooks/event_api.h'])
}

module.exports = { eventsAddon }
