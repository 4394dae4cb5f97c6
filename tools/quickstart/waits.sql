-- Runnable, but not yet running: state R. Long waits mean too few CPUs or a lower priority. Some kernels do
-- not record the switches of all threads; a wait whose end was not seen has dur -1, and is left out here.
SELECT
  thread.name AS thread,
  thread.tid,
  count(*) AS waits,
  round(avg(thread_state.dur) / 1e3, 1) AS mean_us,
  round(max(thread_state.dur) / 1e3, 1) AS longest_us
FROM thread_state
JOIN thread USING (utid)
WHERE thread_state.state IN ('R', 'R+') AND thread_state.dur >= 0
GROUP BY utid
ORDER BY max(thread_state.dur) DESC
LIMIT 10;
