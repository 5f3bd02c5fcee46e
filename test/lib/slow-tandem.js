'use strict'

// Services of known demands on a virtual clock: each works on one request at a
// time, and asks the next; the answer takes none of them any time. Users ask
// again as soon as they have theirs. All but the target are paused whenever that
// has begun so many requests.

const USERS = 400
const REQUESTS = 20_000

/**
 * @param {Record<string, number>} demands µs a request, in the order in which they ask each other
 * @param {{ target: string, batch: number, pauseUs: number }} options
 * @returns {import('../../lib/slow/model').Window}
 */
function tandem (demands, { target, batch, pauseUs }) {
  const services = Object.entries(demands).map(([name, demandUs]) => ({ name, demandUs, waiting: 0, busy: false, leftUs: 0, debtUs: 0 }))
  services[0].waiting = USERS
  const of = /** @type {typeof services[0]} */ (services.find(({ name }) => name === target))
  const seen = { front: /** @type {any[]} */ ([]), rounds: /** @type {any[]} */ ([]) }
  const begun = new Map(services.map((service) => [service, 0]))
  let nowUs = 0
  while (/** @type {number} */ (begun.get(services[0])) < REQUESTS) {
    for (const service of services) {
      if (service.busy || service.waiting === 0 || service.debtUs > 0) continue
      service.waiting--
      service.busy = true
      service.leftUs = service.demandUs
      const count = /** @type {number} */ (begun.get(service)) + 1
      begun.set(service, count)
      if (service === services[0]) seen.front.push({ atMs: nowUs / 1000, count })
      if (service === of && count % batch === 0) {
        seen.rounds.push({ atMs: nowUs / 1000, count })
        for (const other of services) if (other !== of) other.debtUs += pauseUs
      }
    }
    const stepUs = Math.min(...services.flatMap(({ busy, debtUs, leftUs }) => [...debtUs > 0 ? [debtUs] : [], ...busy && debtUs <= 0 ? [leftUs] : []]))
    nowUs += stepUs
    for (const [i, service] of services.entries()) {
      if (service.debtUs > 0) {
        service.debtUs = Math.max(0, service.debtUs - stepUs)
      } else if (service.busy) {
        service.leftUs -= stepUs
        if (service.leftUs > 1e-9) continue
        service.busy = false
        services[(i + 1) % services.length].waiting++
      }
    }
  }
  return { front: seen.front.slice(REQUESTS / 4), rounds: seen.rounds.filter(({ atMs }) => atMs > seen.front[REQUESTS / 4].atMs) }
}

module.exports = { tandem }
