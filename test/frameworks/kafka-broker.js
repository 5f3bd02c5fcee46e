'use strict'

// What a consumer of KafkaJS asks a broker, in Kafka's protocol: topics of one
// partition, of which a consumer is given two messages at a time. KafkaJS's own
// encoder and decoder of primitive types serve the other side as well.

const { once } = require('node:events')
const net = require('node:net')

const HOST = '127.0.0.1'
const AT_A_TIME = 2
const EARLIEST = -2
const LENGTH_BYTES = 4

// What is asked, by number: its name and the version that is spoken.
const APIS = {
  1: ['fetch', 4],
  2: ['listOffsets', 1],
  3: ['metadata', 0],
  8: ['offsetCommit', 2],
  9: ['offsetFetch', 1],
  10: ['findCoordinator', 0],
  11: ['joinGroup', 0],
  12: ['heartbeat', 0],
  13: ['leaveGroup', 0],
  14: ['syncGroup', 0],
  18: ['apiVersions', 2]
}

/** Of the partitions in a request, topic by topic. */
const topicsOf = (/** @type {any} */ asked, /** @type {(asked: any) => any} */ partition) =>
  asked.readArray((/** @type {any} */ each) => ({ topic: each.readString(), partitions: each.readArray(partition) }))

class Broker {
  /** @type {Record<string, Record<string, string>>} of each group the next offset, by topic */
  committed = {}
  port = 0

  /** @param {NodeJS.Require} packages from where KafkaJS is found @param {Record<string, string[]>} topics and their messages */
  constructor (packages, topics) {
    this.topics = topics
    this.Encoder = packages('kafkajs/src/protocol/encoder')
    this.Decoder = packages('kafkajs/src/protocol/decoder')
    this.record = packages('kafkajs/src/protocol/recordBatch/record/v0')
    this.recordBatch = packages('kafkajs/src/protocol/recordBatch/v0').RecordBatch
  }

  encoder () { return new this.Encoder() }

  /** An answer about each partition that was asked about. */
  byTopic (/** @type {any[]} */ asked, /** @type {(topic: string, partition: any) => any} */ about) {
    return this.encoder().writeArray(asked.map(({ topic, partitions }) =>
      this.encoder().writeString(topic).writeArray(partitions.map((/** @type {any} */ partition) => about(topic, partition)))))
  }

  apiVersions () {
    const versions = Object.entries(APIS).map(([key, [, version]]) => this.encoder().writeInt16(Number(key)).writeInt16(0).writeInt16(version))
    return this.encoder().writeInt16(0).writeArray(versions).writeInt32(0)
  }

  address () { return this.encoder().writeInt32(0).writeString(HOST).writeInt32(this.port) }

  metadata () {
    const partition = () => this.encoder().writeInt16(0).writeInt32(0).writeInt32(0).writeArray([0]).writeArray([0])
    const topics = Object.keys(this.topics).map((topic) => this.encoder().writeInt16(0).writeString(topic).writeArray([partition()]))
    return this.encoder().writeArray([this.address()]).writeArray(topics)
  }

  findCoordinator () { return this.encoder().writeInt16(0).writeEncoder(this.address()) }

  joinGroup (/** @type {any} */ asked) {
    asked.readString() // The group: one member each.
    asked.readInt32()
    const member = asked.readString() || 'member'
    asked.readString()
    const [{ name, metadata }] = asked.readArray((/** @type {any} */ each) => ({ name: each.readString(), metadata: each.readBytes() }))
    return this.encoder().writeInt16(0).writeInt32(1).writeString(name).writeString(member).writeString(member)
      .writeArray([this.encoder().writeString(member).writeBytes(metadata)])
  }

  syncGroup (/** @type {any} */ asked) {
    asked.readString()
    asked.readInt32()
    asked.readString()
    const [assignment] = asked.readArray((/** @type {any} */ each) => {
      each.readString()
      return each.readBytes()
    })
    return this.encoder().writeInt16(0).writeBytes(assignment)
  }

  heartbeat () { return this.encoder().writeInt16(0) }

  leaveGroup () { return this.encoder().writeInt16(0) }

  offsetFetch (/** @type {any} */ asked) {
    const group = asked.readString()
    const topics = topicsOf(asked, (each) => each.readInt32())
    return this.byTopic(topics, (topic, partition) =>
      this.encoder().writeInt32(partition).writeInt64(this.committed[group]?.[topic] ?? -1).writeString('').writeInt16(0))
  }

