-- Slices, with who they belong to and their own time.

INCLUDE PERFETTO MODULE orma.durations;

-- What the children of a slice are known to have taken.
CREATE PERFETTO TABLE _orma_children AS
WITH each AS (
  SELECT parent_id, dur FROM slice WHERE parent_id IS NOT NULL AND dur >= 0
  UNION ALL
  SELECT s.parent_id, o.end_ts - o.ts AS dur
  FROM orma_open_slice AS o JOIN slice AS s ON s.id = o.id
  WHERE s.parent_id IS NOT NULL AND o.end_ts IS NOT NULL
)
SELECT parent_id AS id, sum(dur) AS dur FROM each GROUP BY parent_id;

-- Slices, with the thread or process that they belong to.
CREATE PERFETTO VIEW orma_slice(
  -- Alias for `slice.id`.
  id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; NULL if that is not known: it was not seen to end.
  dur DURATION,
  -- The part of it that none of its children is known to take.
  self_dur DURATION,
  -- Its name.
  name STRING,
  -- Its category.
  category STRING,
  -- Whether its end is known: it is in the trace, or that of its thread or process is.
  ended BOOL,
  -- The thread, if it is on a thread's track.
  utid JOINID(thread.id),
  -- The process, also that of the thread.
  upid JOINID(process.id)
) AS
SELECT
  s.id, s.ts, iif(s.dur < 0, o.end_ts - s.ts, s.dur) AS dur,
  iif(s.dur < 0, o.end_ts - s.ts, s.dur) - coalesce(c.dur, 0) AS self_dur, s.name, s.category,
  s.dur >= 0 OR o.end_ts IS NOT NULL AS ended, tt.utid, coalesce(th.upid, pt.upid) AS upid
FROM slice AS s
JOIN track AS t ON s.track_id = t.id
LEFT JOIN orma_open_slice AS o ON o.id = s.id
LEFT JOIN _orma_children AS c ON c.id = s.id
LEFT JOIN thread_track AS tt ON tt.id = s.track_id
LEFT JOIN thread AS th ON th.utid = tt.utid
LEFT JOIN process_track AS pt ON pt.id = s.track_id
WHERE t.type NOT IN ('cpu_irq', 'cpu_softirq', 'cpu_hrtimer')
  AND NOT (s.name GLOB 'sys_*' AND s.category IS NULL AND tt.utid IS NOT NULL)
  AND s.category IS NOT 'strace';
