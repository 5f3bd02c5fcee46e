'use strict'

// A trace of known truth: a request that spins while others come, now and then.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { request, startServer } = require('../e2e/recorded-app')
const { texts } = require('./browsers')

/** @param {import('node:test').TestContext} t @param {string} out the trace's directory @param {number} spins */
async function recordSpins (t, out, spins) {
  const app = await startServer(t, path.join(__dirname, 'spinner.js'))
  for (let i = 0; i < spins; i++) {
    for (let quick = 0; quick < 10; quick++) await request(app.port, '/quick')
    const slow = request(app.port, '/spin')
    await new Promise((resolve) => setTimeout(resolve, 2))
    await Promise.all([slow, request(app.port, '/quick'), request(app.port, '/quick')])
  }
  await app.stop()
  fs.cpSync(app.out, out, { recursive: true })
}

/** The click into the heat map that takes the slow ones, and the one that opens one that was blocked. @param {import('puppeteer-core').Page} page */
async function twoClicks (page) {
  const box = await (await page.$('.plot'))?.boundingBox()
  assert.ok(box)
  await page.mouse.click(box.x + 100, box.y + 0.35 * box.height)
  await page.waitForFunction(() => !document.querySelector('.compare caption')?.textContent?.includes('tail'))
  // A page that asks has the list before, until it is answered.
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'))
  const waited = (await texts(page, '.requests tbody td:nth-child(2)')).indexOf('GET /quick')
  assert.ok(waited >= 0)
  const button = await (await page.$$('.requests tbody tr'))[waited].$('button')
  await button?.click()
  await page.waitForSelector('.waterfall')
}

module.exports = { recordSpins, twoClicks }
