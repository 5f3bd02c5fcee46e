'use strict'

const restify = require('restify')
const { serving } = require('./serving')

const server = restify.createServer()
server.get('/user/:name', (request, response, next) => {
  response.send(`hello ${request.params.name}`)
  next()
})
server.get('/later/:name', async (request, response) => {
  await new Promise((resolve) => setTimeout(resolve, 1))
  response.send('later')
})
server.listen(0, '127.0.0.1')
serving(server.server)
