SELECT ts, name FROM slice ORDER BY ts;
SELECT t.name, c.value FROM counter c JOIN track t ON c.track_id = t.id ORDER BY c.id;
SELECT name, sum(value) AS value FROM stats WHERE name GLOB 'clock_sync_failure_*' GROUP BY name ORDER BY name;
