'use strict'

// Nothing that edgewise does is seen by the application's own code.

const assert = require('node:assert/strict')
const http = require('node:http')
const test = require('node:test')
const { request, startApp } = require('./recorded-app')

test('an application sees the same of itself, recorded or not', async (t) => {
  const seen = []
  for (const options of [{ register: null }, {}]) {
    const app = await startApp(t, 'seeing.js', options)
    const agent = new http.Agent({ keepAlive: true })
    t.after(() => agent.destroy())
    let last = ''
    // From the second request on promises are followed.
    for (let round = 0; round < 4; round++) last = (await request(app.port, '/see', { agent })).body
    seen.push(JSON.parse(last))
    await app.stop()
    assert.equal(app.stderr, '')
  }
  const [bare, recorded] = seen
  for (const what of Object.keys(bare)) assert.deepEqual(recorded[what], bare[what], what)
})
