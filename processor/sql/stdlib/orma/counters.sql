-- What counters count.

INCLUDE PERFETTO MODULE orma.machines;

-- Tracks of counters, with what they belong to.
CREATE PERFETTO VIEW orma_counter_track(
  -- Alias for `counter_track.id`.
  id LONG,
  -- The counter.
  name STRING,
  -- Its unit, if it has one.
  unit STRING,
  -- What kind of counter it is.
  type STRING,
  -- The cpu, process or thread that it belongs to, and of several machines which one; NULL for those of the only one.
  owner STRING,
  -- The process, also that of the thread.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id)
) AS
SELECT
  c.id, c.name, c.unit, c.type,
  nullif(
    concat_ws(
      ' on ',
      coalesce('cpu ' || cpu.cpu, coalesce(tt.name || ' ', '') || tt.tid, coalesce(pp.name || ' ', '') || pp.pid),
      orma_machine_label(c.machine_id)
    ),
    ''
  ) AS owner,
  coalesce(p.upid, tt.upid) AS upid, t.utid
FROM counter_track AS c
LEFT JOIN cpu_counter_track AS cpu ON cpu.id = c.id
LEFT JOIN thread_counter_track AS t ON t.id = c.id
LEFT JOIN thread AS tt ON tt.utid = t.utid
LEFT JOIN process_counter_track AS p ON p.id = c.id
LEFT JOIN process AS pp ON pp.upid = p.upid;
