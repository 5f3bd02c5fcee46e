'use strict'

const fs = require('node:fs')
const https = require('node:https')
const path = require('node:path')
const { serving } = require('./serving')

const key = fs.readFileSync(path.join(__dirname, 'tls/key.pem'))
const cert = fs.readFileSync(path.join(__dirname, 'tls/certificate.pem'))
const server = https.createServer({ key, cert }, (request, response) => {
  request.resume()
  setTimeout(() => response.end('user\n'), request.method === 'POST' ? 2 : 0)
})
serving(server.listen(0, '127.0.0.1'))
