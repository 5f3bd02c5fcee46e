-- What the tail waited behind: as the report's table, in full.
SELECT what, round(sum(ns) / 1e6, 3) AS ms,
  round(100 * sum(ns) / sum(sum(ns)) OVER (), 1) AS percent, count(DISTINCT (trace, request)) AS requests
FROM blockers JOIN requests USING (trace, request)
WHERE counted AND tail
GROUP BY what
ORDER BY sum(ns) DESC
