-- Stages of the pages of the benchmark LoadLine 2, by the marks that its pages write: LoadLine2/PAGE/MARK.

-- The marks. A page writes them by performance.mark() or by performance.measure(); the latter have tracks of their own.
CREATE PERFETTO VIEW _chrome_loadline2_marks_with_pid(
  -- Its time.
  ts TIMESTAMP,
  -- The page.
  page STRING,
  -- The mark.
  mark STRING,
  -- Number of the process of the page.
  pid LONG
) AS
SELECT
  s.ts, str_split(s.name, '/', 1) AS page, str_split(s.name, '/', 2) AS mark,
  coalesce(tp.pid, pp.pid) AS pid
FROM slice AS s
LEFT JOIN thread_track AS tk ON tk.id = s.track_id
LEFT JOIN thread AS t ON t.utid = tk.utid
LEFT JOIN process AS tp ON tp.upid = t.upid
LEFT JOIN process_track AS pk ON pk.id = s.track_id
LEFT JOIN process AS pp ON pp.upid = pk.upid
WHERE s.category GLOB '*blink.user_timing*' AND s.name GLOB 'LoadLine2/*/*';

-- When the first frame was shown that a process committed after a time.
CREATE PERFETTO FUNCTION _chrome_get_next_presentation_time_by_pid(
  -- The time.
  ts TIMESTAMP,
  -- Number of the process.
  pid LONG
)
RETURNS TIMESTAMP AS
WITH committed AS (
  SELECT r.ts + r.dur AS shown
  FROM slice AS c
  JOIN process_track AS k ON k.id = c.track_id
  JOIN process AS p USING (upid)
  JOIN slice AS r ON r.id = c.parent_id
  WHERE c.name = 'Commit' AND c.ts >= $ts AND p.pid = $pid AND r.name = 'PipelineReporter' AND r.dur >= 0
  ORDER BY c.ts
  LIMIT 1
)
SELECT shown FROM committed;

-- The second time after a mark that scripts of animations ran in a process.
CREATE PERFETTO FUNCTION _chrome_loadline2_second_raf(
  -- The time of the mark.
  ts TIMESTAMP,
  -- Number of the process.
  pid LONG
)
RETURNS TIMESTAMP AS
SELECT s.ts
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
JOIN process AS p USING (upid)
WHERE s.name = 'PageAnimator::serviceScriptedAnimations' AND s.ts >= $ts AND p.pid = $pid
ORDER BY s.ts
LIMIT 1 OFFSET 1;

-- Begin of each page.
CREATE PERFETTO TABLE _chrome_loadline2_story_start(
  -- The page.
  page STRING,
  -- The time.
  story_start TIMESTAMP
) AS
SELECT page, min(ts) AS story_start
FROM _chrome_loadline2_marks_with_pid
WHERE mark = 'story_start'
GROUP BY page;

-- The process that drew each page: that of its marks of what is seen or can be used.
CREATE PERFETTO TABLE _chrome_loadline2_story_pid(
  -- The page.
  page STRING,
  -- Number of the process.
  pid LONG
) AS
SELECT page, min(pid) AS pid
FROM _chrome_loadline2_marks_with_pid
WHERE mark GLOB 'visual*' OR mark GLOB 'interactive*'
GROUP BY page;

-- Both.
CREATE PERFETTO TABLE _chrome_loadline2_story_start_with_pid(
  -- The page.
  page STRING,
  -- Its begin.
  story_start TIMESTAMP,
  -- Number of the process.
  pid LONG
) AS
SELECT page, story_start, pid
FROM _chrome_loadline2_story_start
JOIN _chrome_loadline2_story_pid USING (page);

-- When the end of each page was marked.
CREATE PERFETTO TABLE _chrome_loadline2_story_finish(
  -- The page.
  page STRING,
  -- The time.
  story_finish TIMESTAMP
) AS
SELECT page, max(ts) AS story_finish
FROM _chrome_loadline2_marks_with_pid
WHERE mark = 'story_finish'
GROUP BY page;

-- The first mark of something seen.
CREATE PERFETTO TABLE _chrome_loadline2_visual_mark(
  -- The page.
  page STRING,
  -- The time.
  visual_mark TIMESTAMP,
  -- Number of the process.
  pid LONG
) AS
SELECT page, min(ts) AS visual_mark, pid
FROM _chrome_loadline2_marks_with_pid
WHERE mark GLOB 'visual*'
GROUP BY page;

-- The first mark of something that can be used.
CREATE PERFETTO TABLE _chrome_loadline2_interactive_mark(
  -- The page.
  page STRING,
  -- The time.
  interactive_mark TIMESTAMP,
  -- Number of the process.
  pid LONG
) AS
SELECT page, min(ts) AS interactive_mark, pid
FROM _chrome_loadline2_marks_with_pid
WHERE mark GLOB 'interactive*'
GROUP BY page;

-- Stages of each page. A stage whose slices are not in the trace is NULL.
CREATE PERFETTO TABLE chrome_loadline2_stages(
  -- The page.
  page STRING,
  -- Its begin.
  story_start TIMESTAMP,
  -- Begin of its first request, by its mark.
  start_request TIMESTAMP,
  -- End of its first request, by its mark.
  end_request TIMESTAMP,
  -- When its process was ready, by its mark.
  renderer_ready TIMESTAMP,
  -- The first mark of something seen.
  visual_mark TIMESTAMP,
  -- The second time after it that scripts of animations ran.
  visual_raf TIMESTAMP,
  -- When the first frame was shown that was committed after it.
  visual_presentation TIMESTAMP,
  -- The first mark of something that can be used.
  interactive_mark TIMESTAMP,
  -- The second time after it that scripts of animations ran.
  interactive_raf TIMESTAMP,
  -- When the first frame was shown that was committed after it.
  interactive_presentation TIMESTAMP,
  -- Its end.
  story_finish TIMESTAMP
) AS
WITH marks AS (
  SELECT
    page, min(iif(mark = 'start_request', ts, NULL)) AS start_request,
    min(iif(mark = 'end_request', ts, NULL)) AS end_request,
    min(iif(mark = 'renderer_ready', ts, NULL)) AS renderer_ready
  FROM _chrome_loadline2_marks_with_pid
  GROUP BY page
)
SELECT
  s.page, s.story_start, m.start_request, m.end_request, m.renderer_ready, v.visual_mark,
  _chrome_loadline2_second_raf(v.visual_mark, v.pid) AS visual_raf,
  _chrome_get_next_presentation_time_by_pid(v.visual_mark, v.pid) AS visual_presentation,
  i.interactive_mark,
  _chrome_loadline2_second_raf(i.interactive_mark, i.pid) AS interactive_raf,
  _chrome_get_next_presentation_time_by_pid(i.interactive_mark, i.pid) AS interactive_presentation,
  e.story_finish
FROM _chrome_loadline2_story_start AS s
LEFT JOIN marks AS m USING (page)
LEFT JOIN _chrome_loadline2_visual_mark AS v USING (page)
LEFT JOIN _chrome_loadline2_interactive_mark AS i USING (page)
LEFT JOIN _chrome_loadline2_story_finish AS e USING (page)
ORDER BY s.story_start;
