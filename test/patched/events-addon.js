'use strict'

// The addon of the tests, built against the headers of a stock Node 20.

const { findPatchedNode } = require('../../lib/patched-node')
const { buildAddon } = require('../build-addon')

/** @returns {Promise<string>} the addon's file */
function eventsAddon () {
  return buildAddon('test/patched/addon/events.cc', findPatchedNode().file, ['src/hooks/event_api.h'])
}

module.exports = { eventsAddon }
