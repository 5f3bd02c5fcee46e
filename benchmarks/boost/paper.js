'use strict'

// What the paper measured (VEE'19), where it says so in numbers.

const PAPER = {
  source: "Tail Latency in Node.js, VEE'19",
  // Table 7: mean tail reduction in percent, energy normalised to 2.6 GHz.
  policies: {
    gc: { reduction: 13.56, energy: 1.03 },
    'gc+tuning': { reduction: 17.23, energy: 1.09 },
    queue: { reduction: 16.27, energy: 1.10 },
    'combined+tuning': { reduction: 21.18, energy: 1.14 },
    rubik: { reduction: 7.99, energy: 1.22 },
    adrenaline: { reduction: 13.31, energy: 1.56 }
  },
  // Section 7.3: the energy of what is boosted always.
  staticEnergy: { mid: 1.676, high: 2.712 },
  // Table 6 and section 7.4: cluster mode, eight workers on eight processors.
  cluster: {
    etherpad: { gc: { reduction: 15.8, energy: 1.08 }, queue: { reduction: 25.0, energy: 1.19 } },
    todo: { gc: { reduction: 1.2, energy: 0.99 }, queue: { reduction: 7.9, energy: 1.07 } },
    mean: { gc: { reduction: 12.7, energy: 1.06 }, queue: { reduction: 13.5, energy: 1.18 } }
  }
}

module.exports = { PAPER }
