SELECT s.ts, s.dur, s.name, t.name AS track FROM slice s JOIN track t ON s.track_id = t.id ORDER BY s.ts;
SELECT a.name, b.name FROM flow JOIN slice a ON flow.slice_out = a.id JOIN slice b ON flow.slice_in = b.id;
SELECT c.ts, t.name, c.value FROM counter c JOIN track t ON c.track_id = t.id ORDER BY c.ts;
