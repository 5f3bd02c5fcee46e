'use strict'

// ms: a way's callback is due DELAY after its request; a request that comes SPIN_AFTER it computes for SPIN.
module.exports = { DELAY: 40, SPIN_AFTER: 15, SPIN: 80 }
