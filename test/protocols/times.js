'use strict'

// ms: each answer is held for DELAY; answers that a server gives within TOGETHER leave together. Another request, sent
// SPIN_AFTER the first, computes for SPIN. Requests that share connections are sent STAGGER apart.
module.exports = { DELAY: 30, TOGETHER: 2, SPIN_AFTER: 18, SPIN: 80, STAGGER: 5 }
