-- Counter tracks that nothing but their name tells from others.

-- Whether a track of that type and with these dimensions is one for the whole machine.
CREATE PERFETTO FUNCTION _counter_track_is_only_name_dimension(track_id JOINID(track.id))
RETURNS BOOL AS
SELECT
  coalesce(
    (SELECT count(*) = sum(a.key = 'name') FROM args AS a WHERE a.arg_set_id = t.dimension_arg_set_id),
    1
  )
FROM counter_track AS t
WHERE t.id = $track_id;
