'use strict'

// Below Socket.IO: a poll is answered when there is something to tell.

const { LONG_POLL } = require('../event-streams')
const { addDetail } = require('../named')
const { whileRecording } = require('../now')
const { unseen } = require('../unseen')
const { wrap } = require('../wrap')

const note = whileRecording((/** @type {any} */ _, /** @type {any} */ request) => addDetail(request, LONG_POLL))

/** @type {import('../modules').Met} */
module.exports = {
  name: 'Engine.IO',
  file: /\/engine\.io\/build\/transports\/polling\.js$/,
  meet ({ Polling }) {
    wrap([Polling.prototype], 'onPollRequest', (onPollRequest) => unseen().before(onPollRequest, note))
  }
}
