'use strict'

/**
 * What follows the first block of a process, in which tracking was never on.
 * Each block comes right after a switch, which throws compiled code away; the
 * two states have the same middle, so that what drifts hits both alike.
 * @type {('on' | 'off')[]}
 */
const ORDER = ['on', 'off', 'on', 'off', 'on']

module.exports = { ORDER }
