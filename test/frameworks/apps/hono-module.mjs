import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { application } from './hono-application.js'
import { serving } from './serving.js'

serving(createServer(getRequestListener(application(Hono).fetch)).listen(0, '127.0.0.1'))
