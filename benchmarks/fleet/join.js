'use strict'

// One report of the directories that are given: what it took, as JSON.

const edgewise = require('../../lib')

async function run () {
  const began = performance.now()
  const { services } = await edgewise.across({ directories: process.argv.slice(2), slowest: 5 })
  const seconds = (performance.now() - began) / 1000
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  const sum = (/** @type {(service: any) => number} */ of) => services.reduce((/** @type {number} */ all, /** @type {any} */ service) => all + of(service), 0)
  process.stdout.write(JSON.stringify({
    seconds,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    megabytes: maxRSS / 1024,
    events: sum(({ report }) => report.events.count),
    requests: sum(({ report }) => report.requests.count),
    calls: Math.max(...services.map((/** @type {any} */ { calls }) => calls)),
    joined: Math.max(...services.map((/** @type {any} */ { joined }) => joined))
  }))
}

run()
