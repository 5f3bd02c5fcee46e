// @ts-nocheck: its packages are where it is installed, in the cache
'use strict'

// The connection that feathers-chat's models share.

const { MongoClient } = require('mongodb')

let client

/** @param {number} port of the MongoDB server on 127.0.0.1 */
exports.connect = async port => {
  client = await MongoClient.connect(`mongodb://127.0.0.1:${port}/chat`,
    { useNewUrlParser: true, useUnifiedTopology: true, poolSize: 10 })
}

exports.collection = name => client.db().collection(name)

exports.close = () => client.close()
