'use strict'

const { STRESS, TIERS, testProgram } = require('./patched-node')

// Not where all is inlined: code that binds and calls a function itself calls
// its target. Only a test changes events between the two.
const ways = { ...TIERS, ...STRESS }
delete ways['TurboFan that inlines what it can']
testProgram('bound', ways)
