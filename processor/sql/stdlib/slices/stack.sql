-- Slices by what lies above them: equal chains of categories and names have equal ids.

INCLUDE PERFETTO MODULE slices.hierarchy;

-- The chain of a slice is the hash of itself, then those of what encloses it from the outermost
-- on. Slices without a name are left out of chains.
CREATE PERFETTO TABLE _slice_stacks AS
WITH RECURSIVE
  own AS MATERIALIZED (
    SELECT
      id, parent_id,
      iif(name IS NULL, NULL, CAST(hash(coalesce(category, '') || '|' || name) AS TEXT)) AS part
    FROM slice
  ),
  chains(id, path, chain) AS (
    SELECT id, part, part FROM own WHERE parent_id IS NULL
    UNION ALL
    SELECT
      s.id, coalesce(c.path || '|' || o.part, c.path, o.part),
      coalesce(o.part || '|' || c.path, c.path, o.part)
    FROM chains AS c JOIN slice AS s ON s.parent_id = c.id JOIN own AS o ON o.id = s.id
  ),
  hashes AS MATERIALIZED (
    SELECT id, iif(chain IS NULL, 0, hash(chain)) AS stack_id FROM chains
  )
SELECT s.id, h.stack_id, coalesce(p.stack_id, 0) AS parent_stack_id
FROM slice AS s JOIN hashes AS h ON h.id = s.id LEFT JOIN hashes AS p ON p.id = s.parent_id
ORDER BY s.id;

CREATE PERFETTO INDEX _slice_stacks_by_stack ON _slice_stacks(stack_id);

CREATE PERFETTO VIEW slice_with_stack_id(
  id ID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG, thread_instruction_count LONG, thread_instruction_delta LONG, stack_id LONG,
  parent_stack_id LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.track_id, s.category, s.name, s.depth, s.parent_id, s.arg_set_id,
  s.thread_ts, s.thread_dur, s.thread_instruction_count, s.thread_instruction_delta, k.stack_id,
  k.parent_stack_id
FROM slice AS s JOIN _slice_stacks AS k ON k.id = s.id;

-- The slices of that stack and what encloses them, in order of ts.
CREATE PERFETTO FUNCTION ancestor_slice_by_stack(stack_hash LONG)
RETURNS TABLE(
  id JOINID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG
) AS
SELECT DISTINCT
  a.id, a.ts, a.dur, a.track_id, a.category, a.name, a.depth, a.parent_id, a.arg_set_id,
  a.thread_ts, a.thread_dur
FROM _slice_stacks AS k JOIN _slice_ancestor_and_self(k.id) AS a
WHERE k.stack_id = $stack_hash
ORDER BY a.ts;

-- The slices of that stack and what lies in them, in order of ts.
CREATE PERFETTO FUNCTION descendant_slice_by_stack(stack_hash LONG)
RETURNS TABLE(
  id JOINID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG
) AS
SELECT DISTINCT
  d.id, d.ts, d.dur, d.track_id, d.category, d.name, d.depth, d.parent_id, d.arg_set_id,
  d.thread_ts, d.thread_dur
FROM _slice_stacks AS k JOIN _slice_descendant_and_self(k.id) AS d
WHERE k.stack_id = $stack_hash
ORDER BY d.ts;
