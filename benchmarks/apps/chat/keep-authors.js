'use strict'

// Preloaded into feathers-chat: who wrote a message is kept for a second. Its
// own hook reads the author of each message of a list anew.

const { onLoad } = require('../on-load')

const KEEP_MS = 1000
const HOOK = /\/feathers-chat\/src\/hooks\/populate-user\.js$/

onLoad(HOOK, (hook) => { hook.exports = populateUser })

function populateUser () {
  /** @type {Map<string, { author: Promise<any>, untilMs: number }>} by user and who asks: outside callers get a safe version */
  const kept = new Map()

  function authorOf (id, { app, params }) {
    const key = `${params.provider} ${id}`
    const known = kept.get(key)
    if (known && known.untilMs > Date.now()) return known.author
    const author = app.service('users').get(id, params)
    kept.set(key, { author, untilMs: Date.now() + KEEP_MS })
    author.catch(() => kept.delete(key))
    return author
  }

  return async (context) => {
    const { method, result } = context
    const withUser = async (message) => ({ ...message, user: await authorOf(message.userId, context) })
    if (method === 'find') result.data = await Promise.all(result.data.map(withUser))
    else context.result = await withUser(result)
    return context
  }
}
