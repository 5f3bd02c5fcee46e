'use strict'

require('./patched-node').testProgram('edges')
