'use strict'

// Each job that a worker takes up is a request, by its queue and its name.

const { wrap } = require('../wrapping/wrap')
const { callsAsRequests } = require('./handled')

module.exports = {
  meet ({ Worker }) {
    wrap([Worker.prototype], 'callProcessJob', (callProcessJob) => callsAsRequests(callProcessJob, (worker, job) => `JOB ${worker.name} ${job.name}`))
  }
}
