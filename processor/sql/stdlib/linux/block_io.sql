-- Requests to block devices.

INCLUDE PERFETTO MODULE intervals.overlap;

-- How many requests wait or are worked on, by device number.
CREATE PERFETTO VIEW linux_active_block_io_operations_by_device(
  ts LONG, ops_in_queue_or_device LONG, dev LONG
) AS
SELECT ts, value AS ops_in_queue_or_device, group_name AS dev
FROM intervals_overlap_count_by_group!(
  (
    SELECT s.ts, s.dur, extract_arg(t.dimension_arg_set_id, 'block_device') AS dev
    FROM slice AS s JOIN track AS t ON s.track_id = t.id
    WHERE t.type = 'block_io'
  ),
  ts, dur, dev
);

CREATE PERFETTO FUNCTION linux_device_major_id(dev LONG)
RETURNS LONG AS
SELECT $dev >> 20;

CREATE PERFETTO FUNCTION linux_device_minor_id(dev LONG)
RETURNS LONG AS
SELECT $dev & ((1 << 20) - 1);
