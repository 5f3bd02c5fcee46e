'use strict'

// On and off in a process whose modules and classes others have changed.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')

const LIB = path.join(__dirname, '../../lib')

/** @param {any} t @param {string} source of a script with `edgewise` and `native` @returns {any} what it returns */
function run (t, source) {
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-recording-'))
  t.after(() => fs.rmSync(cwd, { recursive: true, force: true }))
  const script = `
    const edgewise = require(${JSON.stringify(LIB)})
    const native = require(${JSON.stringify(path.join(LIB, 'native/binding'))}).load()
    console.log(JSON.stringify((() => { ${source} })()))`
  return JSON.parse(execFileSync(process.execPath, ['-e', script], { cwd, encoding: 'utf8', timeout: 30_000 }))
}

test('a module that was taken from the cache by setting it to undefined', (t) => {
  const recording = run(t, `
    require.cache['/gone.js'] = undefined
    edgewise.start({ out: 'trace' })
    return edgewise.status().recording`)
  assert.equal(recording, true)
})

test('what cannot be instrumented is not recorded', (t) => {
  const { message, stats } = run(t, `
    Object.freeze(require('node:http').ServerResponse.prototype)
    try {
      edgewise.start({ out: 'trace' })
    } catch ({ message }) {
      return { message, stats: native.stats() }
    }`)
  assert.match(message, /property end/)
  assert.equal(stats, null, 'the native recorder is off as well')
})

// Two containers, each with a process 1, may begin to record in one directory.
test('a trace gets a file of its own: another process may have taken the name in between', (t) => {
  const { own, taken } = run(t, `
    const fs = require('node:fs')
    const name = \`trace/\${process.pid}-0\`
    fs.mkdirSync('trace')
    fs.symlinkSync('elsewhere', name + '.ewt') // For who looks only, nothing is there.
    const file = edgewise.start({ out: 'trace' })
    edgewise.stop()
    return { own: fs.statSync(name + '.1.ewt').size > 0, taken: fs.existsSync('trace/elsewhere') }`)
  assert.deepEqual({ own, taken }, { own: true, taken: false })
})

test('a recording that does not begin leaves no file', (t) => {
  const { message, files } = run(t, `
    native.start = () => { throw new Error('no thread') }
    try {
      edgewise.start({ out: 'trace' })
    } catch ({ message }) {
      return { message, files: require('node:fs').readdirSync('trace') }
    }`)
  assert.deepEqual({ message, files }, { message: 'no thread', files: [] })
})

test("Fastify's plugins see in a handler what the application has put there", (t) => {
  const seen = run(t, `
    const app = require(${JSON.stringify(require.resolve('fastify'))})()
    let seen
    app.addHook('onRoute', ({ handler }) => {
      seen = [handler.name, handler.length, handler.constructor.name, handler.permission]
    })
    app.get('/', Object.assign(async function hello (request, reply) {}, { permission: 'any' }))
    return seen`)
  assert.deepEqual(seen, ['hello', 2, 'AsyncFunction', 'any'])
})
