'use strict'
const test = require('node:test')
const { request, startApp } = require('./recorded-app')
const { report } = require('../../lib')
test('x', async (t) => {
  const app = await startApp(t, 'stacks.js', { env: { EDGEWISE_STACKS: '100' } })
  for (let i = 0; i < 15; i++) for (const route of ['/spin', '/deep', '/async', '/eval']) {
      const slow = request(app.port, route)
      await new Promise((resolve) => setTimeout(resolve, 4))
      await Promise.all([slow, request(app.port, '/quick')])
  }
  await app.stop()
  const told = report(app.out, { percentile: 0.001, stacks: true })
  for (const c of told.stacks.causes) { console.log(c.what, c.tail_wait_ns/1e6, c.tail_exec_ns/1e6, c.samples); for (const f of c.functions) console.log('    ', f.function, f.script.slice(-40), f.line, f.tail_wait_ns/1e6, f.tail_exec_ns/1e6) }
})
