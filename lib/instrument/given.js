'use strict'

// What we leave on objects of the application's or of Node's is a private field of ours: no reflection, no log and no comparison shows it,
// a proxy does not see it pass, a frozen object takes it. A class gets its fields put on whatever its constructor returns:
//
//   class Seen extends Given { #time = now(); static timeOf (object) { return #time in object ? object.#time : 0 } }
//   new Seen(socket)
//
// For V8 such a field is one symbol more. It is as fast as an ordinary one (1276 instructions for an `await` in a recorded program instead of
// 1281, Node 20), where a v8::Private that an addon hands out is not (1509: optimised code does not know how it changes an object's class).

/** `new` of a class that extends this puts its fields on `object`, which has none of them yet. */
class Given {
  /** @param {any} object */
  constructor (object) {
    return object
  }
}

module.exports = { Given }
