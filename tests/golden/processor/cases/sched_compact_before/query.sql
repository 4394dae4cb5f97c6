SELECT e.ts, group_concat(a.key || '=' || a.display_value, ' ') AS args
FROM ftrace_event e JOIN args a USING (arg_set_id) GROUP BY e.id ORDER BY e.id;
-- Backwards: each event is found without those before it.
SELECT ts, extract_arg(arg_set_id, 'prev_comm') AS comm, extract_arg(arg_set_id, 'prev_pid') AS pid,
  extract_arg(arg_set_id, 'prev_prio') AS prio FROM ftrace_event ORDER BY id DESC;
