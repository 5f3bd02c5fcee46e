'use strict'

// Several services, each recorded while the same load came to the first: what
// they answer together. By the utilisation law each service alone bounds the
// throughput, and so do the processors that they share (Slowpoke, NSDI'26, section 3).

/** @typedef {{ directory: string, calls: number, utilisation: number, capacity: number[], bound: number[] }} Service calls: of a request of the first service; capacity: with a processor of its own where they share some; bound: of the throughput, in its requests a second, before and after */

/**
 * @param {{ directory: string, found: Record<string, any> }[]} all predictions, the service that users ask first
 * @param {{ processors?: number }} options that all loops share; none: each has its own
 * @returns {{ services: Service[], processors: number[] | null, throughput: number[], limited_by: (string | null)[] }} each [before, after] of the first scenario; limited_by: a directory, or null for the processors
 */
function together (all, { processors }) {
  const [first] = all
  const perSecond = (/** @type {Record<string, any>} */ { fit }) => fit.requests / fit.seconds
  const services = all.map(({ directory, found }) => {
    const calls = perSecond(found) / perSecond(first.found)
    // What takes the processors that they share is said by all of them together.
    const key = processors === undefined ? 'capacity' : 'capacity_alone'
    const capacity = found.scenarios[0]?.[key] ?? [found.fit[key], found.fit[key]]
    return { directory, calls, utilisation: found.fit.utilisation, capacity, bound: capacity.map((/** @type {number} */ most) => most / calls) }
  })
  const shared = processors === undefined ? null : [0, 1].map((when) => processors / services.reduce((sum, { bound }) => sum + 1 / bound[when], 0))
  const limits = [0, 1].map((when) => {
    const slowest = services.reduce((least, each) => each.bound[when] < least.bound[when] ? each : least)
    const byProcessors = shared !== null && shared[when] < slowest.bound[when]
    return { most: byProcessors ? shared[when] : slowest.bound[when], by: byProcessors ? null : slowest.directory }
  })
  return { services, processors: shared, throughput: limits.map(({ most }) => most), limited_by: limits.map(({ by }) => by) }
}

module.exports = { together }
