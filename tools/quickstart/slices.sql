-- The demo's slices by name. `depth` is the nesting level on the slice's track.
SELECT
  slice.name AS slice,
  slice.depth,
  count(*) AS times,
  round(avg(slice.dur) / 1e3, 1) AS mean_us,
  round(max(slice.dur) / 1e3, 1) AS slowest_us
FROM slice
JOIN thread_track ON slice.track_id = thread_track.id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE process.name GLOB '*orma_demo*' AND slice.dur >= 0
GROUP BY slice.name, slice.depth
ORDER BY max(slice.dur) DESC
LIMIT 10;
