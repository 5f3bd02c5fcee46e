'use strict'

require('./patched-node').testProgram('creation')
