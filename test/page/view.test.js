'use strict'

// The page that asks: edgewise view, in a browser.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { after, before, test } = require('node:test')
const { report } = require('../../lib')
const { readColumns } = require('../../lib/page/app/data/columns')
const { ROOT } = require('../e2e/recorded-app')
const { launchChromium, opened, texts } = require('./browsers')
const { recordSpins, twoClicks } = require('./spins')

const SPINS = 10

/** @type {import('puppeteer-core').Browser} */
let browser
before(async () => { browser = await launchChromium() })
after(() => browser?.close())
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-view-'))
after(() => fs.rmSync(directory, { recursive: true, force: true }))
const out = path.join(directory, 'trace')

/** @param {import('node:test').TestContext} t @param {string[]} args */
async function viewed (t, ...args) {
  if (!fs.existsSync(out)) await recordSpins(t, out, SPINS)
  const child = spawn(process.execPath, [path.join(ROOT, 'bin/edgewise.js'), 'view', out, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const stderr = (async () => {
    let text = ''
    for await (const chunk of child.stderr) text += chunk
    return text
  })()
  const [chunk] = await Promise.race([once(child.stdout, 'data'), once(child.stdout, 'end')])
  return { child, stderr, address: String(chunk ?? '').trim() }
}

test('any request and any window are told, by the server alone', async (t) => {
  const { child, address } = await viewed(t, '--percentile', '80')
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/)
  const { page, heard } = await opened(t, browser, address)
  await page.waitForSelector('.requests tbody button')
  await twoClicks(page)
  assert.match((await texts(page, '.waterfall'))[0], /behind GET \/spin/)
  // Each has a button: its path is told, too.
  const rows = await texts(page, '.requests tbody tr')
  assert.equal((await page.$$('.requests tbody button')).length, rows.length)
  await page.waitForFunction(() => /GET \/spin tcp_read/.test(document.querySelector('section[aria-label="The loop"] tbody')?.textContent ?? ''))
  // All of the recording at once.
  const [{ to_ns: span }] = (await columnsOf(`${address}window?from=0&to=999999999999999`)).head.windows
  await page.evaluate((/** @type {number} */ to) => { location.hash = `#w=0-${to}` }, span)
  await page.waitForFunction((/** @type {number} */ spins) => [...document.querySelectorAll('section[aria-label="The loop"] tbody tr')].filter(({ textContent }) => textContent?.startsWith('GET /spin tcp_read')).length >= spins, {}, SPINS)
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => !document.querySelector('.waterfall') && !document.querySelector('[aria-busy=true]'))
  await page.keyboard.press('n')
  await page.waitForSelector('.waterfall')
  assert.deepEqual(heard, [])
  // Its address names the request, and leads to it again.
  const hash = await page.evaluate(() => location.hash)
  const title = await texts(page, '.waterfall h2')
  const { page: again } = await opened(t, browser, address, { hash })
  await again.waitForSelector('.waterfall')
  assert.deepEqual(await texts(again, '.waterfall h2'), title)
  // Without its server it says what to do.
  child.kill('SIGINT')
  assert.deepEqual(await once(child, 'exit'), [0, null])
  await again.keyboard.press('n')
  await again.keyboard.press('n')
  await again.waitForFunction(() => document.querySelector('.loss')?.textContent?.includes('call edgewise view again'))
})

/** @param {string} address */
const columnsOf = async (address) => readColumns(new Uint8Array(await (await fetch(address)).arrayBuffer()))

test('what it answers is what the report says', async (t) => {
  const { child, address } = await viewed(t)
  const told = report(out, { slowest: 1000 }).slowest
  const { tables: { requests } } = await columnsOf(`${address}requests?count=1000`)
  const latencies = [...requests.io].map((io, i) => io + requests.queue[i] + requests.exec[i])
  assert.deepEqual(latencies, told.map((/** @type {any} */ { latency_ns: ns }) => ns))
  const { tables: one } = await columnsOf(`${address}request?number=${requests.number[0]}`)
  const sum = (/** @type {Float64Array} */ of) => of.reduce((all, ns) => all + ns, 0)
  // What is too small to be seen is told in sums, and the sums are as much.
  const slices = async (/** @type {number} */ least) => (await columnsOf(`${address}window?from=0&to=999999999999999&least=${least}`)).tables.slices
  const [all, few] = [await slices(1), await slices(1e8)]
  assert.ok(few.count.length < all.count.length / 2)
  assert.ok(few.count.some((count) => count > 1))
  assert.equal(sum(few.busy), sum(all.busy))
  assert.equal(sum(one.steps.io) + sum(one.steps.queue) + sum(one.steps.exec), told[0].latency_ns)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('only who has the address is answered, and nothing is left behind', async (t) => {
  const { child, address, stderr } = await viewed(t)
  const { port, origin, pathname } = new URL(address)
  const status = async (/** @type {string} */ url, options = {}) => (await fetch(url, options)).status
  assert.equal(await status(`${origin}/`), 404)
  assert.equal(await status(`${origin}/${'x'.repeat(22)}/`), 404)
  assert.equal(await status(`${address}nothing`), 404)
  assert.equal(await status(`${address}request?number=100000`), 404)
  assert.equal(await status(address, { method: 'POST' }), 405)
  const refused = await fetch(`${address}requests?count=some`)
  assert.deepEqual([refused.status, await refused.text()], [400, 'count=some: must be a whole number\n'])
  assert.equal(await status(`${address}requests?other=1`), 400)
  assert.equal(await status(`${address}requests?from=999999999999999&count=0`), 200)
  // A site whose name leads here.
  const foreign = http.get({ port, host: '127.0.0.1', path: pathname, headers: { Host: 'example.test' } })
  const [response] = await once(foreign, 'response')
  response.resume()
  assert.equal(response.statusCode, 403)
  const other = spawn(process.execPath, [path.join(ROOT, 'bin/edgewise.js'), 'view', out, '--port', port], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  other.stderr.on('data', (chunk) => { said += chunk })
  assert.deepEqual(await once(other, 'close'), [1, null])
  assert.match(said, new RegExp(`--port ${port} is in use: choose another`))
  const files = fs.readdirSync(out)
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.match(await stderr, /Ctrl-C ends it/)
  assert.deepEqual(fs.readdirSync(out), files)
  assert.ok(files.every((name) => !name.includes('edgewise-')), files.join())
})
