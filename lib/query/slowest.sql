-- The 20 slowest requests, and what their time went to.
SELECT request, route, status,
  round(latency_ns / 1e6, 3) AS ms, round(io_ns / 1e6, 3) AS io_ms,
  round(queue_ns / 1e6, 3) AS queue_ms, round(exec_ns / 1e6, 3) AS exec_ms,
  round((exec_gc_ns + queue_gc_ns) / 1e6, 3) AS gc_ms, process, thread
FROM requests
WHERE counted AND latency_ns IS NOT NULL
ORDER BY latency_ns DESC
LIMIT 20
