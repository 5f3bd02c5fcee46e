-- Each application, machine and day: requests, and how slow they were.
SELECT app, host, date, count(*) AS requests,
  round(quantile_disc(latency_ns, 0.5) / 1e6, 3) AS p50_ms, round(quantile_disc(latency_ns, 0.99) / 1e6, 3) AS p99_ms,
  round(quantile_disc(latency_ns, 0.999) / 1e6, 3) AS p999_ms
FROM requests
WHERE counted AND latency_ns IS NOT NULL
GROUP BY app, host, date
ORDER BY app, host, date
