-- Counter tracks with at least one sample.
CREATE PERFETTO TABLE _counter_track_summary AS
SELECT id FROM counter_track WHERE id IN (SELECT track_id FROM counter) ORDER BY id;
