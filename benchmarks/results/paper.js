'use strict'

// What the paper measured (VEE'19), where it says so in numbers.

const PAPER = {
  source: "Tail Latency in Node.js, VEE'19",
  p999OverP50: 9.1, // figure 2, mean of its five applications
  overhead: { rest: 6.69, tail: 6.77 }, // table 3, percent, mean
  // Section 5.1: percent of the tail's latency, mean; I/O of those that have some.
  tail: { io: 21.2, queue: 45.8, exec: 37.2 },
  // Section 5.2: percent of the tail's processor time, mean.
  processor: { native: 48.7, gc: 47.4 },
  // Table 5: percent of the tail's latency in cluster mode, eight workers.
  cluster: {
    etherpad: { io: 0, ic: 0.4, gc: 66.9, jit: 0, native: 28.7 },
    todo: { io: 10.9, ic: 1.4, gc: 32.2, jit: 0, native: 55.5 }
  }
}

module.exports = { PAPER }
