'use strict'

// What edgewise's report blames in an application, and the change that it
// suggests: a flag, a setting, or an edit of the route.

/**
 * @typedef {object} Finding
 * @property {string} app
 * @property {string} says what the report blames, in words
 * @property {(report: any) => number} blamedNs the same as a number: ns of a tail request's mean latency
 * @property {string} change what is done about it, in words
 * @property {string[]} [nodeArgs] that do it
 * @property {Record<string, string>} [env] that does it
 */

/** @type {Finding[]} */
const FINDINGS = [
  {
    app: 'todo',
    says: 'garbage collection, its own and queued behind',
    blamedNs: garbageCollection,
    change: 'a smaller young generation: what survives is copied in smaller portions',
    nodeArgs: ['--max-semi-space-size=2']
  },
  {
    app: 'blog',
    says: 'queueing behind the home page, which reads every post each time',
    blamedNs: behind('GET /:var(index)?'),
    change: 'the home page is kept for a second',
    env: { KEEP_HOME_MS: '1000' }
  },
  {
    app: 'chat',
    says: 'I/O and queueing of the list of messages, which reads the author of each one',
    blamedNs: waiting('GET /messages'),
    change: 'a list reads each author once',
    env: { AUTHORS_ONCE: '1' }
  }
]

function garbageCollection ({ tail }) {
  return tail.exec.gc_ns + tail.queue.gc_ns
}

/** @param {string} route */
function waiting (route) {
  return ({ routes }) => {
    const { tail } = routes.find((one) => one.route === route)
    return tail.io_ns + tail.queue_ns
  }
}

/** @param {string} route */
function behind (route) {
  return ({ tail, blockers }) => blockers.filter(({ what }) => what.startsWith(`${route} `))
    .reduce((sum, { queue_ns: ns }) => sum + ns, 0) / tail.count
}

module.exports = { FINDINGS }
