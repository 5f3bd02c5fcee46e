'use strict'

// Pages opened from disk, in the browsers that people have.

const { spawnSync } = require('node:child_process')
const puppeteer = require('puppeteer-core')
const { buildPage, pageIsFresh } = require('../../scripts/tasks/page')

const SHOWN_MS = 10_000

/** @param {string} name @returns {string} */
function program (name) {
  const { stdout, status } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${name} is not installed: run scripts/setup`)
  return stdout.trim()
}

/** @returns {Promise<import('puppeteer-core').Browser>} with the page's script as the sources are */
async function launchChromium () {
  if (!pageIsFresh()) buildPage()
  // The tests may be root's, who has no sandbox; the pages are our own.
  return puppeteer.launch({ executablePath: program('chromium'), args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] })
}

/** @returns {Promise<import('puppeteer-core').Browser>} */
async function launchFirefox () {
  if (!pageIsFresh()) buildPage()
  return puppeteer.launch({ browser: 'firefox', executablePath: program('firefox-esr') })
}

/**
 * @param {import('node:test').TestContext} t
 * @param {import('puppeteer-core').Browser} browser
 * @param {string} address
 * @param {{ scheme?: 'light' | 'dark', hash?: string, chromium?: boolean }} [options]
 * @returns {Promise<{ page: import('puppeteer-core').Page, heard: string[] }>} heard: requests for anything else, and errors
 */
async function opened (t, browser, address, { scheme, hash = '' } = {}) {
  const page = await browser.newPage()
  t.after(() => page.close())
  /** @type {string[]} */
  const heard = []
  page.on('request', (asked) => { if (!asked.url().startsWith(address) && !asked.url().startsWith('data:')) heard.push(asked.url()) })
  page.on('console', (message) => { if (['error', 'warn'].includes(message.type())) heard.push(message.text()) })
  page.on('pageerror', (error) => heard.push(String(error)))
  await page.setViewport({ width: 1200, height: 900 })
  if (scheme) await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
  await page.goto(address + hash)
  await page.waitForSelector('h1', { timeout: SHOWN_MS }).catch(async () => { throw new Error(`nothing is shown: ${heard.join('; ')} ${await page.evaluate(() => document.body.innerText.slice(0, 500))}`) })
  return { page, heard }
}

/** @param {import('puppeteer-core').Page} page @param {string} selector @returns {Promise<string[]>} */
const texts = (page, selector) => page.$$eval(selector, (found) => found.map((one) => (/** @type {HTMLElement} */ (one).textContent ?? '').replace(/\s+/g, ' ').trim()))

module.exports = { launchChromium, launchFirefox, opened, texts }
