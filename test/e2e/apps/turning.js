'use strict'

// A callback of the thread pool turns the loop itself, as some addons do to
// wait for another callback: what finishes meanwhile is called back first.

const fs = require('node:fs')
const http = require('node:http')
const { serving } = require('./serving')
const { queueWork, turnLoop } = require(process.env.WORK_ADDON)

serving(http.createServer((request, response) => {
  const called = []
  const end = (name) => {
    called.push(name)
    if (called.length === 4) response.end(called.join(' '))
  }
  const turn = (name) => {
    if (called.length > 0) return end(name)
    called.push(name)
    // Another kind of work than what libuv has still to call back for.
    queueWork(1, () => end('inner'))
    while (!called.includes('inner')) turnLoop()
  }
  for (const name of ['first', 'second', 'third']) fs.stat(__filename, () => turn(name))
  // All have finished before the loop looks.
  const until = Date.now() + 20
  while (Date.now() < until);
}).listen(0, '127.0.0.1'))
