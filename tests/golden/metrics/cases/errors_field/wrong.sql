CREATE VIEW wrong_output AS SELECT ThreadCount('count', 'many');