  listOffsets (/** @type {any} */ asked) {
    asked.readInt32()
    const topics = topicsOf(asked, (each) => ({ partition: each.readInt32(), time: Number(each.readInt64()) }))
    return this.byTopic(topics, (topic, { partition, time }) =>
      this.encoder().writeInt32(partition).writeInt16(0).writeInt64(-1).writeInt64(time === EARLIEST ? 0 : this.topics[topic].length))
  }

  offsetCommit (/** @type {any} */ asked) {
    const group = asked.readString()
    asked.readInt32()
    asked.readString()
    asked.readInt64()
    const topics = topicsOf(asked, (each) => ({ partition: each.readInt32(), offset: String(each.readInt64()), metadata: each.readString() }))
    return this.byTopic(topics, (topic, { partition, offset }) => {
      (this.committed[group] ??= {})[topic] = offset
      return this.encoder().writeInt32(partition).writeInt16(0)
    })
  }

  async fetch (/** @type {any} */ asked) {
    asked.readInt32()
    const wait = asked.readInt32()
    asked.forward(4 + 4 + 1)
    const topics = topicsOf(asked, (each) => ({ partition: each.readInt32(), offset: Number(each.readInt64()), bytes: each.readInt32() }))
    const isNew = topics.some((/** @type {any} */ { topic, partitions }) => partitions.some((/** @type {any} */ { offset }) => offset < this.topics[topic].length))
    if (!isNew) await new Promise((resolve) => setTimeout(resolve, wait))
    /** @type {Map<any, Buffer>} */
    const records = new Map()
    for (const { topic, partitions } of topics) for (const each of partitions) records.set(each, await this.batchFrom(topic, each.offset))
    return this.encoder().writeInt32(0).writeEncoder(this.byTopic(topics, (topic, each) => {
      const end = this.topics[topic].length
      return this.encoder().writeInt32(each.partition).writeInt16(0).writeInt64(end).writeInt64(end).writeArray([]).writeBytes(records.get(each))
    }))
  }

  async batchFrom (/** @type {string} */ topic, /** @type {number} */ offset) {
    const messages = this.topics[topic].slice(offset, offset + AT_A_TIME)
    if (messages.length === 0) return Buffer.alloc(0)
    const records = messages.map((value, i) => this.record({ offsetDelta: i, key: null, value: Buffer.from(value) }))
    return (await this.recordBatch({ firstOffset: offset, lastOffsetDelta: messages.length - 1, records })).buffer
  }

  /** @returns {Promise<Buffer>} what is sent for a request that is whole */
  async answer (/** @type {Buffer} */ request) {
    const asked = new this.Decoder(request)
    const key = asked.readInt16()
    const version = asked.readInt16()
    const number = asked.readInt32()
    asked.readString() // Who asks.
    const [name, spoken] = /** @type {any} */ (APIS)[key] ?? []
    if (version !== spoken) throw new Error(`a consumer asked ${key} in version ${version}, not ${spoken}`)
    const body = await /** @type {any} */ (this)[name](asked)
    return this.encoder().writeInt32(LENGTH_BYTES + body.size()).writeInt32(number).writeEncoder(body).buffer
  }
}

/**
 * @param {import('node:test').TestContext} t
 * @param {NodeJS.Require} packages
 * @param {Record<string, string[]>} topics
 * @returns {Promise<Broker>} which goes with the test
 */
async function startBroker (t, packages, topics) {
  const broker = new Broker(packages, topics)
  const server = net.createServer(async (socket) => {
    socket.on('error', () => {}) // A consumer may go while it is answered.
    let got = Buffer.alloc(0)
    for await (const data of socket) {
      got = Buffer.concat([got, data])
      while (got.length >= LENGTH_BYTES && got.length >= LENGTH_BYTES + got.readInt32BE()) {
        const end = LENGTH_BYTES + got.readInt32BE()
        socket.write(await broker.answer(got.subarray(LENGTH_BYTES, end)))
        got = got.subarray(end)
      }
    }
  }).listen(0, HOST)
  t.after(() => server.close())
  await once(server, 'listening')
  broker.port = /** @type {net.AddressInfo} */ (server.address()).port
  return broker
}

module.exports = { startBroker }
