'use strict'

// @ts-ignore: installed on first use
const express = require('express')
const { announce, BACKLOG } = require('./listen')

const app = express()
app.get('/users/:id', (request, response) => response.json({ id: request.params.id, name: 'Ada' }))
const server = app.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => announce(server))
