'use strict'

// Critical paths of single requests.

/** @typedef {{ type: string, ready: string, dependency: string | null, inferred: boolean, begin: number, io: number, queue: number, exec: number, gc: number, blocks: { what: string, ns: number }[] }} Step ns; `begin`: of its execution, since the page's time 0 */

/** @param {import('./columns').Columns} columns @returns {Map<number, Step[]>} by row of the request */
function pathsOf ({ head, tables: { steps, step_blocks: blocks } }) {
  /** @type {Map<number, Step[]>} */
  const paths = new Map()
  let next = 0
  for (let i = 0; i < (steps?.request?.length ?? 0); i++) {
    const of = []
    for (let left = steps.blocks[i]; left > 0; left--, next++) of.push({ what: head.blockers[blocks.blocker[next]].what, ns: blocks.ns[next] })
    const path = paths.get(steps.request[i]) ?? []
    path.push({
      type: head.event_types[steps.type[i]],
      ready: head.ready_kinds[steps.ready_kind[i]],
      dependency: steps.dependency[i] === 0 ? null : head.dependencies[steps.dependency[i] - 1].what,
      inferred: (steps.flags[i] & 1) !== 0,
      begin: steps.begin[i],
      io: steps.io[i],
      queue: steps.queue[i],
      exec: steps.exec[i],
      gc: steps.gc[i],
      blocks: of
    })
    paths.set(steps.request[i], path)
  }
  return paths
}

module.exports = { pathsOf }
