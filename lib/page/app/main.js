'use strict'

// Unpacks what the page's file holds, and shows it.

const { render } = require('preact')
const { html } = require('./kit/html')
const { readColumns } = require('./data/columns')
const { Page } = require('./page')
const { useAsked } = require('./sources/asked')
const { useHeld } = require('./sources/held')

/** @param {string} id of a template @returns {Promise<Uint8Array>} what it holds, unpacked */
async function unpacked (id) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(id))
  const text = atob((template.content.textContent ?? '').trim())
  const packed = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i)
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

async function open () {
  const root = /** @type {HTMLElement} */ (document.getElementById('page'))
  if (typeof DecompressionStream === 'undefined') return // The page says what it needs.
  try {
    const [columns, told] = await Promise.all([unpacked('edgewise-columns').then(readColumns), unpacked('edgewise-told').then((bytes) => JSON.parse(new TextDecoder().decode(bytes)))])
    const source = root.hasAttribute('data-asks') ? useAsked : useHeld
    root.textContent = ''
    render(html`<${Page} columns=${columns} told=${told} useSource=${source} />`, root)
    requestAnimationFrame(() => setTimeout(() => performance.mark('shown')))
  } catch (error) {
    root.textContent = `This page cannot be shown: ${/** @type {Error} */ (error).message}`
  }
}

open()
