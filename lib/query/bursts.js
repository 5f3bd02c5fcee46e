'use strict'

/**
 * @param {string} predicate in SQL, on the columns of `requests`
 * @returns {string} the bursts in which a request like that lies as a whole, the one with the slowest first
 */
function burstsWith (predicate) {
  return `WITH known AS (
    SELECT trace, burst AS config, burst & -burst AS length_ms FROM meta WHERE burst > 0
  ), found AS (
    SELECT r.*, k.config, k.length_ms,
      r.unix_ns // 1000000 AS from_ms, (r.unix_ns + r.latency_ns) // 1000000 AS to_ms
    FROM requests r JOIN known k ON r.trace = k.trace
    WHERE (${predicate}
    )
  )
  SELECT make_timestamp((from_ms // length_ms * length_ms)::BIGINT * 1000) AS burst,
    any_value(length_ms) AS ms, count(*) AS requests, count(DISTINCT (host, process)) AS processes,
    round(max(latency_ns) / 1e6, 3) AS slowest_ms, arg_max(route, latency_ns) AS slowest_route,
    arg_max(host, latency_ns) AS host, arg_max(process, latency_ns) AS process, arg_max(request, latency_ns) AS request
  FROM found
  WHERE from_ms & config = config AND from_ms // length_ms = to_ms // length_ms
  GROUP BY from_ms // length_ms, length_ms ORDER BY max(latency_ns) DESC`
}

module.exports = { burstsWith }
