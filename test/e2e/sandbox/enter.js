'use strict'

// node --require: enters the sandbox of refuse.c, after Node itself has begun
// and before edgewise does; later, where REFUSED_LATER is set, at the first
// request of http.js for /sandbox.

function enter () {
  try {
    process.dlopen(/** @type {any} */ ({ exports: {} }), process.env.REFUSE_LIBRARY)
  } catch (error) {
    if (!/register/.test(error.message)) throw error // It is no addon, and has done its work.
  }
}

if (process.env.REFUSED_LATER) /** @type {any} */ (globalThis).enterSandbox = enter
else enter()
