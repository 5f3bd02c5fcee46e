-- Slow requests with a collection of more than a millisecond in their time, longest first.
SELECT request, route, round(latency_ns / 1e6, 3) AS ms, gcs.type AS collection,
  round(gcs.dur_ns / 1e6, 3) AS collection_ms, round((gcs.start_ns - requests.start_ns) / 1e6, 3) AS after_ms
FROM requests JOIN gcs ON requests.trace = gcs.trace AND during(gcs.start_ns, gcs.dur_ns, requests.start_ns, latency_ns)
WHERE counted AND tail AND gcs.dur_ns > ms(1)
ORDER BY gcs.dur_ns DESC, latency_ns DESC
LIMIT 100
