'use strict'

// The page of a trace of known truth, in a browser, opened from disk.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { spawnSync } = require('node:child_process')
const { after, before, test } = require('node:test')
const { pathToFileURL } = require('node:url')
const { report } = require('../../lib')
const { pageOf } = require('../../lib/page')
const { timedTest } = require('../e2e/attempts')
const { ROOT, request, startServer, temporaryDirectory } = require('../e2e/recorded-app')
const { recorded } = require('../lib/page-kit')
const { launchChromium, launchFirefox, opened, texts } = require('./browsers')
const { recordSpins, twoClicks } = require('./spins')

const SPINS = 10
const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** @type {import('puppeteer-core').Browser} */
let browser
before(async () => { browser = await launchChromium() })
after(() => browser?.close())
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'edgewise-page-'))
after(() => fs.rmSync(directory, { recursive: true, force: true }))

/** @type {{ out: string, file: string } | undefined} */
let trace
/** @returns {Promise<{ out: string, file: string }>} */
async function spun (t) {
  if (trace) return trace
  const place = fs.mkdtempSync(path.join(directory, 'spun-'))
  const out = path.join(place, 'trace')
  await recordSpins(t, out, SPINS)
  const file = path.join(place, 'report.html')
  const { status, stderr } = cli('report', out, '--percentile', '80', '--html', file)
  assert.equal(status, 0, stderr)
  assert.equal(stderr.trim().split('\n').at(-1), `edgewise: page: ${pathToFileURL(file).href}`)
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  trace = { out, file }
  return trace
}

/** What is slow by itself on a busy machine is among the slowest: another trace. */
const spinsTest = (/** @type {string} */ name, /** @type {(t: any) => Promise<void>} */ run) => timedTest(name, run, (attempt) => {
  trace = undefined
  return attempt < 4
})

const cli = (/** @type {string[]} */ ...args) => spawnSync(process.execPath, [path.join(ROOT, 'bin/edgewise.js'), ...args], { encoding: 'utf8' })

spinsTest('from the heat map to the blocked request and its blocker', async (t) => {
  const { out, file } = await spun(t)
  const told = report(out, { percentile: 80 })
  const { page, heard } = await opened(t, browser, pathToFileURL(file).href)
  assert.match((await texts(page, '.compare caption'))[0], new RegExp(`^The p80 tail \\(${told.tail.count}\\) against the rest \\(${told.rest.count}\\)`))
  await twoClicks(page)
  const count = Number(/\((\d+)\) against/.exec((await texts(page, '.compare caption'))[0])?.[1])
  assert.ok(count >= SPINS && count <= 4 * SPINS, String(count))
  assert.match((await texts(page, '.compare tbody tr')).slice(0, 2).join('\n'), /^queued behind GET \/spin tcp_read\d.*\+/m)
  assert.match((await texts(page, '.differences tbody tr')).join('\n'), /queued most behindGET \/spin tcp_read/)
  assert.match((await texts(page, '.waterfall'))[0], /behind GET \/spin/)
  assert.match((await texts(page, '.flame button')).join('\n'), /behind GET \/spin tcp_read/)
  // Its loop ran the spinning meanwhile.
  assert.match((await texts(page, 'section[aria-label="The loop"] tbody tr')).join('\n'), /^GET \/spin tcp_read/m)
  assert.deepEqual(heard, [])
})

