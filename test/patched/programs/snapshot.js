'use strict'

// Built into a snapshot: what of events is in it?

const { startupSnapshot } = require('node:v8')

const native = (parameters, body) => { try { return new Function(...parameters, body) } catch {} } // eslint-disable-line no-new-func
const eventOf = native(['f'], 'return %FunctionEventId(f)') ?? (() => 'unknown')
const track = native(['on'], 'return %TrackEvents(on)')

const tracked = track?.(true)
const kept = () => 1
const built = eventOf(kept)
startupSnapshot.setDeserializeMainFunction(() => console.log(`built ${built} ${tracked}, restored ${eventOf(kept)}`))
