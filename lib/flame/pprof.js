'use strict'

// A gzip'ed profile.proto, as `go tool pprof` and speedscope
// read it: a location is a line of a function, and a stack has one value a
// sample type.

const { gzipSync } = require('node:zlib')
const { Profile, StringTable } = require('pprof-format')
const { groupsOf } = require('./fold')
const { labelOf } = require('./label')

/** @typedef {[name: string, value: (stack: import('./fold').Folded) => number]} SampleType */

/**
 * @param {import('./fold').Of} of
 * @param {boolean} diff
 * @returns {SampleType[]} the last is what is shown first
 */
function sampleTypes (of, diff) {
  if (diff) {
    const [group, other] = groupsOf(of)
    return [[other, ({ rest }) => rest], [group, ({ ns }) => ns]]
  }
  /** @type {SampleType} */
  const wait = ['wait', ({ waited }) => waited]
  /** @type {SampleType} */
  const exec = ['exec', ({ ns, waited }) => ns - waited]
  if (of === 'blockers') return [wait]
  return of === 'own' ? [exec] : [wait, exec, ['total', ({ ns }) => ns]]
}

/**
 * @param {import('./fold').Folded[]} folded
 * @param {{ title: string, of: import('./fold').Of, diff: boolean }} options diff: of both, one after the other
 * @returns {Buffer} of nanoseconds of a request
 */
function pprof (folded, { title, of, diff }) {
  const types = sampleTypes(of, diff)
  const strings = new StringTable()
  const text = (/** @type {string} */ string) => strings.dedup(string)
  const functions = numbered()
  const locations = numbered()
  const locationOf = (/** @type {import('./fold').Frame} */ frame) => {
    // Viewers merge functions of one name, whatever their file.
    const name = frame.name === '(anonymous)' ? labelOf(frame) : frame.name
    const functionId = functions.idOf([name, frame.script], () => ({ name: text(name), filename: text(frame.script) }))
    return locations.idOf([functionId, frame.line, frame.column], () => ({ line: [{ functionId, line: frame.line, column: frame.column }] }))
  }
  const sample = folded
    .map((stack) => ({ frames: stack.frames, value: types.map(([, valueOf]) => Math.round(valueOf(stack))) }))
    .filter(({ value }) => value.some((ns) => ns > 0))
    // The innermost first.
    .map(({ frames, value }) => ({ locationId: frames.map(locationOf).reverse(), value }))
  const sampleType = types.map(([name]) => ({ type: text(name), unit: text('nanoseconds') }))
  return gzipSync(new Profile({
    sampleType,
    sample,
    location: locations.all,
    function: functions.all,
    comment: [text(title)],
    defaultSampleType: sampleType[types.length - 1].type,
    stringTable: strings
  }).encode())
}

/** What has an id, from 1 on, by what tells it apart. */
function numbered () {
  /** @type {Map<string, number>} */
  const ids = new Map()
  /** @type {any[]} */
  const all = []
  const idOf = (/** @type {any[]} */ parts, /** @type {() => object} */ make) => {
    const key = JSON.stringify(parts)
    let id = ids.get(key)
    if (id === undefined) {
      id = all.length + 1
      all.push({ id, ...make() })
      ids.set(key, id)
    }
    return id
  }
  return { all, idOf }
}

module.exports = { pprof }
