'use strict'

require('./patched-node').testProgram('bound')
