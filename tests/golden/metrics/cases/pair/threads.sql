CREATE VIEW threads_output AS SELECT ThreadCount('count', count(*)) FROM thread;
