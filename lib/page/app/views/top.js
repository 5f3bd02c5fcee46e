'use strict'

const { useEffect, useState } = require('preact/hooks')
const { html } = require('../kit/html')

const SCHEMES = ['as the system', 'light', 'dark']

/**
 * The finding, what was recorded, what is missing.
 * @param {object} props
 * @param {Record<string, any>} props.told
 * @param {string[]} props.limits of this file
 * @param {string} props.sought
 * @param {(text: string) => void} props.onSeek
 * @param {() => void} props.onHelp
 */
function Top ({ told, limits, sought, onSeek, onHelp }) {
  const [scheme, setScheme] = useState(0)
  useEffect(() => { document.documentElement.dataset.scheme = SCHEMES[scheme] }, [scheme])
  return html`
    <header>
      <nav>
        <input id="search" type="search" aria-label="Search" placeholder="Search (/)" value=${sought} onInput=${(/** @type {any} */ event) => onSeek(event.target.value)} />
        <button onClick=${() => setScheme((scheme + 1) % SCHEMES.length)}>Colours: ${SCHEMES[scheme]}</button>
        <button onClick=${onHelp}>Keys (?)</button>
      </nav>
      <h1>${told.finding}</h1>
      <p>${told.recorded}</p>
      ${[...told.losses, ...limits].map((/** @type {string} */ note) => html`<p class="loss">${note}</p>`)}
      <p class="next">Next: ${told.next}.</p>
      <details><summary>How to read it</summary>${told.notes.map((/** @type {string} */ note) => html`<p class="note">${note}</p>`)}</details>
    </header>`
}

module.exports = { Top }
