-- Bitmaps of Java heaps. What their numbers mean: PID * 10^7 + STORAGE * 10^6 + a counter.

-- Where pixels are.
CREATE PERFETTO FUNCTION _android_bitmap_storage_type_name(
  -- The number of the kind.
  storage_type LONG
)
-- Its name; NULL: there is none.
RETURNS STRING AS
SELECT
  CASE $storage_type
    WHEN 0 THEN 'wrapped_pixel_ref'
    WHEN 1 THEN 'heap'
    WHEN 2 THEN 'ashmem'
    WHEN 3 THEN 'hardware'
  END;

-- The process that had a pid at a time.
CREATE PERFETTO FUNCTION _android_bitmap_resolve_sender_upid(
  -- The pid.
  pid LONG,
  -- The time.
  at_ts TIMESTAMP
)
-- The process; NULL: the trace knows none.
RETURNS LONG AS
SELECT upid
FROM process
WHERE
  pid = $pid
  AND (start_ts IS NULL OR start_ts <= $at_ts)
  AND (end_ts IS NULL OR end_ts >= $at_ts)
ORDER BY start_ts DESC
LIMIT 1;

-- One row for each bitmap in each dump. What its fields say is known where the dump has them.
CREATE PERFETTO TABLE heap_graph_bitmaps(
  -- The object.
  object_id JOINID(heap_graph_object.id),
  -- The process.
  upid JOINID(process.id),
  -- The dump.
  graph_sample_ts TIMESTAMP,
  -- Pixels in a row.
  width LONG,
  -- Rows.
  height LONG,
  -- Dots per inch.
  density LONG,
  -- Its number.
  bitmap_id LONG,
  -- The process that made it, by its number.
  bitmap_pid LONG,
  -- Where its pixels are, by its number.
  bitmap_storage_type STRING,
  -- The number that it had where it was sent from. NULL: it was not sent.
  source_id LONG,
  -- The process there.
  source_pid LONG,
  -- Where its pixels were there.
  source_storage_type STRING,
  -- The process there, if the trace knows it.
  source_upid JOINID(process.id),
  -- The name of that.
  source_process_name STRING,
  -- Size in the Java heap.
  self_size LONG,
  -- Size outside of it.
  native_size LONG,
  -- Whether a root leads to it.
  reachable BOOL
) AS
WITH
  bitmaps AS (
    SELECT o.*, d.field_set_id
    FROM heap_graph_object AS o
    JOIN heap_graph_class AS c ON c.id = o.type_id
    LEFT JOIN heap_graph_object_data AS d ON d.id = o.object_data_id
    WHERE ifnull(c.deobfuscated_name, c.name) = 'android.graphics.Bitmap'
  ),
  fields AS (
    SELECT
      field_set_id,
      max(int_value) FILTER (WHERE field_name GLOB '*.mWidth') AS width,
      max(int_value) FILTER (WHERE field_name GLOB '*.mHeight') AS height,
      max(int_value) FILTER (WHERE field_name GLOB '*.mDensity') AS density,
      max(long_value) FILTER (WHERE field_name GLOB '*.mId') AS bitmap_id,
      nullif(max(long_value) FILTER (WHERE field_name GLOB '*.mSourceId'), -1) AS source_id
    FROM heap_graph_primitive
    WHERE field_set_id IN (SELECT field_set_id FROM bitmaps)
    GROUP BY field_set_id
  ),
  decoded AS (
    SELECT
      b.*, f.width, f.height, f.density, f.bitmap_id, f.source_id,
      f.source_id / 10000000 AS source_pid,
      _android_bitmap_resolve_sender_upid(f.source_id / 10000000, b.graph_sample_ts) AS source_upid
    FROM bitmaps AS b LEFT JOIN fields AS f USING (field_set_id)
  )
SELECT
  d.id AS object_id, d.upid, d.graph_sample_ts, d.width, d.height, d.density, d.bitmap_id,
  d.bitmap_id / 10000000 AS bitmap_pid,
  _android_bitmap_storage_type_name(d.bitmap_id / 1000000 % 10) AS bitmap_storage_type,
  d.source_id, d.source_pid,
  _android_bitmap_storage_type_name(d.source_id / 1000000 % 10) AS source_storage_type,
  d.source_upid, p.name AS source_process_name, d.self_size, d.native_size, d.reachable
FROM decoded AS d LEFT JOIN process AS p ON p.upid = d.source_upid
ORDER BY d.id;
