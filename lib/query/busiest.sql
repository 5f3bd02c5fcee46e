-- The 20 busiest stretches of each loop's time: how many waited, and how much of it was collecting.
SELECT round((loop.start_ns - meta.start_ns) / 1e9, 1) AS at_s, process, thread,
  round(100 * busy_ns / loop.dur_ns, 1) AS busy_percent, round(100 * gc_ns / loop.dur_ns, 1) AS gc_percent,
  round(waiting_ns / loop.dur_ns, 1) AS waiting, most_waiting, loop.events
FROM loop JOIN meta USING (trace)
WHERE loop.dur_ns > 0
ORDER BY busy_ns / loop.dur_ns DESC
LIMIT 20
