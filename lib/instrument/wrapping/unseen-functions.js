'use strict'

// Functions that stand in the place of others, run in a context of V8's of its own (src/addon/unseen.cc): whose functions no stack trace of the
// application's shows or counts. Nothing of Node is here, and nothing of this file's context may reach the application but these functions.

const { apply, defineProperty, setPrototypeOf } = Reflect

// Reflect.apply() with the arguments of a call costs 400 ns where the function is another context's: V8 knows it in its own only.
function pass (original, self, args) {
  switch (args.length) {
    case 0: return original.call(self)
    case 1: return original.call(self, args[0])
    case 2: return original.call(self, args[0], args[1])
    case 3: return original.call(self, args[0], args[1], args[2])
    case 4: return original.call(self, args[0], args[1], args[2], args[3])
    default: return apply(original, self, args)
  }
}

function told (value, tell) {
  tell(value)
  return value
}

/** @param {(holder: { method: any }) => any} dressed */
function around (dressed) {
  /** What `original` does, between `begin(this, first and second argument)` and what that returns, which is told whether it threw. */
  const within = (original, begin) => dressed({
    method () {
      const end = begin(this, arguments[0], arguments[1])
      if (end === undefined) return pass(original, this, arguments)
      let threw = true
      try {
        const result = pass(original, this, arguments)
        threw = false
        return result
      } finally {
        end(threw)
      }
    }
  })

  /** What `change` makes of what `original` returns. */
  const given = (original, change) => dressed({
    method () { return change(pass(original, this, arguments)) }
  })

  return { within, given }
}

/** @param {object} prototype what the application's functions inherit from */
module.exports = (prototype) => {
  // Methods: as what they stand for, they have no more properties than they are given (wrap.js).
  const dressed = (/** @type {{ method: any }} */ { method }) => setPrototypeOf(method, prototype) && method

  /** `tell(this, first, second and third argument)`, then what `original` does. */
  const before = (original, tell) => dressed({
    method () {
      tell(this, arguments[0], arguments[1], arguments[2])
      return pass(original, this, arguments)
    }
  })

  /** What `original` does, then `tell(this, result, first, second and third argument)`. */
  const after = (original, tell) => dressed({
    method () {
      const result = pass(original, this, arguments)
      tell(this, result, arguments[0], arguments[1], arguments[2])
      return result
    }
  })

  /** As after(), for response.end(), with `words[index]` cleared before. It is that of `holder` at each call. */
  const ending = (holder, words, index, tell) => dressed({
    method (chunk, encoding) {
      words[index] = 0
      const original = holder.end
      let result
      switch (arguments.length) { // As Express and Fastify call it.
        case 1: result = original.call(this, chunk); break
        case 2: result = original.call(this, chunk, encoding); break
        default: result = pass(original, this, arguments)
      }
      tell(this)
      return result
    }
  })

  /** For setTimeout() and its like: `tell()`, `made(timer)`, and `begin(timer)` before each callback. */
  const timing = (original, property, tell, made, begin) => dressed({
    method (callback) {
      tell()
      // What is no function is Node's to refuse.
      if (typeof callback === 'function') arguments[0] = timed(callback, property, begin)
      return told(pass(original, undefined, arguments), made)
    }
  })

  // While it runs, its timer holds the callback itself, by which it is named in stack traces.
  function timed (callback, property, begin) {
    const wrapper = dressed({
      method () {
        begin(this)
        const kept = this?.[property] === wrapper
        if (kept) this[property] = callback
        try {
          return pass(callback, this, arguments)
        } finally {
          if (kept && this[property] === callback) this[property] = wrapper
        }
      }
    })
    defineProperty(wrapper, 'name', { value: callback.name })
    return wrapper
  }

  return { before, after, ending, timing, ...around(dressed) }
}
