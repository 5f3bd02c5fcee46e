'use strict'

// What ran on each loop, and how many requests waited, in stretches of time.

/**
 * @typedef {object} Lane of one thread; slices and lengths in order of time, ns
 * @property {number} thread
 * @property {{ from: number, to: number }[]} windows what is known
 * @property {{ begin: number, end: number, blocker: number, off: number, count: number, busy: number }[]} slices; `count`: of so many, too small to be seen, `blocker` is what they mostly were, and `busy` how long they ran
 * @property {{ at: number, length: number }[]} queue from then on
 */

/** @param {import('./columns').Columns} columns @returns {Lane[]} by thread */
function lanesOf ({ head, tables: { slices, queues } }) {
  /** @type {Map<number, Lane>} */
  const lanes = new Map()
  const laneOf = (/** @type {number} */ thread) => {
    let lane = lanes.get(thread)
    if (!lane) lanes.set(thread, lane = { thread, windows: [], slices: [], queue: [] })
    return lane
  }
  for (const { from_ns: from, to_ns: to, thread } of head.windows ?? []) laneOf(thread).windows.push({ from, to })
  for (let i = 0; i < (slices?.begin?.length ?? 0); i++) laneOf(slices.thread[i]).slices.push({ begin: slices.begin[i], end: slices.begin[i] + slices.length[i], blocker: slices.blocker[i], off: slices.off[i], count: slices.count?.[i] ?? 1, busy: slices.busy?.[i] ?? slices.length[i] })
  for (let i = 0; i < (queues?.at?.length ?? 0); i++) laneOf(queues.thread[i]).queue.push({ at: queues.at[i], length: queues.length[i] })
  return [...lanes.values()].sort((a, b) => a.thread - b.thread)
}

/** @param {{ length: number }} list @param {(i: number) => boolean} after holds from some place on @returns {number} that place */
function firstWhere ({ length }, after) {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (after(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** @param {Lane} lane @param {number} from @param {number} to @returns {Lane['slices']} those that lie in it, in part */
function slicesWithin ({ slices }, from, to) {
  return slices.slice(firstWhere(slices, (i) => slices[i].end > from), firstWhere(slices, (i) => slices[i].begin >= to))
}

/** @param {Lane} lane @param {number} from @param {number} to @returns {Lane['queue']} */
function queueWithin ({ queue }, from, to) {
  const first = firstWhere(queue, (i) => queue[i].at > from)
  return queue.slice(Math.max(0, first - 1), firstWhere(queue, (i) => queue[i].at >= to))
}

/** @param {Lane} lane @param {number} ns @returns {Lane['slices'][0] | undefined} what ran then */
function sliceAt ({ slices }, ns) {
  const slice = slices[firstWhere(slices, (i) => slices[i].end > ns)]
  return slice && slice.begin <= ns ? slice : undefined
}

module.exports = { lanesOf, queueWithin, sliceAt, slicesWithin }
