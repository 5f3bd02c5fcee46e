'use strict'

// In each of Node's own tests, its workers and children: tracking is on from the
// first line. On a Node without patches nothing happens. TRACKING_ADDON is the
// addon's file.

const { on } = require(process.env.TRACKING_ADDON ?? '')

on()
