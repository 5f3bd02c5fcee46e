'use strict'

// What questions about time are asked with: docs/tables.md. Each stretch is
// given as its begin and its length, as the tables have them.

const MACROS = [
  'ms(x) AS CAST(round(x * 1000000) AS BIGINT)',
  'us(x) AS CAST(round(x * 1000) AS BIGINT)',
  // They share some time.
  'during(a_start, a_dur, b_start, b_dur) AS a_start < b_start + b_dur AND a_start + a_dur > b_start',
  // A ended, and so soon after that B began.
  'before(a_start, a_dur, b_start, b_dur, within := 1000000000000000000) AS b_start - a_start - a_dur BETWEEN 0 AND within',
  'after(a_start, a_dur, b_start, b_dur, within := 1000000000000000000) AS a_start - b_start - b_dur BETWEEN 0 AND within',
  `blocked_by(id, in_trace := NULL) AS TABLE
    SELECT trace, what, kind, route, type, ns, round(ns / 1e6, 3) AS ms
    FROM blockers WHERE request = id AND (in_trace IS NULL OR trace = in_trace) ORDER BY trace, ns DESC`,
  `critical_path_of(id, in_trace := NULL) AS TABLE
    SELECT trace, step, type, dependency, call, inferred,
      round((start_ns - min(start_ns) OVER (PARTITION BY trace)) / 1e6, 3) AS at_ms,
      round(io_ns / 1e6, 3) AS io_ms, round(queue_ns / 1e6, 3) AS queue_ms,
      round(exec_ns / 1e6, 3) AS exec_ms, round(gc_ns / 1e6, 3) AS gc_ms
    FROM steps WHERE request = id AND (in_trace IS NULL OR trace = in_trace) ORDER BY trace, step`
]

module.exports = { MACROS }
