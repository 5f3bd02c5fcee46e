'use strict'

// What each tool writes, as stacks of names.

const { Profile } = require('pprof-format')

/** @typedef {{ names: string[], ns: number }} Sampled a stack, the outermost function first, and for how long it ran */

/** Of `--prof`, which 0x and clinic read, each tick stands for a millisecond: V8's default. */
const TICK_NS = 1e6

/** @param {string} text a .cpuprofile @returns {Sampled[]} a stack for each sample, which lasts until the next one */
function ofCpuProfile (text) {
  const { nodes, samples, timeDeltas, endTime, startTime } = JSON.parse(text)
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const nameOf = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]))
  const namesOf = (id) => {
    const names = []
    for (let at = id; at !== undefined; at = parents.get(at)) names.unshift(nameOf.get(at))
    return names
  }
  let end = startTime
  const times = timeDeltas.map((delta) => { end += delta; return end })
  return samples.map((id, i) => ({ names: namesOf(id), ns: 1000 * ((times[i + 1] ?? endTime) - times[i]) }))
}

/** @param {Uint8Array} bytes a pprof profile, not compressed @returns {Sampled[]} */
function ofPprof (bytes) {
  const profile = Profile.decode(bytes)
  const text = (/** @type {any} */ index) => profile.stringTable.strings[Number(index)] ?? ''
  const wall = profile.sampleType.findIndex(({ unit }) => text(unit) === 'nanoseconds')
  const functions = new Map(profile.function.map(({ id, name }) => [Number(id), text(name)]))
  const locations = new Map(profile.location.map(({ id, line }) => [Number(id), line.map(({ functionId }) => functions.get(Number(functionId)) ?? '')]))
  return profile.sample.map(({ locationId, value }) => ({
    names: locationId.flatMap((id) => locations.get(Number(id)) ?? []).reverse(),
    ns: Number(value[wall])
  }))
}

/** @param {string} text ticks as 0x keeps them: stacks, the outermost first @returns {Sampled[]} */
function ofTicks (text) {
  const nameOf = ({ name }) => /^[~*^]?(\S*)/.exec(name)?.[1] ?? ''
  return JSON.parse(text).map((stack) => ({ names: stack.map(nameOf), ns: TICK_NS }))
}

/**
 * @typedef {object} Named
 * @property {number | null} inlinedShare of the time in which `outer` ran, `inner` was named; null: nothing was seen of it
 * @property {string} nativeLeaf what most of the time of `hashing` was told by
 * @property {number} nativeNs of the time that was told, what `hashing` took with all that it called
 */

/** @param {Sampled[]} sampled of a server that ran the programs `inlined` and `native` @returns {Named} */
function namedOf (sampled) {
  const total = (/** @type {Sampled[]} */ stacks) => stacks.reduce((sum, { ns }) => sum + ns, 0)
  const both = sampled.filter(({ names }) => names.includes('inner') || names.includes('outer'))
  const native = sampled.filter(({ names }) => names.includes('hashing'))
  /** @type {Map<string, number>} */
  const leaves = new Map()
  for (const { names, ns } of native) leaves.set(names[names.length - 1], (leaves.get(names[names.length - 1]) ?? 0) + ns)
  return {
    inlinedShare: both.length ? total(both.filter(({ names }) => names.includes('inner'))) / total(both) : null,
    nativeLeaf: [...leaves].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '',
    nativeNs: total(native)
  }
}

module.exports = { namedOf, ofCpuProfile, ofPprof, ofTicks }
