-- Slices by what lies above them: equal chains of categories and names have equal ids.

-- The chain of a slice is the hash of itself, then that of its parent, up to the root.
CREATE PERFETTO TABLE _slice_stacks AS
WITH RECURSIVE
  own AS MATERIALIZED (
    SELECT id, parent_id, CAST(hash(coalesce(category, '') || '|' || coalesce(name, '')) AS TEXT) AS part
    FROM slice
  ),
  chains(id, chain, above) AS (
    SELECT id, part, NULL FROM own WHERE parent_id IS NULL
    UNION ALL
    SELECT s.id, (SELECT part FROM own WHERE own.id = s.id) || '|' || c.chain, c.chain
    FROM chains AS c JOIN slice AS s ON s.parent_id = c.id
  )
SELECT id, hash(chain) AS stack_id, iif(above IS NULL, 0, hash(coalesce(above, ''))) AS parent_stack_id
FROM chains
ORDER BY id;

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

-- What encloses any slice of that stack.
CREATE PERFETTO FUNCTION ancestor_slice_by_stack(stack_hash LONG)
RETURNS TABLE(
  id JOINID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG
) AS
SELECT DISTINCT
  a.id, a.ts, a.dur, a.track_id, a.category, a.name, a.depth, a.parent_id, a.arg_set_id,
  a.thread_ts, a.thread_dur
FROM _slice_stacks AS k JOIN ancestor_slice(k.id) AS a
WHERE k.stack_id = $stack_hash
ORDER BY a.id;

-- What lies in any slice of that stack.
CREATE PERFETTO FUNCTION descendant_slice_by_stack(stack_hash LONG)
RETURNS TABLE(
  id JOINID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG
) AS
SELECT DISTINCT
  d.id, d.ts, d.dur, d.track_id, d.category, d.name, d.depth, d.parent_id, d.arg_set_id,
  d.thread_ts, d.thread_dur
FROM _slice_stacks AS k JOIN descendant_slice(k.id) AS d
WHERE k.stack_id = $stack_hash
ORDER BY d.id;
