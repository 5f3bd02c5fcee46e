'use strict'

const Koa = require('koa')
const Router = require('@koa/router')
const { serveKoa } = require('./koa-app')

// What is started only now has not seen Koa being loaded.
if (process.env.START_LATE) {
  const edgewise = require('../../../lib')
  edgewise.start()
  process.once('exit', edgewise.stop)
}

serveKoa(Koa, Router)
