'use strict'

// Takes the picture of a page that README shows.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { parseArguments } = require('../../scripts/tasks/arguments')
const { main, say } = require('../../scripts/tasks/step')
const { ROOT } = require('../../scripts/tasks/tree')
const { launchChromium } = require('../../test/page/browsers')

const PICTURE = path.join(ROOT, 'docs', 'figures', 'page.png')
const SIZE = { width: 1240, height: 900 }

const USAGE = `Usage: node benchmarks/page/picture.js FILE [--out FILE]

Takes a picture of the page FILE, which 'npm run profile' or 'edgewise report --html' has
written, with its slowest request opened.

  --out FILE  where it goes (docs/figures/page.png)`

/** @param {string[]} args */
async function run (args) {
  const { values, positionals: [file] } = parseArguments(args, USAGE, { out: { type: 'string', default: PICTURE } }, (_, positionals) => positionals.length === 1 ? undefined : 'one page is expected')
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.setViewport(SIZE)
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
    await page.goto(pathToFileURL(path.resolve(file)).href)
    await page.waitForFunction(() => performance.getEntriesByName('shown').length > 0)
    await page.screenshot({ path: /** @type {any} */ (values.out) })
    say(`written: ${path.relative('', values.out)}`)
  } finally {
    await browser.close()
  }
}

main(run)
