SELECT s.ts, s.name, t.name AS track, t.type FROM slice s JOIN track t ON t.id = s.track_id ORDER BY s.ts;

SELECT ts, value, t.name, t.type FROM counter c JOIN counter_track t ON t.id = c.track_id ORDER BY ts;

SELECT name, value FROM stats WHERE value > 0 AND name GLOB 'track_*' ORDER BY name;
