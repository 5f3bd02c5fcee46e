'use strict'

const { useLayoutEffect } = require('preact/hooks')

const MOVES = /** @type {Record<string, [number, number]>} */ ({ w: [0.25, -0.25], s: [-0.5, 0.5], a: [-0.25, -0.25], d: [0.25, 0.25] })

/**
 * What the keyboard does, as views/help tells it. A key finds what the key before it showed,
 * so what hears it changes with the page and not after it is painted.
 * @param {object} page
 * @param {import('./kit/link').View} page.view
 * @param {(view: import('./kit/link').View) => void} page.go
 * @param {(row: number) => void} page.open
 * @param {{ from: number, to: number }} page.window of the loop
 * @param {(window: { from: number, to: number }) => { from: number, to: number }} page.within
 * @param {number[]} page.told rows of the slowest, slowest first
 * @param {() => void} page.onHelp
 */
function onKey (page) {
  useLayoutEffect(() => {
    const heard = (/** @type {KeyboardEvent} */ event) => pressed(event, page)
    addEventListener('keydown', heard)
    return () => removeEventListener('keydown', heard)
  })
}

/** @param {KeyboardEvent} event @param {Parameters<typeof onKey>[0]} page */
function pressed (event, { view, go, open, window, within, told, onHelp }) {
  const target = /** @type {HTMLElement} */ (event.target)
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
  if (/^(input|select|textarea)$/i.test(target.tagName)) {
    if (event.key === 'Escape') target.blur()
    return
  }
  if (event.key === 'Escape') return go({ route: view.route })
  if (event.key === '?') return onHelp()
  if (event.key === '/') {
    event.preventDefault()
    return document.getElementById('search')?.focus()
  }
  const move = MOVES[event.key.toLowerCase()]
  if (move) {
    const length = window.to - window.from
    return go({ ...view, window: within({ from: window.from + move[0] * length, to: window.to + move[1] * length }) })
  }
  const step = { n: 1, p: -1 }[/** @type {'n'} */ (event.key)]
  if (step === undefined || told.length === 0) return
  const at = told.indexOf(Number(view.request))
  open(told[at === -1 ? 0 : Math.min(told.length - 1, Math.max(0, at + step))])
}

module.exports = { onKey }
