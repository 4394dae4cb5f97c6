SELECT pid, name, extract_arg(arg_set_id, 'process_sort_index_hint') AS hint FROM process ORDER BY pid;

SELECT tid, name, extract_arg(arg_set_id, 'thread_sort_index_hint') AS hint FROM thread ORDER BY tid;

SELECT name, type FROM track WHERE name IS NOT NULL ORDER BY id;
