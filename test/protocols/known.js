'use strict'

// What is told wrongly today, and why. Those cells run and are shown, and fail nothing. The table is to become empty.

/** @type {{ cell: RegExp, wrong: ('times' | 'names' | 'whose')[], why: string }[]} the first that fits holds; a cell is `PROTOCOL CONNECTION LOOP` */
const KNOWN = [
  {
    cell: /^undici kept /,
    wrong: ['times', 'whose'],
    why: 'undici holds a question back until an immediate that the answer before it has set: which function put it there, stock Node does not show'
  },
  {
    cell: /^dns /,
    wrong: ['names'],
    why: 'what a resolver asks is recorded as an event of the type dns, without the name server and the type of the question'
  }
]

/** @param {string} cell @returns {{ wrong: string[], why: string } | undefined} */
function knownOf (cell) {
  return KNOWN.find((each) => each.cell.test(cell))
}

module.exports = { knownOf }
