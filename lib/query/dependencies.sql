-- What requests waited for outside of the program: how long, how often, and one after the other.
SELECT dependency, round(sum(dur_ns) / 1e6, 3) AS ms, count(*) FILTER (dur_ns > 0) AS waits, sum(asked) AS asked,
  count(DISTINCT (trace, request)) AS requests, round(quantile_disc(dur_ns, 0.99) / 1e6, 3) AS p99_ms
FROM calls JOIN requests USING (trace, request)
WHERE counted
GROUP BY dependency
ORDER BY sum(dur_ns) DESC
