SELECT e.ts, e.name, thread.tid AS of,
  coalesce(extract_arg(e.arg_set_id, 'next_pid'), extract_arg(e.arg_set_id, 'pid')) AS pid
FROM ftrace_event AS e JOIN thread USING (utid) ORDER BY e.id;
