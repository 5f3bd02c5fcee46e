'use strict'

// The application of apps-next/, built in DIRECTORY. KIND: custom (a server of
// one's own), express (a part of an application of Express), start (`next start`)
// or standalone (the server that `next build` has made).

const http = require('node:http')
const path = require('node:path')
const { serving } = require('./serving')
const { KIND: kind, DIRECTORY: dir = '' } = process.env

Object.assign(process.env, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', PORT: '0', HOSTNAME: '0.0.0.0' })
console.error = console.warn = () => {} // Pages that fail are told of there.

// It keeps timers of its own.
const serve = (/** @type {http.Server} */ server) => serving(server.on('close', () => process.exit()))

async function begin () {
  const application = require('next')({ dev: false, dir })
  await application.prepare()
  const handle = application.getRequestHandler()
  const server = kind === 'custom' ? http.createServer((request, response) => handle(request, response)) : http.createServer(expressOf(handle))
  serve(server.listen(0, '127.0.0.1'))
}

function expressOf (/** @type {Function} */ handle) {
  const express = require('express')()
  express.get('/plain/:name', (request, response) => response.send('plain'))
  express.all('/{*rest}', (request, response) => handle(request, response))
  return express
}

// Servers that Next makes. On all addresses its name is localhost; by another
// one, Next would ask itself for what proxy.jsx rewrites: a request more.
function beginOwn () {
  const { createServer } = http
  http.createServer = (...values) => {
    const server = createServer(...values)
    serve(server)
    return server
  }
  if (kind === 'standalone') return require(path.join(dir, '.next/standalone', path.basename(dir), 'server.js'))
  process.argv.splice(2, Infinity, 'start', dir, '--port', '0', '--hostname', '0.0.0.0')
  require('next/dist/bin/next')
}

if (kind === 'custom' || kind === 'express') begin()
else beginOwn()
