'use strict'

// Node announces callback scopes, timers, immediates and ticks; the async ids
// say who registered what, without any hook at the registration.

const assert = require('node:assert')
const { executionAsyncId } = require('node:async_hooks')
const fs = require('node:fs')
const http = require('node:http')
const events = require(process.argv[2])

assert.strictEqual(events.enable(1), 0)
events.listen()
const seen = {}
const note = name => { seen[name] = { event: events.current(), asyncId: executionAsyncId() } }
// Functions of no event: only the ids tell where they come from.
const callbacks = Object.fromEntries(['timer', 'timer2', 'immediate', 'tick', 'file'].map(name => [name, () => note(name)]))

const server = http.createServer((_request, response) => {
  note('request')
  setTimeout(callbacks.timer, 5)
  setTimeout(callbacks.timer2, 5)
  setImmediate(callbacks.immediate)
  process.nextTick(callbacks.tick)
  fs.stat(__filename, callbacks.file)
  setTimeout(() => response.end('ok'), 20)
})
server.listen(0, '127.0.0.1', () => {
  http.get({ port: server.address().port }, response => {
    response.resume()
    response.on('end', () => server.close(check))
  })
})

function check () {
  const notices = events.takeNotices()
  // Without the rest of the scope that runs this file.
  notices.splice(0, notices.findIndex(({ what }) => what === 'end') + 1)
  const begins = notices.filter(notice => notice.what.startsWith('begin'))
  for (const name of Object.keys(callbacks)) {
    assert.ok(seen[name].event > 0, `${name} runs in an event`)
    const begin = begins.find(notice => notice.event === seen[name].event)
    assert.strictEqual(begin.asyncId, seen[name].asyncId, `${name}: the begin tells its resource`)
    assert.strictEqual(begin.what, name === 'file' ? 'begin' : 'begin part')
    assert.strictEqual(registrar(notices, begin.asyncId), seen.request.event, `${name} was registered in the request's event`)
  }
  assert.strictEqual(new Set(Object.values(seen).map(each => each.event)).size, Object.keys(seen).length, 'each is an event')

  // Begins and ends pair up; only what is paused goes on.
  let open = 0
  for (const { what } of notices) {
    if (what === 'begin') open++
    if (what === 'end' || what === 'pause') open--
    assert.ok(open === 0 || open === 1, `${what}: ${open} scopes`)
  }
  assert.ok(notices.some(notice => notice.what === 'pause'), "the HTTP parser's scopes continue")
  console.log(notices.length)
}

// The event that was open when an async id was given.
function registrar (notices, asyncId) {
  let event = 0
  let last = 0
  for (const notice of notices) {
    if (asyncId > last && asyncId <= notice.lastAsyncId) return event
    last = notice.lastAsyncId
    event = notice.what.startsWith('begin') ? notice.event : event
  }
  return event
}
