'use strict'

// edgewise, switched on by its API; its stacks alone in a process that it records.

const edgewise = require('../../../../lib')
const { sample } = require('../../../../lib/recording/recorder')

const hz = Number(process.env.STACKS_HZ)
const start = (/** @type {number} */ stacksHz) => { edgewise.start({ out: process.env.STACKS_OUT, stacksHz }) }

if (process.env.STACKS_RECORDING) start(0)

module.exports = { start: () => process.env.STACKS_RECORDING ? sample(hz) : start(hz) }