test('the sums of a selection are those of the requests', async (t) => {
  const { out, file } = await spun(t)
  const list = path.join(temporaryDirectory(t), 'requests.jsonl')
  assert.equal(cli('report', out, '--requests', list).status, 0)
  const requests = fs.readFileSync(list, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  const slow = requests.filter(({ latency_ns: ns }) => ns >= 10e6)
  const { page } = await opened(t, browser, pathToFileURL(file).href, { hash: '#l=10000000-' })
  const sum = (/** @type {string} */ name) => slow.reduce((all, one) => all + one[name], 0)
  await page.waitForFunction((/** @type {number} */ count) => document.querySelector('.compare caption')?.textContent?.includes(`(${count}) against`), {}, slow.length)
  // Each cell holds its sum, to the nanosecond.
  const sums = await page.$$eval('.compare tbody tr', (rows) => rows.map((row) => [row.className, Number(row.querySelector('td[data-sum]')?.getAttribute('data-sum'))]))
  const of = (/** @type {string} */ group) => sums.filter(([name]) => name === group).reduce((all, [, ns]) => all + Number(ns), 0)
  assert.deepEqual([of('io'), of('queue'), of('exec')], [sum('io_ns'), sum('queue_ns'), sum('exec_ns')])
})

/** What is read once it is drawn anew. @template T @param {() => Promise<T>} read @param {T} before @returns {Promise<T>} */
async function changed (read, before) {
  const until = performance.now() + 5000
  for (;;) {
    const now = await read()
    if (now !== before) return now
    assert.ok(performance.now() < until, `still ${before}`)
  }
}

spinsTest('keys walk through the slowest and the loop, search, and help', async (t) => {
  const { file } = await spun(t)
  const { page, heard } = await opened(t, browser, pathToFileURL(file).href)
  const title = async () => (await texts(page, '.waterfall h2'))[0]
  await page.keyboard.press('n')
  const first = await changed(title, undefined)
  await page.keyboard.press('n')
  const second = await changed(title, first)
  await page.keyboard.press('p')
  assert.equal(await changed(title, second), first)
  const window = async () => (await texts(page, 'section[aria-label="The loop"] .help'))[0]
  let before = await window()
  for (const key of ['s', 'd', 'w', 'a']) {
    await page.keyboard.press(key)
    before = await changed(window, before)
  }
  await page.keyboard.press('/')
  await page.keyboard.type('/spin')
  await page.waitForSelector('.flame .sought')
  assert.ok((await texts(page, '.requests tbody tr')).every((row) => row.includes('/spin')))
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.waitForSelector('dialog[open]')
  assert.match((await texts(page, 'dialog[open]'))[0], /n, p/)
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => !document.querySelector('dialog'))
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => !document.querySelector('.waterfall'))
  assert.deepEqual(heard, [])
})

test('what is chosen is in the address', async (t) => {
  const { file } = await spun(t)
  const { page } = await opened(t, browser, pathToFileURL(file).href)
  await twoClicks(page)
  const hash = await page.evaluate(() => location.hash)
  const told = await texts(page, 'main caption, .waterfall')
  const { page: again } = await opened(t, browser, pathToFileURL(file).href, { hash })
  await again.waitForSelector('.waterfall')
  assert.deepEqual(await texts(again, 'main caption, .waterfall'), told)
})

