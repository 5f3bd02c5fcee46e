'use strict'

// Asks for the metrics of its thread each second, as Prometheus at its most
// curious would.

const { metrics } = require('../../lib')

setInterval(metrics, 1000).unref()
