'use strict'

/**
 * Names in a trace come from requests: none is markup of whoever reads it.
 * @template T
 * @param {T} value anything from JSON
 * @returns {T} with every character written out that Markdown or HTML would take for its own; keys stay
 */
function escaped (value) {
  if (typeof value === 'string') return /** @type {any} */ (value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/[\\`*[\]|~]/g, '\\$&').replace(/@/g, '&#64;'))
  if (Array.isArray(value)) return /** @type {any} */ (value.map(escaped))
  if (value === null || typeof value !== 'object') return value
  return /** @type {any} */ (Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escaped(inner)])))
}

module.exports = { escaped }
