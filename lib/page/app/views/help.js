'use strict'

const { useEffect, useRef } = require('preact/hooks')
const { html } = require('../kit/html')

const KEYS = [
  ['n, p', 'the next, the previous of the slowest requests that are told step by step'],
  ['Esc', 'back to the tail'],
  ['W, S', 'look closer at the loop, and from farther away'],
  ['A, D', 'earlier, later'],
  ['/', 'search: marks boxes, and keeps the rows of tables that have it'],
  ['?', 'these keys']
]

/** @param {{ onClose: () => void }} props */
function Help ({ onClose }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null))
  useEffect(() => { dialog.current?.showModal() }, [])
  return html`
    <dialog ref=${dialog} onClose=${onClose} aria-label="Keys">
      <table><tbody>${KEYS.map(([key, text]) => html`<tr><th scope="row"><kbd>${key}</kbd></th><td>${text}</td></tr>`)}</tbody></table>
      <form method="dialog"><button>Close</button></form>
    </dialog>`
}

module.exports = { Help }
