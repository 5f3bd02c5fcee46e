'use strict'

// Each job that a worker takes up is a request, by its queue and its name.

const { wrap } = require('../wrapping/wrap')
const { callsAsRequests } = require('./handled')

/** @type {import('../wrapping/modules').Met} */
module.exports = {
  name: 'BullMQ',
  file: /\/bullmq\/dist\/(cjs|esm)\/classes\/worker\.js$/,
  meet ({ Worker }) {
    wrap([Worker.prototype], 'callProcessJob', (callProcessJob) => callsAsRequests(callProcessJob, (worker, job) => `JOB ${worker.name} ${job.name}`))
  }
}
