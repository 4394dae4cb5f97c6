-- Power of the tensor processor, in mW.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.tpu.freq_idle;
INCLUDE PERFETTO MODULE wattson.utils;

CREATE PERFETTO TABLE _tpu_combined_state AS
SELECT ii.ts, ii.dur, f.freq, f.cluster, r.requests
FROM _interval_intersect!(
  (
    (SELECT _auto_id AS id, ts, dur FROM _tpu_freq WHERE ts IS NOT NULL),
    _ii_subquery!(_tpu_requests_count)
  ),
  ()
) AS ii
JOIN _tpu_freq AS f ON f._auto_id = ii.id_0
JOIN _tpu_requests_count AS r ON r._auto_id = ii.id_1
ORDER BY ii.ts;

CREATE PERFETTO TABLE _tpu_estimates_mw AS
SELECT s.ts, s.dur, c.active AS tpu_mw
FROM _tpu_combined_state AS s
JOIN _tpu_filtered_curves AS c
  ON c.cluster = s.cluster AND c.requests = s.requests AND c.freq = s.freq
WHERE s.dur > 0
ORDER BY s.ts;
