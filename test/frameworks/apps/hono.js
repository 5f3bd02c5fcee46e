'use strict'

const { createServer } = require('node:http')
const { getRequestListener } = require('@hono/node-server')
const { Hono } = require('hono')
const { application } = require('./hono-application')
const { serving } = require('./serving')

serving(createServer(getRequestListener(application(Hono).fetch)).listen(0, '127.0.0.1'))
