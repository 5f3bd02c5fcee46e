'use strict'

// Consumes two topics, message by message or (KIND: eachBatch) batch by batch,
// and says what its handlers made of them. Each topic's '42' fails at first, and comes again.

const { createServer } = require('node:http')
const { Kafka, logLevel } = require('kafkajs')
const { serving } = require('./serving')

const retry = { initialRetryTime: 5 }
const kafka = new Kafka({ brokers: [`127.0.0.1:${process.env.KAFKA_PORT}`], logLevel: logLevel.NOTHING, retry })
const consumer = kafka.consumer({ groupId: String(process.pid), maxWaitTimeInMs: 20, retry })
/** @type {Record<string, string[]>} */
const handled = { orders: [], mails: [] }
const failed = new Set()

async function handle (/** @type {string} */ topic, /** @type {any} */ message) {
  await new Promise((resolve) => setTimeout(resolve, 2))
  const text = String(message.value)
  if (text === '42' && !failed.has(topic)) {
    failed.add(topic)
    throw new Error('of mine')
  }
  handled[topic].push(`${message.offset} ${text}`)
}

const HANDLERS = {
  eachMessage: (/** @type {any} */ { topic, message }) => handle(topic, message),
  eachBatch: async (/** @type {any} */ { batch, resolveOffset }) => {
    for (const message of batch.messages) {
      await handle(batch.topic, message)
      resolveOffset(message.offset)
    }
  }
}

async function begin () {
  const kind = /** @type {keyof HANDLERS} */ (process.env.KIND)
  await consumer.connect()
  await consumer.subscribe({ topics: Object.keys(handled), fromBeginning: true })
  await consumer.run({ [kind]: HANDLERS[kind] })
  const server = createServer((request, response) => response.end(JSON.stringify(handled)))
  serving(server.listen(0, '127.0.0.1'), () => consumer.disconnect())
}

begin()
