import { createServer } from 'node:http2'
import serving from './serving.js'

const sessions = new Set()
const server = createServer((request, response) => response.end('user\n'))
server.on('session', (session) => sessions.add(session))
serving.serving(server.listen(0, '127.0.0.1'), () => sessions.forEach((session) => session.destroy()))
