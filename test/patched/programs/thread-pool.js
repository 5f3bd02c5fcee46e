'use strict'

// When the thread pool has finished is known, however late the loop takes it.

const assert = require('node:assert')
const { queueWork } = require(process.argv[2])

let left = 3
for (const milliseconds of [5, 10, 20]) {
  queueWork(milliseconds, (worked, finished, now) => {
    assert.ok(finished >= worked, 'noted after the work')
    assert.ok(finished - worked < 20e6, `${(finished - worked) / 1e6} ms after it`)
    assert.ok(now - finished > 50e6, 'long before the loop, which is busy, takes it')
    left--
  })
}
const end = Date.now() + 200
while (Date.now() < end);
process.on('exit', () => assert.strictEqual(left, 0))
