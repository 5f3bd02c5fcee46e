import http from 'node:http'
import { setTimeout } from 'node:timers'
import serving from './serving.js'

const server = http.createServer((request, response) => setTimeout(() => response.end('user\n'), 1))
serving.serving(server.listen(0, '127.0.0.1'))
