SELECT name, value FROM stats WHERE value > 0 AND (name GLOB 'track_*' OR name GLOB 'thread_desc*' OR name GLOB 'tokenizer*') ORDER BY name;
SELECT ts, name FROM slice ORDER BY ts;
SELECT ts, value FROM counter ORDER BY ts;
SELECT pid, name FROM process WHERE pid != 0;
