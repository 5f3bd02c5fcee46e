'use strict'

// A file read by callbacks: fs.readFile, whose four events show only the last
// one's callback, and open, read, close one by one. And one that is not there.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const { enterWholeFile } = require('../whole-file')
const { serve, spin } = require('../witness')

const WARM = /\/w\d/

module.exports = {
  name: 'file, callbacks',
  file: __filename,
  async drive (client) {
    const connections = await client.connectWarm(3, '/whole', 10)
    for (const kind of ['steps', 'missing']) {
      for (let i = 0; i < 10; i++) await connections[0].get(`/${kind}/w${i}`)
    }
    for (const kind of ['whole', 'steps', 'missing']) {
      for (let round = 0; round < 3; round++) {
        await Promise.all(connections.map((connection, i) => connection.get(`/${kind}/r${round}x${i}`)))
      }
    }
  }
}

function whole (witness, request, response) {
  const ms = WARM.test(request.url) ? 0 : 6
  const source = witness.enter('source', 'tcp_read', null)
  fs.readFile(__filename, () => {
    const file = enterWholeFile(witness, 'source')
    spin(ms)
    witness.finish(response, file.step, ['source', ...file.path])
  })
  spin(ms)
  source.leave()
}

function steps (witness, request, response) {
  const ms = WARM.test(request.url) ? 0 : 6
  const source = witness.enter('source', 'tcp_read', null)
  fs.open(__filename, (_, fd) => {
    const open = witness.enter('open', 'fs_open', 'source')
    fs.read(fd, Buffer.alloc(100), 0, 100, 0, () => {
      const read = witness.enter('read', 'fs_read', 'open')
      fs.close(fd, () => {
        const close = witness.enter('close', 'fs_close', 'read')
        spin(ms)
        witness.finish(response, close, ['source', 'open', 'read', 'close'])
      })
      spin(ms)
      read.leave()
    })
    spin(ms)
    open.leave()
  })
  spin(ms)
  source.leave()
}

function missing (witness, request, response) {
  const source = witness.enter('source', 'tcp_read', null)
  fs.stat(`${__filename}.not`, (error) => {
    assert.equal(error?.code, 'ENOENT')
    const stat = witness.enter('stat', 'fs_stat', 'source')
    spin(WARM.test(request.url) ? 0 : 6)
    witness.finish(response, stat, ['source', 'stat'])
  })
  source.leave()
}

if (require.main === module) serve({ whole, steps, missing })
