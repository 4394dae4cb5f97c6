-- Pages that Chrome loaded.

-- A time that pages are judged by: slices of this name, from the begin of the navigation on.
CREATE PERFETTO FUNCTION _page_load_metrics(event_name STRING)
RETURNS TABLE(ts TIMESTAMP, dur DURATION, navigation_id LONG, browser_upid LONG) AS
SELECT
  s.ts, s.dur, extract_arg(s.arg_set_id, 'page_load.navigation_id') AS navigation_id,
  k.upid AS browser_upid
FROM slice AS s
JOIN process_track AS k ON k.id = s.track_id
WHERE s.name = $event_name AND extract_arg(s.arg_set_id, 'page_load.navigation_id') IS NOT NULL;

-- First contents, with the address of the page.
CREATE PERFETTO VIEW _fcp_metrics AS
SELECT
  s.ts, s.dur, extract_arg(s.arg_set_id, 'page_load.navigation_id') AS navigation_id,
  extract_arg(s.arg_set_id, 'page_load.url') AS url, k.upid AS browser_upid
FROM slice AS s
JOIN process_track AS k ON k.id = s.track_id
WHERE s.name = 'PageLoadMetrics.NavigationToFirstContentfulPaint'
  AND extract_arg(s.arg_set_id, 'page_load.navigation_id') IS NOT NULL;

-- One row for each page whose first contents were waited for. What is not known, or had not come when the
-- trace ended, is NULL.
CREATE PERFETTO TABLE chrome_page_loads(
  -- Its number here.
  id LONG,
  -- Its number in its browser.
  navigation_id LONG,
  -- Begin of the navigation.
  navigation_start_ts TIMESTAMP,
  -- From there to the first contents.
  fcp LONG,
  -- When that was.
  fcp_ts TIMESTAMP,
  -- From the begin to the largest contents.
  lcp LONG,
  -- When that was.
  lcp_ts TIMESTAMP,
  -- When the document was complete.
  dom_content_loaded_event_ts TIMESTAMP,
  -- When everything was loaded.
  load_event_ts TIMESTAMP,
  -- When the page called itself loaded.
  mark_fully_loaded_ts TIMESTAMP,
  -- When the page called itself visible.
  mark_fully_visible_ts TIMESTAMP,
  -- When the page called itself ready for input.
  mark_interactive_ts TIMESTAMP,
  -- Its address.
  url STRING,
  -- The browser.
  browser_upid LONG
) AS
WITH
  ends AS MATERIALIZED (
    SELECT
      s.name, s.dur, s.ts + s.dur AS ts_end, extract_arg(s.arg_set_id, 'page_load.navigation_id') AS navigation_id,
      k.upid
    FROM slice AS s
    JOIN process_track AS k ON k.id = s.track_id
    WHERE s.name GLOB 'PageLoadMetrics.*' AND s.dur >= 0
  ),
  pages AS (
    SELECT
      navigation_id, upid,
      max(iif(name = 'PageLoadMetrics.NavigationToLargestContentfulPaint', dur, NULL)) AS lcp,
      max(iif(name = 'PageLoadMetrics.NavigationToDOMContentLoadedEventFired', ts_end, NULL))
        AS dom_ts,
      max(iif(name = 'PageLoadMetrics.NavigationToMainFrameOnLoad', ts_end, NULL)) AS load_ts,
      max(iif(name = 'PageLoadMetrics.UserTimingMarkFullyLoaded', ts_end, NULL)) AS loaded_ts,
      max(iif(name = 'PageLoadMetrics.UserTimingMarkFullyVisible', ts_end, NULL)) AS visible_ts,
      max(iif(name = 'PageLoadMetrics.UserTimingMarkInteractive', ts_end, NULL)) AS ready_ts
    FROM ends
    WHERE navigation_id IS NOT NULL
    GROUP BY navigation_id, upid
  )
SELECT
  CAST(row_number() OVER (ORDER BY f.ts) AS INT) AS id, f.navigation_id, f.ts AS navigation_start_ts,
  nullif(f.dur, -1) AS fcp, f.ts + nullif(f.dur, -1) AS fcp_ts, p.lcp, f.ts + p.lcp AS lcp_ts,
  p.dom_ts AS dom_content_loaded_event_ts, p.load_ts AS load_event_ts,
  p.loaded_ts AS mark_fully_loaded_ts, p.visible_ts AS mark_fully_visible_ts,
  p.ready_ts AS mark_interactive_ts, f.url, f.browser_upid
FROM _fcp_metrics AS f
LEFT JOIN pages AS p ON p.navigation_id = f.navigation_id AND p.upid = f.browser_upid
ORDER BY f.ts;
