'use strict'

// The server of the random programs: GET or POST /p/xID runs the program ID of
// the file in argv, and keeps its ledger, which it writes when it is told to stop.

const fs = require('node:fs')
const http = require('node:http')
const { now } = require('./clock')
const { Run } = require('./interpreter')
const { Ledger } = require('./ledger')
const { Operations, keepRinging } = require('./operations')

const PART_BYTES = 100

const { programs, backend, ledgerFile } = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))
const byId = new Map(programs.map((program) => [String(program.id), program]))
const ledger = new Ledger()
const operations = new Operations(backend, __filename)
keepRinging(ledger.open('bell'))

const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const program = byId.get(String(request.url).split('/x')[1])
  const branch = ledger.open(program.id)
  branch.enter('arrival', { is: 'sent', first: -1, last: -1 })
  response.once('close', () => { branch.account.closed = { at: now(), answered: response.writableFinished } })
  const run = new Run(operations, response)
  const finish = (last) => answer(last, response)
  if (program.style === 'callback') {
    readBody(program, request, branch, () => run.callback(program.steps, branch, finish))
    return
  }
  answerAwaited(program, request, branch, run).then((last) => {
    last.resume()
    finish(last)
  })
})

async function answerAwaited (program, request, branch, run) {
  if (program.body?.how === 'iterated') await iterateBody(request, branch)
  else await new Promise((resolve) => readBody(program, request, branch, () => resolve(undefined)))
  branch.resume()
  return run.await(program.steps, branch)
}

/** @param {(() => void)} done */
function readBody (program, request, branch, done) {
  if (!program.body) return done()
  if (program.body.how === 'iterated') return iterateBody(request, branch).then(() => { branch.resume(); done() })
  let bytes = 0
  request.on('data', (part) => {
    bytes = arrived(branch, bytes, part)
    branch.leave()
  })
  request.once('end', () => {
    branch.resume()
    done()
  })
  branch.leave()
}

async function iterateBody (request, branch) {
  let bytes = 0
  branch.leave()
  for await (const part of request) {
    bytes = arrived(branch, bytes, part)
    branch.leave()
  }
}

function arrived (branch, bytes, part) {
  const end = bytes + part.length
  branch.enter('body', { is: 'sent', first: Math.floor(bytes / PART_BYTES), last: Math.ceil(end / PART_BYTES) - 1 })
  return end
}

function answer (branch, response) {
  const { account } = branch
  account.final = branch.at
  account.held = response.socket === null && !response.destroyed
  account.answering = now()
  response.end('x')
  account.ended = now()
  // One that others are ahead of on its connection leaves with the last of those.
  if (account.held) response.once('finish', () => { account.ended = now() })
  branch.leave()
}

server.listen(0, '127.0.0.1', () => process.send?.({ port: /** @type {any} */ (server.address()).port }))
process.once('message', () => {
  server.close()
  server.closeAllConnections()
  operations.close()
  fs.writeFileSync(ledgerFile, JSON.stringify(ledger.accounts))
  process.disconnect?.()
})
process.once('disconnect', () => process.exit())
process.channel?.unref()
