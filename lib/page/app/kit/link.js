'use strict'

// What of the page an address says: #t=FROM-TO&l=LEAST-MOST&route=N&r=ROW&w=FROM-TO, ns.

/** @typedef {import('../data/requests').Selection & { request?: number, window?: { from: number, to: number } }} View window: of the loop */

/** @param {string} hash @returns {View} what cannot be read is left out */
function viewOf (hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ''))
  const number = (/** @type {string} */ text) => /^\d+$/.test(text) ? Number(text) : undefined
  const range = (/** @type {string} */ name) => (given.get(name) ?? '').split('-').map(number)
  const [from, to] = range('t')
  const [least, most] = range('l')
  const [begin, end] = range('w')
  const window = begin !== undefined && end !== undefined && begin < end ? { from: begin, to: end } : undefined
  const view = { from, to, least, most, route: number(given.get('route') ?? ''), request: number(given.get('r') ?? ''), window }
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined))
}

/** @param {View} view @returns {string} */
function hashOf ({ from, to, least, most, route, request, window }) {
  const given = new URLSearchParams()
  const range = (/** @type {string} */ name, /** @type {number | undefined} */ low, /** @type {number | undefined} */ high) => {
    if (low !== undefined || high !== undefined) given.set(name, `${low === undefined ? '' : Math.floor(low)}-${high === undefined ? '' : Math.ceil(high)}`)
  }
  range('t', from, to)
  range('l', least, most)
  if (route !== undefined) given.set('route', String(route))
  if (request !== undefined) given.set('r', String(request))
  if (window !== undefined) range('w', window.from, window.to)
  return `#${given}`
}

module.exports = { hashOf, viewOf }
