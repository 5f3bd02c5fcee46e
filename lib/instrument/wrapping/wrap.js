'use strict'

const V8 = parseInt(process.versions.v8)

/**
 * Puts a function in the place of one that others can see.
 * @param {any[]} holders objects, of which each that has it now gets the other one
 * @param {string} name
 * @param {(original: any) => any} around gives the function that takes its place: of unseen.js
 * @returns {() => void} undoes it, where nobody has wrapped it again
 */
function wrap (holders, name, around) {
  const original = holders[0][name]
  if (typeof original !== 'function') throw new TypeError(`there is no function ${name}`)
  const wrapper = around(original)
  // Its name, its length and what util.promisify asks for.
  Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(original))
  const holding = holders.filter((holder) => holder[name] === original)
  for (const holder of holding) holder[name] = wrapper
  const renamed = nameInTraces(original, name)
  return () => {
    for (const holder of holding) {
      if (holder[name] === wrapper) holder[name] = original
    }
    if (renamed && holding.every((holder) => holder[name] === original)) Object.defineProperty(original, 'name', { value: '' })
  }
}

/**
 * Stack traces name a function that has no name by the property that holds it, which holds a wrapper now.
 * Before version 12 V8 remembers from its source where it was put.
 * @param {any} original
 * @param {string} name
 * @returns {boolean} whether it had no name
 */
function nameInTraces (original, name) {
  const own = Object.getOwnPropertyDescriptor(original, 'name')
  if (V8 < 12 || own?.value !== '' || !own.configurable) return false
  Object.defineProperty(original, 'name', { value: name })
  return true
}

/**
 * Puts functions before those that `prototype` inherits, in an object between
 * the two, so that none of them gets a property or loses one.
 * @param {any} prototype
 * @param {string[]} names
 * @param {(parent: any, name: string) => any} around gives the function that comes before `parent`'s
 * @returns {() => void} undoes it
 * @throws {TypeError} where the prototype is frozen
 */
function insert (prototype, names, around) {
  if (!Object.isExtensible(prototype)) throw new TypeError(`nothing can be put before the property ${names[0]} that a prototype inherits: it is frozen`)
  const parent = Object.getPrototypeOf(prototype)
  const between = Object.create(parent)
  for (const name of names) {
    const value = Object.defineProperties(around(parent, name), Object.getOwnPropertyDescriptors(parent[name]))
    Object.defineProperty(between, name, { value, writable: true, enumerable: true, configurable: true })
  }
  Object.setPrototypeOf(prototype, between)
  return () => {
    if (Object.getPrototypeOf(prototype) === between) Object.setPrototypeOf(prototype, parent)
  }
}

module.exports = { insert, wrap }
