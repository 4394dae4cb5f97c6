-- Buffers that devices share, as spans.

INCLUDE PERFETTO MODULE android.memory.dmabuf;

-- From the time a process has so many bytes to the time it has others.
CREATE PERFETTO TABLE _dmabuf_spans AS
SELECT
  ts, ifnull(lead(ts) OVER one_process, trace_end()) - ts AS dur, upid, value
FROM android_memory_cumulative_dmabuf
WHERE upid IS NOT NULL
WINDOW one_process AS (PARTITION BY upid ORDER BY ts)
ORDER BY ts;
