'use strict'

// No thread can be started any more when recording begins. The limit does not
// bind root, who therefore becomes nobody: REGISTER is where nobody may read it.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const http = require('node:http')
const { serving } = require('./serving')

fs.stat(__filename, () => { // libuv's threads are there.
  execFileSync('prlimit', ['--pid', String(process.pid), '--nproc=0'])
  if (process.getuid() === 0) process.setuid(65534)
  require(process.env.REGISTER ?? '')
  serving(http.createServer((request, response) => response.end('user\n')).listen(0, '127.0.0.1'))
})
