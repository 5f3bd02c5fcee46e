'use strict'

// edgewise, switched on by its API.

const edgewise = require('../../../../lib')

const start = () => { edgewise.start({ out: process.env.STACKS_OUT, stacksHz: Number(process.env.STACKS_HZ) }) }

if (process.env.STACKS_BEFORE) {
  start()
  edgewise.stop()
}

module.exports = { start }
