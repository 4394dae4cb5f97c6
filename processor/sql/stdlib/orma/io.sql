-- Requests to block devices.

-- Words for the letters by which the kernel describes a request.
CREATE PERFETTO FUNCTION _orma_io_operation(rwbs STRING)
RETURNS STRING AS
SELECT CASE
  WHEN $rwbs GLOB '*D*' THEN 'discard'
  WHEN $rwbs GLOB '*W*' THEN 'write'
  WHEN $rwbs GLOB '*R*' THEN 'read'
  WHEN $rwbs GLOB 'F*' THEN 'flush'
  ELSE 'other'
END;

CREATE PERFETTO TABLE _orma_block_event AS
SELECT
  e.id, e.ts, e.name, e.utid, c.machine_id,
  extract_arg(e.arg_set_id, 'dev') AS dev,
  extract_arg(e.arg_set_id, 'sector') AS sector,
  extract_arg(e.arg_set_id, 'nr_sector') AS nr_sector,
  extract_arg(e.arg_set_id, 'rwbs') AS rwbs,
  extract_arg(e.arg_set_id, 'error') AS error
FROM ftrace_event AS e LEFT JOIN cpu AS c ON c.ucpu = e.ucpu
WHERE e.name IN ('block_rq_insert', 'block_rq_issue', 'block_rq_complete')
ORDER BY e.id;

-- Each request with the events of the same place before and behind it.
CREATE PERFETTO TABLE _orma_block_pair AS
SELECT
  *,
  lag(name) OVER w AS prev_name, lag(ts) OVER w AS prev_ts,
  lead(name) OVER w AS next_name, lead(ts) OVER w AS next_ts, lead(error) OVER w AS next_error
FROM _orma_block_event
WINDOW w AS (PARTITION BY machine_id, dev, sector ORDER BY ts, id);

-- Requests that a device has completed.
CREATE PERFETTO TABLE orma_block_request(
  -- Number of the event that gave it to the device.
  id LONG,
  -- When the device got it.
  ts TIMESTAMP,
  -- How long the device took.
  dur DURATION,
  -- How long it was queued before; NULL if it was not.
  queue_dur DURATION,
  -- The device as MAJOR:MINOR.
  device STRING,
  -- `read`, `write`, `flush`, `discard` or `other`.
  operation STRING,
  -- Bytes that were asked for.
  bytes LONG,
  -- The thread that issued it; for writes often one of the kernel's.
  utid JOINID(thread.id),
  -- Error number of the completion; 0: none.
  error LONG,
  -- The machine: two have devices of one number.
  machine_id LONG
) AS
SELECT
  id, ts, next_ts - ts AS dur, iif(prev_name = 'block_rq_insert', ts - prev_ts, NULL) AS queue_dur,
  ((dev >> 8) & 0xfff) || ':' || ((dev & 0xff) | ((dev >> 12) & 0xfff00)) AS device,
  _orma_io_operation(rwbs) AS operation, nr_sector * 512 AS bytes, utid,
  coalesce(next_error, 0) AS error, machine_id
FROM _orma_block_pair
WHERE name = 'block_rq_issue' AND next_name = 'block_rq_complete'
ORDER BY id;
