'use strict'

const assert = require('node:assert/strict')
const http = require('node:http')
const { it } = require('node:test')
const { load, serving } = require('./run-load')

/** Answers after `ms`, and knows how many requests it has had, and for which hosts. */
function serverOf (ms) {
  const hosts = new Set()
  let seen = 0
  const server = http.createServer((request, response) => {
    seen++
    hosts.add(request.headers.host)
    setTimeout(() => response.end(), ms)
  })
  return { server, seen: () => seen, hosts }
}

for (const args of [['--rate', '500'], ['--closed', '--connections', '8']]) {
  it(`several servers get requests at random, each on connections of its own, and are told apart: ${args[0]}`, async () => {
    const [fast, slow] = [serverOf(0), serverOf(20)]
    await serving(fast.server, (fastUrl) => serving(slow.server, async (slowUrl) => {
      const { json } = await load([fastUrl, slowUrl, ...args, '--duration', '1', '--json'])
      assert.strictEqual(json.errors, 0, json.first_error)
      assert.deepStrictEqual(json.servers.map(({ url }) => url), [fastUrl, slowUrl])
      assert.deepStrictEqual(json.servers.map(({ count }) => count), [fast.seen(), slow.seen()])
      assert.strictEqual(fast.seen() + slow.seen(), json.count)
      assert.ok(fast.seen() > json.count / 3 && slow.seen() > json.count / 3, `${fast.seen()} and ${slow.seen()}`)
      assert.ok(json.servers[0].latency_ns.p50 < json.servers[1].latency_ns.p50, JSON.stringify(json.servers))
      assert.ok(json.servers[1].latency_ns.p50 >= 19e6, JSON.stringify(json.servers)) // Timers count whole milliseconds: 20 may be 19.
      assert.deepStrictEqual([[...fast.hosts], [...slow.hosts]], [[new URL(fastUrl).host], [new URL(slowUrl).host]])
    }))
  })
}

it('several servers are told one by one for people', async () => {
  const [one, two] = [serverOf(0), serverOf(0)]
  await serving(one.server, (oneUrl) => serving(two.server, async (twoUrl) => {
    const { stdout } = await load([oneUrl, twoUrl, '--rate', '50', '--duration', '0.2'])
    assert.match(stdout, new RegExp(`^${oneUrl} ${twoUrl}, open loop`))
    for (const url of [oneUrl, twoUrl]) assert.match(stdout, new RegExp(`^ +${url} +[0-9.]+ `, 'm'))
  }))
})
