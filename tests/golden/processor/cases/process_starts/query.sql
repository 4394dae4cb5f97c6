SELECT pid, name, start_ts FROM process WHERE pid IN (40, 50) ORDER BY upid;
