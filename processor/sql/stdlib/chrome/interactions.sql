-- What users did, of all kinds.

INCLUDE PERFETTO MODULE chrome.page_loads;
INCLUDE PERFETTO MODULE chrome.web_content_interactions;

CREATE PERFETTO TABLE chrome_interactions(
  -- Its number among those of its type.
  scoped_id LONG,
  -- The table that has more of it.
  type STRING,
  -- What it was.
  name STRING,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length; -1: it was not over when the trace ended.
  dur DURATION
) AS
SELECT
  id AS scoped_id, 'chrome_page_loads' AS type, 'PageLoad' AS name, navigation_start_ts AS ts,
  coalesce(lcp, fcp, -1) AS dur
FROM chrome_page_loads
UNION ALL
SELECT
  id AS scoped_id, 'chrome_web_content_interactions' AS type, 'InteractionToFirstPaint' AS name, ts,
  dur
FROM chrome_web_content_interactions;
