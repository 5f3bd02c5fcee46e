-- Each route: how many requests, how slow, and how much of that they waited for the loop.
SELECT route, count(*) AS requests, sum(tail::INT) AS tail,
  round(quantile_disc(latency_ns, 0.5) / 1e6, 3) AS p50_ms,
  round(quantile_disc(latency_ns, 0.99) / 1e6, 3) AS p99_ms,
  round(max(latency_ns) / 1e6, 3) AS max_ms,
  round(100 * sum(queue_ns) / sum(latency_ns), 1) AS queued_percent
FROM requests
WHERE counted AND latency_ns IS NOT NULL
GROUP BY route
ORDER BY sum(latency_ns) DESC
