'use strict'

// How the addons of one target are compiled and linked, as ninja reads it.

const path = require('node:path')
const { ROOT, walk } = require('../tree')

/** What does not depend on Node, and what is made of which of it. */
const CORE = ['platform', 'trace', 'boost', 'recorder', 'parquet', 'analysis', 'compare', 'across', 'handover', 'live', 'whatif', 'poke']
const RECORDER = ['platform', 'trace', 'boost', 'recorder']
const REPORTER = ['platform', 'trace', 'parquet', 'analysis', 'compare', 'across', 'handover', 'live', 'whatif']
const BOOSTD = ['platform', 'trace', 'boost']
const POKER = ['platform', 'poke']
/** Where speed is nothing: compiled for size. */
const COLD = ['handover', 'live', 'poke', 'reporting', 'boostd', 'poker']
const FLAGS = [
  '-std=c++20', '-O2', '-fPIC', '-fvisibility=hidden', '-fno-exceptions', '-fno-omit-frame-pointer', '-fno-asynchronous-unwind-tables',
  '-ffunction-sections', '-fdata-sections', '-DNDEBUG', '-Wno-deprecated-declarations', '-D_FILE_OFFSET_BITS=64',
  '-D_LARGEFILE64_SOURCE' // off64_t with musl, for Abseil
]
const NODE_FLAGS = [
  '-DBUILDING_NODE_EXTENSION', '-DNODE_GYP_MODULE_NAME=edgewise', '-DNODE_ADDON_API_DISABLE_CPP_EXCEPTIONS',
  '-DNODE_ADDON_API_DISABLE_DEPRECATED', '-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS'
]
const LINK = '-Wl,--gc-sections -s'
/** Of Abseil: what nobody links, and what only its own tests do. */
const NOT_OURS = /_test\.|_test_|test_util|_testing|benchmark|mock|\/flags\/|\/random\/|print_hash_of|gentables|exception_safety|scoped_set_env/

/**
 * @param {import('./targets').Target} target
 * @param {import('./tools').Tools} tools
 * @param {{ abi: string, include: string }[]} nodes
 * @param {Record<string, string>} units of each part of src/, the file that is compiled
 * @returns {string} a ninja file whose products are node-vABI/edgewise.node, edgewise-report.node, edgewise-boostd, edgewise-poker and edgewise-load
 */
function ninjaFile (target, { compiler, abseil, include }, nodes, units) {
  const cxx = `${compiler} c++ -target ${target.triple}`
  const lines = [
    `rule cc\n  command = ${cxx} $flags -MD -MF $out.d -c $in -o $out\n  depfile = $out.d\n  deps = gcc`,
    `rule addon\n  command = ${cxx} -shared -Wl,-z,nodelete ${LINK} -o $out $in`,
    `rule program\n  command = ${cxx} ${LINK} -o $out $in`
  ]
  const common = [...FLAGS, `-I${path.join(ROOT, 'src')}`, `-isystem ${include}`, `-isystem ${abseil}`]
  const compiled = (/** @type {string[]} */ files, /** @type {string} */ base, /** @type {string} */ prefix, flags = common) => files.map((file) => {
    const object = path.join(prefix, `${path.relative(base, file)}.o`)
    lines.push(`build ${object}: cc ${file}\n  flags = ${flags.join(' ')}`)
    return object
  })
  const small = (/** @type {string[]} */ flags) => flags.map((flag) => flag === '-O2' ? '-Os' : flag)
  const ours = (/** @type {string[]} */ parts, /** @type {string} */ prefix, flags = common) =>
    parts.flatMap((part) => compiled([units[part]], '', prefix, COLD.includes(part) ? small(flags) : flags))
  const core = new Map(CORE.map((part) => [part, ours([part], 'core')]))
  const library = compiled(abseilSources(abseil), abseil, 'abseil', small(common))
  const linked = (/** @type {string} */ product, /** @type {string} */ rule, /** @type {string[]} */ own, /** @type {string[]} */ parts) => {
    lines.push(`build ${product}: ${rule} ${[...own, ...parts.flatMap((part) => core.get(part)), ...library].join(' ')}`)
  }
  const nodeFlags = (/** @type {string} */ headers) => [...common, ...NODE_FLAGS, `-isystem ${path.join(ROOT, 'node_modules', 'node-addon-api')}`, `-isystem ${headers}`]
  for (const { abi, include: headers } of nodes) {
    linked(`node-v${abi}/edgewise.node`, 'addon', ours(['hooks', 'addon'], `node-v${abi}`, nodeFlags(headers)), RECORDER)
  }
  linked('edgewise-report.node', 'addon', ours(['reporting'], 'core', nodeFlags(nodes[0].include)), REPORTER)
  linked('edgewise-boostd', 'program', ours(['boostd'], 'core'), BOOSTD)
  linked('edgewise-poker', 'program', ours(['poker'], 'core'), POKER)
  const generator = path.join(ROOT, 'benchmarks')
  const load = compiled(filesIn(path.join(generator, 'load')), generator, 'load', [...common, '-fexceptions', `-I${generator}`])
  lines.push(`build edgewise-load: program ${[...load, ...library].join(' ')}`)
  return `${lines.join('\n')}\n`
}

const filesIn = (/** @type {string} */ directory) => [...walk([directory])].map(({ file }) => file).filter((file) => file.endsWith('.cc'))

const abseilSources = (/** @type {string} */ abseil) => filesIn(path.join(abseil, 'absl')).filter((file) => !NOT_OURS.test(file))

module.exports = { ninjaFile }
