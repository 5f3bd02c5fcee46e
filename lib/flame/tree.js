'use strict'

const { labelOf } = require('./label')

/**
 * Frames that follow the same path, merged: a function is one, whatever line it
 * was at.
 * @typedef {object} Box
 * @property {string} label
 * @property {import('./fold').Frame['kind']} kind
 * @property {number} ns with all that it calls
 * @property {number} rest
 * @property {Box[]} children by name
 */

/** @param {import('./fold').Folded[]} folded @returns {Box} */
function treeOf (folded) {
  const root = boxOf('all', 'none')
  for (const { frames, ns, rest } of folded) {
    let at = add(root, ns, rest)
    for (const frame of frames) at = add(childOf(at, frame), ns, rest)
  }
  return sorted(root)
}

const boxOf = (/** @type {string} */ label, /** @type {import('./fold').Frame['kind']} */ kind) =>
  ({ label, kind, ns: 0, rest: 0, byKey: /** @type {Map<string, any>} */ (new Map()) })

function add (/** @type {any} */ box, /** @type {number} */ ns, /** @type {number} */ rest) {
  box.ns += ns
  box.rest += rest
  return box
}

function childOf (/** @type {any} */ box, /** @type {import('./fold').Frame} */ frame) {
  const named = frame.name !== '(anonymous)'
  const key = JSON.stringify([frame.name, frame.script, frame.package, named ? 0 : frame.line])
  if (!box.byKey.has(key)) box.byKey.set(key, boxOf(labelOf(frame), frame.kind))
  return box.byKey.get(key)
}

/** @param {any} box @returns {Box} */
function sorted ({ label, kind, ns, rest, byKey }) {
  const children = [...byKey.values()].map(sorted).sort((a, b) => a.label < b.label ? -1 : 1)
  return { label, kind, ns, rest, children }
}

module.exports = { treeOf }
