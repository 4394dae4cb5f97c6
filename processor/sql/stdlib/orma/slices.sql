-- Slices, with who they belong to and their own time.

INCLUDE PERFETTO MODULE slices.self_dur;

CREATE PERFETTO VIEW orma_slice(
  -- Alias for `slice.id`.
  id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; to the end of the trace if it did not end.
  dur DURATION,
  -- The part of it that none of its children takes.
  self_dur DURATION,
  -- Its name.
  name STRING,
  -- Its category.
  category STRING,
  -- Whether its end is in the trace.
  ended BOOL,
  -- The thread, if it is on a thread's track.
  utid JOINID(thread.id),
  -- The process, also that of the thread.
  upid JOINID(process.id)
) AS
SELECT
  s.id, s.ts, iif(s.dur < 0, trace_end() - s.ts, s.dur) AS dur,
  iif(s.dur < 0, NULL, d.self_dur) AS self_dur, s.name, s.category, s.dur >= 0 AS ended, tt.utid,
  coalesce(th.upid, pt.upid) AS upid
FROM slice AS s
JOIN track AS t ON s.track_id = t.id
LEFT JOIN slice_self_dur AS d ON d.id = s.id
LEFT JOIN thread_track AS tt ON tt.id = s.track_id
LEFT JOIN thread AS th ON th.utid = tt.utid
LEFT JOIN process_track AS pt ON pt.id = s.track_id
WHERE t.type NOT IN ('cpu_irq', 'cpu_softirq', 'cpu_hrtimer')
  AND NOT (s.name GLOB 'sys_*' AND s.category IS NULL AND tt.utid IS NOT NULL)
  AND s.category IS NOT 'strace';
