'use strict'

const assert = require('node:assert/strict')
const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const { test } = require('node:test')
const { loadBoth } = require('../../benchmarks/overhead/pair')
const { mayRunInRealTime } = require('../../benchmarks/shared/real-time')

/** A server of its own process, which answers after `ms` and tells the policy of all its threads then. */
async function serve (t, ms, status = 200) {
  const child = spawn(process.execPath, ['-e', `
    const policies = () => require('node:fs').readdirSync('/proc/self/task').map((id) =>
      require('node:fs').readFileSync('/proc/self/task/' + id + '/stat', 'utf8').split(') ')[1].split(' ')[38])
    let seen = new Set()
    require('node:http').createServer((request, response) => {
      policies().forEach((policy) => seen.add(policy))
      setTimeout(() => response.writeHead(${status}).end(), ${ms})
    }).listen(0, '127.0.0.1', function () { process.send(this.address().port) })
    process.on('message', () => process.send([...seen]))`], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  t.after(() => child.kill())
  const [port] = await once(child, 'message')
  const policies = async () => {
    child.send('policies')
    return (await once(child, 'message'))[0]
  }
  const pid = /** @type {number} */ (child.pid)
  return { server: /** @type {any} */ ({ pid, url: `http://127.0.0.1:${port}/` }), policies }
}

const settings = /** @type {any} */ ({ loadCpus: '0', realTime: false })

test('both servers of a pair are loaded and measured, in real time where that is allowed', async (t) => {
  const realTime = mayRunInRealTime()
  const [fast, slow] = [await serve(t, 0), await serve(t, 30)]
  const [ofFast, ofSlow] = await loadBoth([fast.server, slow.server], 200, 1, { ...settings, realTime })
  assert.ok(ofFast.latencyUs.p50 < ofSlow.latencyUs.p50, JSON.stringify([ofFast, ofSlow]))
  assert.ok(ofSlow.latencyUs.p50 >= 29_000, JSON.stringify(ofSlow)) // Timers count whole milliseconds: 30 may be 29.
  const [SCHED_OTHER, SCHED_FIFO] = ['0', '1']
  assert.deepEqual(await slow.policies(), [realTime ? SCHED_FIFO : SCHED_OTHER])
  for (const { server } of [fast, slow]) {
    assert.match(execFileSync('chrt', ['--pid', String(server.pid)], { encoding: 'utf8' }), /SCHED_OTHER/)
  }
})

test('a server that fails is not measured', async (t) => {
  const [good, bad] = [await serve(t, 0), await serve(t, 0, 500)]
  await assert.rejects(loadBoth([good.server, bad.server], 100, 0.5, settings), /[0-9]+ requests failed: their status is not 2xx/)
})
