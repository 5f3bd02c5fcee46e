'use strict'

const express = require(process.env.EXPRESS ?? 'express')
const { serving } = require('./serving')

const app = express()
app.use((request, response, next) => next())
app.get('/user/:id', (request, response) => response.send('user\n'))
const api = express.Router()
api.post('/item/:item', (request, response) => setTimeout(() => response.json({ item: 1 }), 2))
app.use('/api', api)
serving(app.listen(0, '127.0.0.1'))
