'use strict'

require('./patched-node').testProgram('promises')
