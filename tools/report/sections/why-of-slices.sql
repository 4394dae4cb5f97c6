INCLUDE PERFETTO MODULE orma.why;
CREATE OR REPLACE PERFETTO TABLE orma_why_interval AS
WITH
  each AS (
    SELECT * FROM (
      SELECT s.id, s.ts, iif(s.dur < 0, o.end_ts - s.ts, s.dur) AS dur, t.utid, t.upid, s.name
      FROM slice AS s JOIN thread_track AS k ON k.id = s.track_id JOIN thread AS t USING (utid)
      LEFT JOIN orma_open_slice AS o ON o.id = s.id
    ) WHERE dur > 0 AND ts >= $from AND ts < $end$owners$slices
  ),
  ends AS (
    SELECT *, max(ts + dur) OVER (
        PARTITION BY utid ORDER BY ts, dur DESC, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS outer_end
    FROM each
  )
SELECT id, ts, dur, utid, upid, name FROM ends WHERE ts + dur > coalesce(outer_end, 0);
