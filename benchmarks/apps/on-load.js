'use strict'

// For what is preloaded into an application to change one of its modules.

const Module = require('node:module')

/**
 * @param {RegExp} file the module's path
 * @param {(module: { exports: any }) => void} change called once it has been loaded
 */
function onLoad (file, change) {
  /** @type {any} Node's own, which its types leave out */
  const prototype = Module.prototype
  const load = prototype.load
  prototype.load = function (path) {
    load.call(this, path)
    if (file.test(path)) change(this)
  }
}

module.exports = { onLoad }
