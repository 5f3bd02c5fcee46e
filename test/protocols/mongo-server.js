'use strict'

// As much of MongoDB's wire protocol as its client needs: OP_MSG, and the OP_QUERY of a first hello. It answers at once.

const net = require('node:net')
const { BSON } = require('mongodb')

const HEAD_BYTES = 16
const OP_REPLY = 1
const OP_QUERY = 2004
const OP_MSG = 2013

const HELLO = {
  ok: 1,
  helloOk: true,
  isWritablePrimary: true,
  ismaster: true,
  maxBsonObjectSize: 16777216,
  maxMessageSizeBytes: 48000000,
  maxWriteBatchSize: 100000,
  minWireVersion: 0,
  maxWireVersion: 21,
  logicalSessionTimeoutMinutes: 30,
  readOnly: false
}

/** @param {any} command @returns {any} */
function answerTo (command) {
  const [name] = Object.keys(command)
  if (['hello', 'isMaster', 'ismaster'].includes(name)) return HELLO
  if (name === 'saslStart') return { ok: 1, conversationId: 1, done: true, payload: new BSON.Binary(Buffer.alloc(0)) }
  if (name === 'find') return { ok: 1, cursor: { id: BSON.Long.ZERO, ns: `${command.$db}.${command.find}`, firstBatch: [{ name: 'x' }] } }
  if (name === 'insert') return { ok: 1, n: 1 }
  return { ok: 1 }
}

function messageOf (id, to, code, ...parts) {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeInt32LE(HEAD_BYTES + parts.reduce((sum, part) => sum + part.length, 0), 0)
  head.writeInt32LE(id, 4)
  head.writeInt32LE(to, 8)
  head.writeInt32LE(code, 12)
  return Buffer.concat([head, ...parts])
}

/** @param {Buffer} message a whole one @returns {Buffer} */
function answer (message) {
  const id = message.readInt32LE(4)
  if (message.readInt32LE(12) === OP_QUERY) {
    const documentAt = message.indexOf(0, HEAD_BYTES + 4) + 9
    const document = BSON.serialize(answerTo(BSON.deserialize(message.subarray(documentAt, documentAt + message.readInt32LE(documentAt)))))
    const fixed = Buffer.alloc(20)
    fixed.writeInt32LE(1, 16)
    return messageOf(id + 1, id, OP_REPLY, fixed, document)
  }
  // The document of its body is the first section; others bring a list of documents.
  const bodyAt = HEAD_BYTES + 5
  const command = BSON.deserialize(message.subarray(bodyAt, bodyAt + message.readInt32LE(bodyAt)))
  return messageOf(id + 1, id, OP_MSG, Buffer.alloc(5), BSON.serialize(answerTo(command)))
}

/** @returns {net.Server} */
function createMongoServer () {
  return net.createServer({ noDelay: true }, (socket) => {
    let bytes = Buffer.alloc(0)
    socket.on('error', () => {}).on('data', (data) => {
      bytes = Buffer.concat([bytes, data])
      while (bytes.length >= HEAD_BYTES && bytes.length >= bytes.readInt32LE(0)) {
        const length = bytes.readInt32LE(0)
        socket.write(answer(bytes.subarray(0, length)))
        bytes = bytes.subarray(length)
      }
    })
  })
}

module.exports = { createMongoServer }
