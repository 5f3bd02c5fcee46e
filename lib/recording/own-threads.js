'use strict'

// How many threads this process has beside those that run JavaScript, as it was told.

const UV_DEFAULT = 4
const UV_MOST = 1024
const V8_DEFAULT = 4

/** @returns {{ pool_threads: number, v8_threads?: number }} of libuv's pool; V8's helpers (unknown where V8 counts processors) */
function ownThreads () {
  const pool = Number.parseInt(process.env.UV_THREADPOOL_SIZE ?? '')
  return {
    pool_threads: Number.isNaN(pool) ? UV_DEFAULT : Math.min(Math.max(pool, 1), UV_MOST),
    ...v8Threads()
  }
}

function v8Threads () {
  const given = [process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' ').matchAll(/--v8-pool-size[= ](\d+)/g)
  const size = Array.from(given, ([, number]) => Number(number)).pop() ?? V8_DEFAULT
  return size > 0 ? { v8_threads: size } : {}
}

module.exports = { ownThreads }
