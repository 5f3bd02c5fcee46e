'use strict'

// Below Socket.IO: a poll is answered when there is something to tell.

const { LONG_POLL } = require('../servers/event-streams')
const { addDetail } = require('../servers/named')
const { whileRecording } = require('../wrapping/now')
const { unseen } = require('../wrapping/unseen')
const { wrap } = require('../wrapping/wrap')

const note = whileRecording((/** @type {any} */ _, /** @type {any} */ request) => addDetail(request, LONG_POLL))

module.exports = {
  meet ({ Polling }) {
    wrap([Polling.prototype], 'onPollRequest', (onPollRequest) => unseen().before(onPollRequest, note))
  }
}
