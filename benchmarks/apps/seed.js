'use strict'

// Data to fill applications with: the same on every machine and in every run.

const WORDS = ('river stone the of quick lantern market and silent garden window a north copper letter bridge ' +
  'under morning salt paper between harbor slow orchard with thread winter field to kitchen amber road').split(' ')

/**
 * A small generator of pseudo-random numbers (mulberry32).
 * @param {number} seed
 * @returns {() => number} uniform in [0, 1)
 */
function randomFrom (seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * @param {() => number} random
 * @param {number} count
 * @returns {string} that many words
 */
function words (random, count) {
  return Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')
}

/**
 * Lengths as documents have them: many short, few long.
 * @param {() => number} random
 * @param {number} shortest
 * @param {number} longest
 * @returns {number} log-uniform between the two
 */
function length (random, shortest, longest) {
  return Math.round(shortest * (longest / shortest) ** random())
}

/**
 * Calls an application that is being filled.
 * @param {string} url
 * @param {RequestInit} [options]
 * @returns {Promise<any>} its JSON answer, or the text when it is not JSON
 * @throws {Error} with the answer, when the status is not 2xx
 */
async function call (url, options) {
  const response = await fetch(url, options)
  const text = await response.text()
  if (!response.ok) throw new Error(`${options?.method ?? 'GET'} ${url}: ${response.status} ${text.slice(0, 500)}`)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Runs a task for each of a list, a few at a time.
 * @template T
 * @param {T[]} list
 * @param {(entry: T) => Promise<unknown>} task
 * @param {number} [atOnce]
 */
async function forEach (list, task, atOnce = 8) {
  const rest = list.values()
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (const entry of rest) await task(entry)
  }))
}

module.exports = { randomFrom, words, length, call, forEach }
