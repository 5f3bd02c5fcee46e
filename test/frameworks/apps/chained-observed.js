'use strict'

// One of several services, observed by OpenTelemetry: writes its spans to the
// file SPANS, a line of JSON each, as they end. CHAINED: the service itself.

const fs = require('node:fs')
const { registerInstrumentations } = require('@opentelemetry/instrumentation')
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http')
const { NodeTracerProvider, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-node')

const file = fs.openSync(/** @type {string} */ (process.env.SPANS), 'w')
const exporter = {
  /** @param {any[]} spans @param {(result: { code: number }) => void} done */
  export (spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext()
      fs.writeSync(file, `${JSON.stringify({ kind: span.kind, trace: traceId, id: spanId, parent: span.parentSpanContext?.spanId ?? span.parentSpanId })}\n`)
    }
    done({ code: 0 })
  },
  shutdown: async () => {}
}

new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(/** @type {any} */ (exporter))] }).register()
registerInstrumentations({ instrumentations: [new HttpInstrumentation()] })

require(/** @type {string} */ (process.env.CHAINED))
