'use strict'

// Every command of README and of the tutorial is typed where edgewise is installed as a
// user installs it, beside the application that the tutorial gives.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { after, before, test } = require('node:test')
const edgewise = require('../../lib')
const { ROOT, blocks, commands, read } = require('./markdown')
const { startRegistry } = require('./registry')
const { REQUESTS, reader, type } = require('./run')

const TUTORIAL = 'docs/tutorial.md'
const OF_THE_CHECKOUT = /^npm (?:run )?([\w:-]+)/
const INSTALLS = /^npm install /

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-docs-'))
/** @type {{ url: string, close: () => void }} */
let registry

before(async () => { registry = await startRegistry(scratch) })
after(() => {
  registry.close()
  fs.rmSync(scratch, { recursive: true, force: true })
})

/** @param {string} name */
async function newReader (name) {
  const cwd = path.join(scratch, name)
  fs.mkdirSync(cwd)
  return reader(cwd, registry.url)
}

/** @param {string} cwd @param {import('./markdown').Block} block */
const save = (cwd, { saveAs, text }) => fs.writeFileSync(path.join(cwd, String(saveAs)), text)

/** @returns {import('./markdown').Block[]} the files that the tutorial has its reader save */
function savedByTutorial () {
  return blocks(read(TUTORIAL)).filter(({ saveAs }) => saveAs)
}

test('the commands of README do what they say', async (t) => {
  const here = await newReader('readme')
  save(here.cwd, savedByTutorial()[0])
  const scripts = JSON.parse(read('package.json')).scripts
  /** @type {Record<string, import('./run').Ended>} */
  const typed = {}
  for (const { text, line } of commands(read('README.md'))) {
    const own = !INSTALLS.test(text) && OF_THE_CHECKOUT.exec(text)
    await t.test(`README.md:${line}: ${text}`, async () => {
      if (own) assert.ok(own[1] in scripts && fs.existsSync(path.join(ROOT, scripts[own[1]])), `${text}: package.json has no such script`)
      else typed[text] = await type(text, here)
    })
  }
  assert.match(typed['npx edgewise report trace'].stdout, new RegExp(`^${REQUESTS} requests, `, 'm'))
  assert.match(typed['npx edgewise profile --url / -- node app.js'].stdout, /^(p99 requests|There is hardly a tail)/)

  await t.test('the package brings a manual page for each command', () => {
    const manual = path.join(here.cwd, 'node_modules/edgewise/man')
    for (const page of ['edgewise.1', 'edgewise-report.1']) assert.match(fs.readFileSync(path.join(manual, page), 'utf8'), /^\.TH EDGEWISE/)
  })
  await t.test('what README would say wrongly fails', async () => {
    await assert.rejects(type('npx edgewise profile --urll / -- node app.js', here), /unknown option '--urll'/)
    await assert.rejects(type('EDGEWISE_OUT=wrong node --require edgewise/registr app.js', here), /Cannot find module|is not defined by "exports"/)
    await assert.rejects(type('npx edgewise view nowhere', here), /nowhere does not exist/)
  })
})

test('the tutorial finds what makes its application slow, and that it is mended', async (t) => {
  const here = await newReader('tutorial')
  /** @type {import('./run').Ended[]} */
  const reports = []
  const files = savedByTutorial()
  assert.equal(files.length, 2)
  for (const { text, line } of commands(read(TUTORIAL))) {
    while (files.length > 0 && files[0].line < line) save(here.cwd, /** @type {import('./markdown').Block} */ (files.shift()))
    await t.test(`${TUTORIAL}:${line}: ${text}`, async () => {
      const ended = await type(text, here)
      if (/ report \w+ --route 'GET \/'/.test(text)) reports.push(ended)
    })
  }
  const [ill, mended] = reports.map(({ stdout }) => stdout)
  assert.match(ill, /behind\s+GET\s+\/report/)
  // A tail of two requests is a matter of chance: what was mended is in each report that is asked for.
  const [before, after] = ['before', 'after'].map((directory) => reportsP50(path.join(here.cwd, directory)))
  assert.ok(after < before / 2, `${before} ns, ${after} ns\n${ill}\n${mended}`)
})

/** @param {string} directory of a trace @returns {number} ns, the median of the requests for a report */
function reportsP50 (directory) {
  return edgewise.report(directory, {}).routes.find(({ route }) => route === 'GET /report').latency_ns.p50
}
