'use strict'

// One request's report against its truth: times, whose its events are, and the names of what it asked.

const { errorsOf, FLOORS_NS } = require('../random/judge')
const { PROTOCOLS } = require('./clients')
const { knownOf } = require('./known')

/**
 * @typedef {object} Verdict
 * @property {string} route
 * @property {string} cell protocol, connection, loop
 * @property {Record<string, number>} errors of each component, ns beyond what is known
 * @property {number} width between which two numbers the I/O is known to lie, ns
 * @property {string[]} times what is wrong with them
 * @property {string[]} whose
 * @property {string[]} names
 * @property {any} causality
 */

/**
 * @param {any} each what runProgram() has compared
 * @param {import('./proxied').Proxied} proxied
 * @param {Map<string, any>} sent
 * @param {any} place of the proxy
 * @param {'idle' | 'busy'} machine
 * @returns {Verdict}
 */
function judgeRequest ({ truth, row, request, dependencies, causality }, proxied, sent, place, machine) {
  const [, , name, connection, loop] = truth.route.split(' ')[1].split('/')
  const known = proxied.truthOf(truth, sent.get(truth.route), row)
  const errors = errorsOf(known, row, 0, FLOORS_NS[machine])
  const micro = (ns) => (ns / 1e3).toFixed(0)
  const whose = whoseOf(causality, connection === 'new' ? 0 : known.answers.reduce((sum, each) => sum + each - 1, 0))
  return {
    route: truth.route,
    cell: [name, connection, loop].join(' '),
    errors: Object.fromEntries(errors.map(({ component, error }) => [component, error])),
    width: known.io[1] - known.io[0],
    times: errors.filter(({ excess }) => excess > 0).map(({ component, error }) =>
      `${component} is ${micro(row[`${component}_ns`])} µs, off by ${micro(error)} of ${known[component].map(micro).join(' to ')}`),
    whose,
    names: namesOf(PROTOCOLS[name], place, { connection, request, dependencies, answers: known.answers, parts: connection === 'new' ? proxied.partsOf(truth) : 0 }),
    causality: whose.length === 0 ? { ...causality, right: causality.expected, found: causality.expected } : causality
  }
}

/** @param {any} causality @param {number} prepared answers to what a client has asked first: they are steps of its own */
function whoseOf ({ expected, found, right, foreign }, prepared) {
  const wrong = []
  if (right < expected - prepared || found < expected || found > expected + prepared) wrong.push(`${right} of its ${expected} steps are among the ${found} that are told`)
  if (foreign > 0) wrong.push(`${foreign} steps are of other requests`)
  return wrong
}

function namesOf (protocol, place, { connection, request, dependencies, answers, parts }) {
  const { kind, datagrams, names } = protocol
  const peer = datagrams ? null : place.path ?? `127.0.0.1:${place.port}`
  const [asked, ...others] = dependencies.filter((each) => each.kind === kind || each.peer !== null)
  const wrong = others.map(({ what }) => `a second dependency, ${what}`)
  if (!asked) return ['no dependency']
  if (asked.kind !== kind || asked.peer !== peer) wrong.push(`it is ${asked.what}, not ${kind} ${peer}`)
  const { calls, inTurn } = countsOf(protocol, connection, answers, parts)
  if (!isWithin(asked.in_turn, inTurn)) wrong.push(`${asked.in_turn} in turn, not ${inTurn.join(' to ')}`)
  if (!datagrams && !isWithin(asked.calls, calls)) wrong.push(`${asked.calls} calls, not ${calls.join(' to ')}`)
  if (!datagrams && asked.side_by_side !== Math.max(0, asked.calls - asked.in_turn)) wrong.push(`${asked.side_by_side} side by side`)
  return names ? [...wrong, ...wrongCalls(protocol, connection, request)] : wrong
}

const isWithin = (count, [least, most]) => count >= least && count <= most

/** @param {any} protocol @param {string} connection @param {number[]} answers @param {number} parts @returns {Record<string, number[]>} least and most */
function countsOf ({ oneConnection, streams }, connection, answers, parts) {
  const waits = answers.reduce((sum, each) => sum + each, 0)
  // That it was connected may be waited for as well; a server may speak first; two parts may come as one.
  if (connection === 'new') return { inTurn: [waits, waits + 1], calls: [1, parts + 1] }
  // Two that leave one after the other on one connection are one question, but for streams.
  if (connection === 'pooled' && streams) return { inTurn: [waits, waits], calls: [waits + 1, waits + 1] }
  if (connection === 'pooled') return { inTurn: [waits, waits], calls: oneConnection ? [1, 1] : [waits + 1, waits + 2] }
  return { inTurn: [waits, waits], calls: [waits, waits] }
}

/** What the steps of the path have asked, by name. */
function wrongCalls ({ kind, names, streams }, connection, request) {
  const told = request.path.filter(({ call, dependency }) => dependency?.startsWith(kind) && call !== null).map(({ call }) => call)
  // Of two streams at once it is not known which one an answer is of.
  const may = names.map((name) => `${kind} ${name}`)
  const right = { new: told.at(-1) === may[0], kept: told.join() === may.join(), pooled: streams ? told.length === 0 : may.includes(told.at(-1) ?? '') }
  return right[connection] ? [] : [`it has asked ${told.join(', ') || 'nothing'}, not ${may.join(', ')}`]
}

/**
 * @param {Verdict} verdict
 * @returns {string[]} what is wrong that is not known
 */
function unknownWrongs ({ cell, ...verdict }) {
  const known = knownOf(cell)?.wrong ?? []
  return ['times', 'whose', 'names'].filter((what) => !known.includes(what)).flatMap((what) => verdict[what])
}

module.exports = { judgeRequest, unknownWrongs }
