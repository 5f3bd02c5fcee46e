'use strict'

// What edgewise's report blames in an application, and the change that it
// suggests: a flag, a setting, or an edit of the route.

const path = require('node:path')
const { ROOT } = require('../../scripts/tasks/tree')

const KEEP_PAGE = path.join(ROOT, 'benchmarks/apps/etherpad/keep-page.js')
const KEEP_AUTHORS = path.join(ROOT, 'benchmarks/apps/chat/keep-authors.js')

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
    app: 'etherpad',
    says: 'queueing behind the page of a pad, whose templates are looked for and rendered each time',
    blamedNs: behind('GET /p/:pad'),
    change: 'the page, which is the same for all pads, is rendered once',
    nodeArgs: ['--require', KEEP_PAGE]
  },
  {
    app: 'todo',
    says: 'queueing behind lists, which read and give all of a user\'s to-dos',
    blamedNs: behind('GET /users/:user/todos'),
    change: 'a list gives the newest 20',
    env: { LIST_MOST: '20' }
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
    change: 'an author is kept for a second',
    nodeArgs: ['--require', KEEP_AUTHORS]
  },
  {
    app: 'contacts',
    says: 'queueing behind queries, up to 50 objects each',
    blamedNs: behind('GET /parse/classes/:className'),
    change: 'a query gives at most 10',
    env: { MAX_LIMIT: '10' }
  }
]

/** @param {string} route @returns {Finding['blamedNs']} of the route's own tail */
function waiting (route) {
  return ({ routes }) => {
    const { tail } = routes.find((one) => one.route === route)
    return tail.io_ns + tail.queue_ns
  }
}

/** @param {string} route @returns {Finding['blamedNs']} that the tail of all routes queued behind its events */
function behind (route) {
  return ({ tail, blockers }) => blockers.filter(({ what }) => what.startsWith(`${route} `))
    .reduce((sum, { queue_ns: ns }) => sum + ns, 0) / tail.count
}

module.exports = { FINDINGS }
