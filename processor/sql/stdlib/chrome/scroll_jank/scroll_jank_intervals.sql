-- Late frames of scrolls as intervals: from when they should have been shown until they were.

INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_jank_v3;

-- EventLatency slices of late frames.
CREATE PERFETTO TABLE chrome_janky_event_latencies_v3(
  -- The slice.
  id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Its track.
  track_id LONG,
  -- Its name.
  name STRING,
  -- The stage that took too long.
  cause_of_jank STRING,
  -- The stage in it.
  sub_cause_of_jank STRING,
  -- By how many refreshes the frame was late.
  delayed_frame_count LONG,
  -- When it should have been shown.
  frame_jank_ts TIMESTAMP,
  -- From then until it was.
  frame_jank_dur LONG
) AS
SELECT
  s.id, s.ts, s.dur, s.track_id, s.name, j.cause_of_jank, j.sub_cause_of_jank,
  CAST(round(j.delay_since_last_frame / j.vsync_interval - 1, 0) AS INT) AS delayed_frame_count,
  CAST(f.presentation_timestamp - (j.delay_since_last_frame - j.vsync_interval) * 1e6 AS INT)
    AS frame_jank_ts,
  CAST((j.delay_since_last_frame - j.vsync_interval) * 1e6 AS INT) AS frame_jank_dur
FROM chrome_janky_frames AS j
JOIN slice AS s ON s.id = j.event_latency_id
JOIN chrome_frame_info_with_delay AS f ON f.event_latency_id = j.event_latency_id
ORDER BY s.id;

CREATE PERFETTO VIEW chrome_janky_frame_presentation_intervals(
  -- Its number.
  id LONG,
  -- When the frame should have been shown.
  ts TIMESTAMP,
  -- From then until it was.
  dur DURATION,
  -- By how many refreshes it was late.
  delayed_frame_count LONG,
  -- The stage that took too long.
  cause_of_jank STRING,
  -- The stage in it.
  sub_cause_of_jank STRING,
  -- The EventLatency slice.
  event_latency_id LONG
) AS
SELECT
  CAST(row_number() OVER (ORDER BY frame_jank_ts) AS INT) AS id, frame_jank_ts AS ts,
  frame_jank_dur AS dur, delayed_frame_count, cause_of_jank, sub_cause_of_jank,
  id AS event_latency_id
FROM chrome_janky_event_latencies_v3;

-- How each scroll went.
CREATE PERFETTO TABLE chrome_scroll_stats(
  -- The scroll.
  scroll_id LONG,
  -- Its frames.
  frame_count LONG,
  -- Refreshes without a frame. NULL: none.
  missed_vsyncs LONG,
  -- Frames that were shown.
  presented_frame_count LONG,
  -- Frames that came late.
  janky_frame_count LONG,
  -- The part of these, in percent.
  janky_frame_percent DOUBLE
) AS
WITH
  shown AS (
    SELECT scroll_id, count(DISTINCT presentation_timestamp) AS num
    FROM chrome_gesture_scroll_updates
    WHERE presentation_timestamp IS NOT NULL
    GROUP BY scroll_id
  ),
  late AS (
    SELECT f.scroll_id, sum(j.delayed_frame_count) AS missed
    FROM chrome_janky_event_latencies_v3 AS j
    JOIN chrome_frame_info_with_delay AS f ON f.event_latency_id = j.id
    GROUP BY f.scroll_id
  )
SELECT
  f.scroll_id, f.num_frames AS frame_count, l.missed AS missed_vsyncs,
  s.num AS presented_frame_count, coalesce(f.num_janky_frames, 0) AS janky_frame_count,
  coalesce(f.scroll_jank_percentage, 0.0) AS janky_frame_percent
FROM chrome_frames_per_scroll AS f
LEFT JOIN shown AS s USING (scroll_id)
LEFT JOIN late AS l USING (scroll_id)
ORDER BY f.scroll_id;

-- Intervals of scrolls in which all frames were late: late frames that follow one another are one.
CREATE PERFETTO TABLE chrome_scroll_jank_intervals_v3(
  -- Its number.
  id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION
) AS
WITH
  ends AS (
    SELECT
      ts, ts + dur AS ts_end,
      max(ts + dur) OVER (ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM chrome_janky_frame_presentation_intervals
  ),
  runs AS (
    SELECT
      ts, ts_end,
      sum(before IS NULL OR ts > before) OVER (ORDER BY ts ROWS UNBOUNDED PRECEDING) AS run
    FROM ends
  )
SELECT
  CAST(row_number() OVER (ORDER BY min(ts)) AS INT) AS id, min(ts) AS ts,
  max(ts_end) - min(ts) AS dur
FROM runs
GROUP BY run
ORDER BY min(ts);
