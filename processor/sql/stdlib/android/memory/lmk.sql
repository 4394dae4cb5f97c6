-- Processes that were killed because memory was short.

INCLUDE PERFETTO MODULE android.oom_adjuster;

-- oom_score_adj: the last one of the process before it was killed.
CREATE PERFETTO TABLE android_lmk_events(
  ts TIMESTAMP, upid JOINID(process.id), pid LONG, process_name STRING, oom_score_adj LONG
) AS
WITH kills AS (
  SELECT
    s.ts,
    coalesce(
      extract_arg(t.dimension_arg_set_id, 'upid'),
      (SELECT h.upid FROM thread AS h WHERE h.utid = extract_arg(t.dimension_arg_set_id, 'utid'))
    ) AS upid
  FROM slice AS s JOIN track AS t ON t.id = s.track_id
  WHERE s.name IN ('mem.lmk', 'mem.oom_kill')
)
SELECT
  k.ts, k.upid, p.pid, p.name AS process_name,
  (
    SELECT o.score FROM android_oom_adj_intervals AS o
    WHERE o.upid = k.upid AND o.ts <= k.ts
    ORDER BY o.ts DESC LIMIT 1
  ) AS oom_score_adj
FROM kills AS k LEFT JOIN process AS p ON p.upid = k.upid
ORDER BY k.ts;
