'use strict'

// What we leave on objects of the application's or of Node's is a private field of ours: no reflection, no log and no comparison shows it,
// a proxy does not see it pass, a frozen object takes it. A class gets its fields put on whatever its constructor returns:
//
//   class Seen extends Given { #time = now(); static timeOf (object) { return #time in object ? object.#time : 0 } }
//   new Seen(socket)
//
// For V8 such a field is one symbol more. An `await` whose three promises are stamped takes 1276 instructions, and 1281 with an ordinary symbol
// (Node 20); 1360 and 1256 in Node 24, where V8 itself differs by 50 with what it has compiled. With a v8::Private that an addon hands out it is
// 1509 and 1582: optimised code does not know how that changes an object's class.

/** `new` of a class that extends this puts its fields on `object`, which has none of them yet. */
class Given {
  /** @param {any} object */
  constructor (object) {
    return object
  }
}

module.exports = { Given }
