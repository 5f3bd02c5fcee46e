'use strict'

// V8's natives as functions: the programs need --allow-natives-syntax to run,
// but no parser needs to know that syntax.

const native = (parameters, body) => new Function(...parameters, body) // eslint-disable-line no-new-func

const KINDS = { 1: 'closure', 2: 'bound', 3: 'reaction', 4: 'resumed' }

const takeNumbers = native([], 'return %TakeEventEdges()')

module.exports = {
  eventOf: native(['f'], 'return %FunctionEventId(f)'),
  /** Makes an event current, and returns the one that was. */
  setEvent: native(['id'], 'return %SetCurrentEvent(id)'),
  /** Switches tracking on or off, and returns whether that worked. */
  track: native(['on'], 'return %TrackEvents(on)'),
  prepare: native(['f'], '%PrepareFunctionForOptimization(f)'),
  optimizeOnNextCall: native(['f'], '%OptimizeFunctionOnNextCall(f)'),
  optimizeConcurrently: native(['f'], '%OptimizeFunctionOnNextCall(f, "concurrent")'),
  finalizeOptimization: native([], '%FinalizeOptimization()'),
  deoptimize: native(['f'], '%DeoptimizeFunction(f)'),
  neverOptimize: native(['f'], '%NeverOptimizeFunction(f)'),
  isOptimized: native(['f'], 'return (%GetOptimizationStatus(f) & (1 << 4)) !== 0'),
  runMicrotasks: native([], '%PerformMicrotaskCheckpoint()'),

  /** The edges since the last call, as 'src>dst kind'. */
  takeEdges () {
    const numbers = takeNumbers()
    const edges = []
    for (let i = 0; i < numbers.length; i += 3) edges.push(`${numbers[i]}>${numbers[i + 1]} ${KINDS[numbers[i + 2]]}`)
    return edges
  }
}
