-- What woke the device, or kept it from suspending, and how the system backed off from then on.

INCLUDE PERFETTO MODULE android.suspend;

-- "MILLIS TEXT" of the tracks on which the system tells of wakeups.
CREATE PERFETTO TABLE _android_wakeup_marks AS
SELECT
  s.ts, t.name AS kind, substr(s.name, 1, instr(s.name, ' ') - 1) AS id,
  substr(s.name, instr(s.name, ' ') + 1) AS text
FROM slice AS s JOIN track AS t ON t.id = s.track_id
WHERE t.name IN ('wakeup_reason', 'wakeup_attribution')
ORDER BY s.ts;

-- "good", or "bad STATE REASON COUNT MILLIS", which the system says before the reason.
CREATE PERFETTO TABLE _android_suspend_backoffs AS
SELECT
  s.ts, str_split(s.name, ' ', 0) AS quality, str_split(s.name, ' ', 1) AS state,
  str_split(s.name, ' ', 2) AS reason, CAST(str_split(s.name, ' ', 3) AS INT) AS count,
  CAST(str_split(s.name, ' ', 4) AS INT) AS millis
FROM slice AS s JOIN track AS t ON t.id = s.track_id
WHERE t.name = 'suspend_backoff'
ORDER BY s.ts;

-- One row for each cause.
CREATE PERFETTO TABLE android_wakeups(
  -- When the device woke.
  ts TIMESTAMP,
  -- How long it was awake because of that: while it backs off, or until it suspends or has another
  -- reason, but at most 5 s.
  dur DURATION,
  -- What the kernel said.
  raw_wakeup STRING,
  -- What the device took for the cause.
  on_device_attribution STRING,
  -- 'normal': it slept. Else what kept it from that: 'abort_pending', 'abort_last_active', 'abort_other'.
  type STRING,
  -- The one cause of this row.
  item STRING,
  -- 'good', or 'bad': it failed, or was so short that the system backs off.
  suspend_quality STRING,
  -- 'new', 'continue'.
  backoff_state STRING,
  -- 'short', 'failed', 'none'.
  backoff_reason STRING,
  -- How often it has backed off.
  backoff_count LONG,
  -- For how long it does now.
  backoff_millis LONG
) AS
WITH RECURSIVE
  reasons AS (
    SELECT
      r.ts, r.text AS raw, a.text AS attribution,
      lag(r.ts, 1, 0) OVER (ORDER BY r.ts) AS since, lead(r.ts) OVER (ORDER BY r.ts) AS next,
      CASE
        WHEN r.text GLOB 'Abort: Pending Wakeup Sources: *' THEN 'abort_pending'
        WHEN r.text GLOB 'Abort: Last active Wakeup Source: *' THEN 'abort_last_active'
        WHEN r.text GLOB 'Abort: *' THEN 'abort_other'
        ELSE 'normal'
      END AS type
    FROM _android_wakeup_marks AS r
    LEFT JOIN _android_wakeup_marks AS a ON a.kind = 'wakeup_attribution' AND a.id = r.id
    WHERE r.kind = 'wakeup_reason'
  ),
  -- The next suspend and the last backoff of each.
  events AS (
    SELECT ts, NULL AS suspend, NULL AS backoff, 1 AS is_reason FROM reasons
    UNION ALL
    SELECT ts, ts, NULL, 0 FROM android_suspend_state WHERE power_state = 'suspended'
    UNION ALL
    SELECT ts, NULL, ts, 0 FROM _android_suspend_backoffs
  ),
  beside AS (
    SELECT
      ts, is_reason,
      min(suspend) OVER (ORDER BY ts DESC, is_reason DESC ROWS UNBOUNDED PRECEDING) AS suspend,
      max(backoff) OVER (ORDER BY ts, is_reason ROWS UNBOUNDED PRECEDING) AS backoff
    FROM events
  ),
  -- Where a reason has several causes, what stands between them.
  texts AS (
    SELECT
      ts, since, next, raw, attribution, type,
      CASE type
        WHEN 'abort_pending' THEN trim(substr(raw, 32))
        WHEN 'abort_last_active' THEN substr(raw, 35)
        WHEN 'abort_other' THEN substr(raw, 8)
        ELSE raw
      END AS causes,
      CASE type WHEN 'abort_pending' THEN ' ' WHEN 'normal' THEN ':' END AS separator
    FROM reasons
  ),
  split AS (
    SELECT
      ts, since, next, raw, attribution, type, separator, 0 AS place, causes,
      iif(separator IS NULL, causes, str_split(causes, separator, 0)) AS item
    FROM texts
    UNION ALL
    SELECT
      ts, since, next, raw, attribution, type, separator, place + 1, causes,
      str_split(causes, separator, place + 1)
    FROM split
    WHERE separator IS NOT NULL AND str_split(causes, separator, place + 1) IS NOT NULL
  )
SELECT
  s.ts,
  coalesce(
    b.millis * 1000000,
    min(
      5000000000,
      ifnull(s.next - s.ts, 5000000000),
      ifnull(n.suspend - s.ts, 5000000000)
    )
  ) AS dur,
  s.raw AS raw_wakeup, s.attribution AS on_device_attribution, s.type,
  -- "IRQ NAME"
  iif(s.type = 'normal', ifnull(str_split(s.item, ' ', 1), s.item), s.item) AS item,
  ifnull(b.quality, 'good') AS suspend_quality, b.state AS backoff_state,
  ifnull(b.reason, 'none') AS backoff_reason, b.count AS backoff_count, b.millis AS backoff_millis
FROM split AS s
LEFT JOIN (
  SELECT ts, min(suspend) AS suspend, max(backoff) AS backoff FROM beside
  WHERE is_reason
  GROUP BY ts
) AS n ON n.ts = s.ts
LEFT JOIN _android_suspend_backoffs AS b ON b.ts = n.backoff AND b.ts > s.since
ORDER BY s.ts, s.place;
