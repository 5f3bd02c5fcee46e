'use strict'

// A page's columns, written as docs/page-data.md says.

/** @param {Record<string, any>} head @param {Record<string, Record<string, number[]>>} tables @returns {Uint8Array} */
function container (head, tables) {
  const parts = []
  const described = {}
  for (const [name, columns] of Object.entries(tables)) {
    const rows = Object.values(columns)[0]?.length ?? 0
    described[name] = {
      rows,
      columns: Object.entries(columns).map(([column, values]) => {
        const delta = column === 'start'
        const stored = delta ? values.map((value, i) => value - (values[i - 1] ?? 0)) : values
        const planes = Math.ceil(Math.log2(Math.max(0, ...stored) + 1) / 8)
        for (let plane = 0; plane < planes; plane++) parts.push(Buffer.from(stored.map((value) => Math.floor(value / 256 ** plane) % 256)))
        return { name: column, planes, ...delta && { delta } }
      })
    }
  }
  const text = Buffer.from(JSON.stringify({ schema: 1, ...head, tables: described }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(text.length)
  return Buffer.concat([Buffer.from('EWPG'), length, text, ...parts])
}

const PARTS = ['gc', 'jit', 'ic', 'preempted', 'throttled', 'fault', 'blocked'].flatMap((name) => [`exec_${name}`, `queue_${name}`])

/**
 * @typedef {object} Given
 * @property {number} start ns
 * @property {number} exec ns
 * @property {Record<string, number>} [waits] ns by dependency
 * @property {Record<string, number>} [blocks] ns by blocker
 * @property {[number, number, number][]} [frames] blocker, node, ns
 * @property {string} [route]
 * @property {Record<string, number>} [more] other columns
 */

/** @param {Given[]} given by start @returns {Uint8Array} the columns of a recording of them */
function recorded (given, head = {}) {
  const names = (/** @type {(one: Given) => string[]} */ of) => [...new Set(given.flatMap(of))]
  const routes = names(({ route = 'GET /' }) => [route])
  const dependencies = names(({ waits = {} }) => Object.keys(waits))
  const blockers = names(({ blocks = {} }) => Object.keys(blocks))
  const sum = (/** @type {Record<string, number>} */ of = {}) => Object.values(of).reduce((all, one) => all + one, 0)
  const column = (/** @type {(one: Given) => number} */ of) => given.map(of)
  const pairs = (/** @type {'waits' | 'blocks'} */ of) => given.flatMap((one) => Object.entries(one[of] ?? {}).map(([what, ns], i) => /** @type {const} */ ([what, i === 0 ? 0 : ns])))
  const times = (/** @type {(readonly [string, number])[]} */ of) => ({ us: of.map(([, ns]) => Math.floor(ns / 1000)), ns: of.map(([, ns]) => ns % 1000) })
  return container({
    start_ns: 0,
    span_ns: Math.max(...given.map(({ start }) => start), 0) + 1e9,
    routes,
    dependencies: dependencies.map((what) => ({ what, kind: what, peer: null })),
    blockers: blockers.map((what) => ({ what, kind: 'request', route: what })),
    threads: [{ process: 1, thread: 0 }],
    event_types: ['unknown', 'tcp_read'],
    ready_kinds: ['none', 'observed', 'upper-bound'],
    outcomes: ['finished'],
    request_kinds: ['http1'],
    off_cpu: true,
    vm_times: false,
    limits: [],
    ...head
  }, {
    requests: {
      start: column(({ start }) => Math.floor(start / 1000)),
      exec: column(({ exec }) => exec),
      tail: column(({ more }) => more?.tail ?? 1),
      io: column(({ waits }) => sum(waits)),
      count: column(({ more }) => more?.count ?? 1),
      queue: column(({ blocks }) => sum(blocks)),
      route: column(({ route = 'GET /' }) => routes.indexOf(route)),
      status: column(() => 200),
      outcome: column(() => 0),
      kind: column(() => 0),
      thread: column(() => 0),
      connection: column(({ more }) => more?.connection ?? 1),
      id: given.map((_, i) => i + 1),
      waiting: column(({ more }) => more?.waiting ?? 0),
      doubts: column(() => 0),
      ...Object.fromEntries(PARTS.map((name) => [name, column(({ more }) => more?.[name] ?? 0)])),
      blocks: column(({ blocks = {} }) => Object.keys(blocks).length),
      waits: column(({ waits = {} }) => Object.keys(waits).length),
      frames: column(({ frames = [] }) => frames.length)
    },
    blocks: { blocker: pairs('blocks').map(([what]) => blockers.indexOf(what)), ...times(pairs('blocks')) },
    waits: { dependency: pairs('waits').map(([what]) => dependencies.indexOf(what)), ...times(pairs('waits')) },
    frames: { blocker: given.flatMap(({ frames = [] }) => frames.map(([blocker]) => blocker)), node: given.flatMap(({ frames = [] }) => frames.map(([, node]) => node)), us: given.flatMap(({ frames = [] }) => frames.map(([, , ns]) => ns / 1000)) },
    steps: {},
    step_blocks: {}
  })
}

module.exports = { container, recorded }
