'use strict'

/**
 * Puts a function in the place of one that others can see.
 * @param {any[]} holders objects, of which each that has it now gets the other one
 * @param {string} name
 * @param {(original: any) => any} around gives the function that takes its place
 * @returns {() => void} undoes it, where nobody has wrapped it again
 */
function wrap (holders, name, around) {
  const original = holders[0][name]
  const wrapper = around(original)
  // Its name, its length and what util.promisify asks for.
  Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(original))
  const holding = holders.filter((holder) => holder[name] === original)
  for (const holder of holding) holder[name] = wrapper
  return () => {
    for (const holder of holding) {
      if (holder[name] === wrapper) holder[name] = original
    }
  }
}

module.exports = { wrap }