for (const scheme of /** @type {const} */ (['light', 'dark'])) {
  test(`who cannot see it as others do can use it (${scheme})`, async (t) => {
    const { file } = await spun(t)
    const { page } = await opened(t, browser, pathToFileURL(file).href, { scheme })
    await twoClicks(page)
    await page.$$eval('details', (found) => found.forEach((one) => { /** @type {HTMLDetailsElement} */ (one).open = true }))
    await page.evaluate(AXE)
    const violations = await page.evaluate(async () => (await /** @type {any} */ (globalThis).axe.run()).violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`))
    assert.deepEqual(violations, [])
    assert.equal((await page.$$('canvas:not([aria-label])')).length, 0)
  })

  test(`no requests, one, and names that are no markup (${scheme})`, async (t) => {
    const directory = temporaryDirectory(t)
    const evil = '</script><img onerror=alert(1) src=x>'
    const given = [[], [{ start: 0, exec: 5e6, route: evil, waits: { [evil]: 2e6 }, blocks: { '</template>': 1e6 } }]]
    for (const [i, requests] of given.entries()) {
      const file = path.join(directory, `${i}.html`)
      fs.writeFileSync(file, pageOf(NOTHING, recorded(requests)))
      const { page, heard } = await opened(t, browser, pathToFileURL(file).href, { scheme })
      assert.equal((await texts(page, '.requests tbody tr')).length, i)
      assert.equal((await page.$$('img')).length, 0)
      if (i === 1) assert.ok((await texts(page, '.requests tbody td'))[0].includes(evil))
      assert.deepEqual(heard, [])
    }
  })
}

const NOTHING = { requests: { count: 0 }, events: { count: 0 }, tail: { count: 0, percentile: 99, threshold_ns: 0 }, rest: { count: 0 } }

test('a page whose columns are damaged says so', async (t) => {
  const file = path.join(temporaryDirectory(t), 'damaged.html')
  fs.writeFileSync(file, pageOf(NOTHING, Buffer.from('none')))
  const page = await browser.newPage()
  t.after(() => page.close())
  await page.goto(pathToFileURL(file).href)
  await page.waitForFunction(() => document.getElementById('page')?.textContent?.startsWith('This page cannot be shown: these are no columns'))
})

spinsTest('Firefox opens it, and leads to the blocker too', async (t) => {
  const firefox = await launchFirefox()
  t.after(() => firefox.close())
  const { file } = await spun(t)
  const { page, heard } = await opened(t, firefox, pathToFileURL(file).href)
  await twoClicks(page)
  assert.match((await texts(page, '.waterfall'))[0], /behind GET \/spin/)
  assert.deepEqual(heard, [])
})

test('a hundred thousand requests', async (t) => {
  const file = path.join(temporaryDirectory(t), 'many.html')
  const given = Array.from({ length: 100_000 }, (_, i) => ({
    start: i * 1e5,
    exec: 1e6 + i % 1000,
    ...i % 100 === 0 ? { blocks: { 'GET /slow': 20e6 }, more: { tail: 1 } } : { more: { tail: 0 } }
  }))
  fs.writeFileSync(file, pageOf(NOTHING, recorded(given)))
  const { page, heard } = await opened(t, browser, pathToFileURL(file).href)
  assert.match((await texts(page, '.compare caption'))[0], /\(1000\) against the rest \(99000\)/)
  assert.match((await texts(page, '.compare tbody tr'))[0], /^queued behind GET \/slow20\.0 ms0/)
  await page.evaluate(() => { location.hash = '#t=0-1000000000' })
  await page.waitForFunction(() => document.querySelector('.compare caption')?.textContent?.includes('(10000) against the rest (90000)'))
  assert.deepEqual(heard, [])
})

test('a trace of several processes, one of them damaged: both are there, and what is lost is said', async (t) => {
  const directory = temporaryDirectory(t)
  const { out } = await spun(t)
  fs.cpSync(out, directory, { recursive: true })
  const app = await startServer(t, path.join(__dirname, 'spinner.js'))
  for (let i = 0; i < 20; i++) await request(app.port, '/other')
  await app.stop()
  for (const name of fs.readdirSync(app.out).filter((each) => each.endsWith('.ewt'))) {
    const bytes = fs.readFileSync(path.join(app.out, name))
    fs.writeFileSync(path.join(directory, name), Buffer.concat([bytes, Buffer.from('no chunk of a trace')]))
  }
  const file = path.join(directory, 'report.html')
  assert.equal(cli('report', directory, '--html').status, 0)
  const { page, heard } = await opened(t, browser, pathToFileURL(file).href, { hash: '#l=0-' })
  assert.match((await texts(page, 'header'))[0], /2 processes/)
  assert.match((await texts(page, '.loss')).join('\n'), /the file ends inside a chunk header \(19 bytes skipped\)/)
  assert.match((await texts(page, 'option')).join('\n'), /GET \/other/)
  assert.deepEqual(heard, [])
})

test('a page that cannot be written is said, and leaves nothing', async (t) => {
  const { out } = await spun(t)
  const directory = temporaryDirectory(t)
  const { status, stderr } = cli('report', out, '--html', path.join(directory, 'none', 'page.html'))
  assert.equal(status, 1)
  assert.match(stderr, /cannot write the page to .*page\.html/)
  const full = cli('report', out, '--html', '/dev/full')
  assert.equal(full.status, 1)
  assert.match(full.stderr, /^edgewise: cannot write the page to \/dev\/full: ENOSPC.*\n$/)
  assert.equal(cli('report', out, '--html', path.join(out, fs.readdirSync(out).find((name) => name.endsWith('.ewt')) ?? '')).status, 2)
  assert.deepEqual(fs.readdirSync(directory), [])
})
