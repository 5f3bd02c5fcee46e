'use strict'

// Meets frameworks where their files are run, required or imported; what was
// required before recording, in the cache of modules. ES modules are met from
// Node 22.15 on, which can be asked about each that it loads: a line at the end
// of the framework's file hands over what it exports.

const Module = /** @type {any} */ (require('node:module'))
const { pathToFileURL, fileURLToPath } = require('node:url')
const { say } = require('../say')
const { unseen } = require('./unseen')
const { wrap } = require('./wrap')

/**
 * @typedef {object} Met a framework, or a part of one
 * @property {string} name
 * @property {RegExp} [file] what the path of its file matches
 * @property {(exported: any) => boolean} [is] else: what it exports
 * @property {(exported: any) => void} meet is given what a copy of it exports, once; throws where this is not as known
 * @property {string[]} [functions] that meet() puts others in the place of: exported functions, by their own names
 * @property {() => () => void} [instrument] for what no file tells: called when recording begins, returns what undoes it
 */

/** @type {WeakSet<object>} what was exported by those that have been met */
const met = new WeakSet()
/** @type {Met[]} */
let wanted = []

/**
 * @param {Met[]} frameworks
 * @returns {() => void} undoes it
 */
function meetModules (frameworks) {
  wanted = frameworks
  for (const module of Object.values(Module._cache)) meetRequired(module)
  const undo = wrap([Module.prototype], 'load', (load) => unseen().after(load, meetRequired))
  const hooks = Module.registerHooks?.({ load: loadEsModule })
  return () => {
    hooks?.deregister()
    undo()
  }
}

function meetRequired (/** @type {any} */ module) {
  try {
    const { exports: exported, filename } = module // Of no module, when somebody has put something else into the cache.
    for (const framework of wanted) {
      if (framework.file ? framework.file.test(filename) : framework.is?.(exported)) meet(framework, exported)
    }
  } catch { /* A proxy or an accessor that throws is no framework, and its module loads as ever. */ }
}

function meet (/** @type {Met} */ framework, /** @type {any} */ exported) {
  if (met.has(exported)) return
  met.add(exported)
  try {
    framework.meet(exported)
  } catch (error) {
    say(`this version of ${framework.name} is not known (${error.message}): its requests go by their paths`)
  }
}

function loadEsModule (/** @type {string} */ url, /** @type {any} */ context, /** @type {any} */ nextLoad) {
  const loaded = nextLoad(url, context)
  if (loaded.format !== 'module' || !loaded.source || !wanted.some((framework) => isFileOf(framework, url))) return loaded
  const text = typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source).toString()
  const from = (/** @type {string} */ what, /** @type {string} */ where) => `import ${what} from ${JSON.stringify(where)}`
  const replaced = wanted.find((framework) => isFileOf(framework, url))?.functions ?? []
  // What is imported cannot be written to from outside, but a function's own file can.
  const handing = [
    from('edgewiseModules', pathToFileURL(__filename).href),
    from('* as edgewiseExported', url),
    `edgewiseModules.meetEsModule(${JSON.stringify(url)}, edgewiseExported, { ${replaced.map((name) => `set ${name} (value) { ${name} = value }, get ${name} () { return ${name} }`).join(', ')} })`
  ]
  return { ...loaded, source: `${text}\n;${handing.join(';')}\n` }
}

function isFileOf (/** @type {Met} */ { file }, /** @type {string} */ url) {
  return file !== undefined && url.startsWith('file:') && file.test(fileURLToPath(url))
}

/** Called by the line at the end of a framework's file. `own` are those of its functions that can be replaced. */
function meetEsModule (/** @type {string} */ url, /** @type {any} */ exported, /** @type {any} */ own) {
  for (const framework of wanted) if (isFileOf(framework, url)) meet(framework, framework.functions ? own : exported)
}

module.exports = { meetModules, meetEsModule }
