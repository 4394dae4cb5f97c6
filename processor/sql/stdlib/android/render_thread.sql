-- The threads that draw for programs.

-- Those of each process: there may be several, one after the other.
CREATE PERFETTO TABLE _render_thread_per_process AS
SELECT upid, utid AS render_thread_utid
FROM thread
WHERE name = 'RenderThread' AND upid IS NOT NULL
ORDER BY utid;
