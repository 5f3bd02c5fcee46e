'use strict'

require('./patched-node').testProgram('tracking')
