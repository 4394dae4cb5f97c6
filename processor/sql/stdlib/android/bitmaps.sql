-- Bitmaps of apps, as counters of the atrace category "view" tell.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO MACRO _bitmap_counter(name Expr)
RETURNS TableOrSubquery AS
(
  SELECT i.id, t.upid, i.ts, i.dur, i.track_id, CAST(i.value AS INT) AS value
  FROM counter_leading_intervals!(
    (
      SELECT c.id, c.ts, c.track_id, c.value
      FROM counter AS c JOIN process_counter_track AS t ON t.id = c.track_id
      WHERE t.name = $name
    )
  ) AS i
  JOIN process_counter_track AS t ON t.id = i.track_id
  ORDER BY t.upid, i.ts
);

-- Bytes of each process in bitmaps, until the next sample.
CREATE PERFETTO TABLE android_bitmap_memory(
  id ID(counter.id), upid JOINID(process.id), ts TIMESTAMP, dur DURATION,
  track_id JOINID(counter.track_id), value LONG
) AS
SELECT * FROM _bitmap_counter!('Bitmap Memory');

-- Bitmaps of each process, until the next sample.
CREATE PERFETTO TABLE android_bitmap_count(
  id ID(counter.id), upid JOINID(process.id), ts TIMESTAMP, dur DURATION,
  track_id JOINID(counter.track_id), value LONG
) AS
SELECT * FROM _bitmap_counter!('Bitmap Count');

CREATE PERFETTO VIEW _bitmap_memory_spans AS
SELECT id AS bitmap_memory_id, upid, ts, dur, value AS bitmap_memory
FROM android_bitmap_memory
WHERE dur > 0;

CREATE PERFETTO VIEW _bitmap_count_spans AS
SELECT id AS bitmap_count_id, upid, ts, dur, value AS bitmap_count
FROM android_bitmap_count
WHERE dur > 0;

CREATE VIRTUAL TABLE _bitmap_memory_beside_count USING SPAN_OUTER_JOIN(
  _bitmap_memory_spans PARTITIONED upid, _bitmap_count_spans PARTITIONED upid
);

-- Both together; NULL where one is not known.
CREATE PERFETTO TABLE android_bitmap_counters_per_process(
  upid JOINID(process.id), process_name STRING, ts TIMESTAMP, dur DURATION, bitmap_memory LONG,
  bitmap_count LONG, bitmap_memory_id JOINID(counter.id), bitmap_count_id JOINID(counter.id)
) AS
SELECT
  s.upid, p.name AS process_name, s.ts, s.dur, s.bitmap_memory, s.bitmap_count, s.bitmap_memory_id,
  s.bitmap_count_id
FROM _bitmap_memory_beside_count AS s JOIN process AS p USING (upid)
ORDER BY s.upid, s.ts;
