'use strict'

// KIND: express (5) or express4.

const { serving } = require('./serving')
const kind = process.env.KIND ?? 'express'
const express = require(kind)

const app = express()
const items = express.Router().get('/items/:item', (request, response) => response.send(`item ${request.baseUrl}`))
const api = express.Router().use('/:tenant', items).get('/status/:part', (request, response) => response.send('status'))
app.use('/api', api)
app.use(['/old/api', '/older/:age/api'], items)
const other = express().get('/users/:user', (request, response) => response.send('user'))
other.use('/deep/:level', items)
app.use('/admin/:area', other)
app.use((request, response, next) => request.path === '/late' ? response.status(401).send('who?') : next())
app.get('/plain/:name', (request, response) => setTimeout(() => response.send('plain'), 1))
serving(app.listen(0, '127.0.0.1'))
