-- Runs of the benchmark Speedometer 3, by what its page measures itself.

-- The tests of each suite, in the order in which they are run.
CREATE PERFETTO VIEW _chrome_speedometer_3_test AS
WITH
  suites(place, name, tests) AS (
    VALUES
      (1, 'TodoMVC-JavaScript-ES5', 'todo'),
      (2, 'TodoMVC-JavaScript-ES6-Webpack-Complex-DOM', 'todo'),
      (3, 'TodoMVC-WebComponents', 'todo'), (4, 'TodoMVC-React-Complex-DOM', 'todo'),
      (5, 'TodoMVC-React-Redux', 'todo'), (6, 'TodoMVC-Backbone', 'todo'),
      (7, 'TodoMVC-Angular-Complex-DOM', 'todo'), (8, 'TodoMVC-Vue', 'todo'),
      (9, 'TodoMVC-jQuery', 'todo'), (10, 'TodoMVC-Preact-Complex-DOM', 'todo'),
      (11, 'TodoMVC-Svelte-Complex-DOM', 'todo'), (12, 'TodoMVC-Lit-Complex-DOM', 'todo'),
      (13, 'NewsSite-Next', 'news'), (14, 'NewsSite-Nuxt', 'news'),
      (15, 'Editor-CodeMirror', 'editor'), (16, 'Editor-TipTap', 'editor'),
      (17, 'Charts-observable-plot', 'plot'), (18, 'Charts-chartjs', 'charts'),
      (19, 'React-Stockcharts-SVG', 'stocks'), (20, 'Perf-Dashboard', 'dashboard')
  ),
  tests(kind, step, name) AS (
    VALUES
      ('todo', 1, 'Adding100Items'), ('todo', 2, 'CompletingAllItems'),
      ('todo', 3, 'DeletingAllItems'), ('news', 1, 'NavigateToUS'),
      ('news', 2, 'NavigateToWorld'), ('news', 3, 'NavigateToPolitics'), ('editor', 1, 'Long'),
      ('editor', 2, 'Highlight'), ('plot', 1, 'Stacked by 6'), ('plot', 2, 'Stacked by 20'),
      ('plot', 3, 'Dotted'), ('charts', 1, 'Draw scatter'), ('charts', 2, 'Show tooltip'),
      ('charts', 3, 'Draw opaque scatter'), ('stocks', 1, 'Render'), ('stocks', 2, 'PanTheChart'),
      ('stocks', 3, 'ZoomTheChart'), ('dashboard', 1, 'Render'),
      ('dashboard', 2, 'SelectingPoints'), ('dashboard', 3, 'SelectingRange')
  )
SELECT 3 * s.place + t.step AS place, s.name AS suite_name, t.name AS test_name
FROM suites AS s JOIN tests AS t ON t.kind = s.tests;

-- What is measured of each test.
CREATE PERFETTO VIEW _chrome_speedometer_3_measure_name(
  -- The name of the slice.
  name STRING,
  -- The suite.
  suite_name STRING,
  -- The test in it.
  test_name STRING,
  -- `sync` or `async`.
  measure_type STRING
) AS
WITH parts(place, measure_type) AS (VALUES (1, 'sync'), (2, 'async'))
SELECT
  t.suite_name || '.' || t.test_name || '-' || p.measure_type AS name, t.suite_name,
  t.test_name, p.measure_type
FROM parts AS p, _chrome_speedometer_3_test AS t
ORDER BY p.place, t.place;

-- Slices of iterations.
CREATE PERFETTO VIEW _chrome_speedometer_3_iteration_slice AS
SELECT id, ts, dur, name, track_id, CAST(substr(name, 11) AS INT) AS iteration
FROM slice
WHERE category GLOB '*blink.user_timing*' AND name GLOB 'iteration-[0-9]*' AND dur > 0;

-- What Speedometer measures: each test is run once in each iteration, and has two parts.
CREATE PERFETTO TABLE chrome_speedometer_3_measure(
  -- Its begin.
  ts TIMESTAMP,
  -- Its length; -1: it has no end.
  dur DURATION,
  -- Suite, test and part.
  name STRING,
  -- Number of the iteration.
  iteration LONG,
  -- The suite.
  suite_name STRING,
  -- The test in it.
  test_name STRING,
  -- `sync`: until the script returned; `async`: from then on until the page was ready.
  measure_type STRING
) AS
SELECT s.ts, s.dur, s.name, i.iteration, m.suite_name, m.test_name, m.measure_type
FROM _chrome_speedometer_3_measure_name AS m
JOIN slice AS s ON s.name = m.name
JOIN _chrome_speedometer_3_iteration_slice AS i ON s.ts >= i.ts AND s.ts < i.ts + i.dur
WHERE s.category GLOB '*blink.user_timing*'
ORDER BY s.ts;

-- Iterations.
CREATE PERFETTO TABLE chrome_speedometer_3_iteration(
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Its name, with the number.
  name STRING,
  -- Its number.
  iteration LONG,
  -- Geometric mean of what the suites took, in ns. NULL: a part of one has no end.
  geomean DOUBLE,
  -- Runs a second, by that mean.
  score DOUBLE
) AS
WITH
  suites AS (
    SELECT iteration, suite_name, iif(min(dur) < 0, NULL, sum(dur)) AS dur
    FROM chrome_speedometer_3_measure
    GROUP BY iteration, suite_name
  ),
  means AS (
    SELECT iteration, iif(count(*) = count(dur), exp(avg(ln(dur))), NULL) AS geomean
    FROM suites
    GROUP BY iteration
  )
SELECT i.ts, i.dur, i.name, i.iteration, m.geomean, 1e9 / m.geomean AS score
FROM _chrome_speedometer_3_iteration_slice AS i
JOIN means AS m USING (iteration)
ORDER BY i.iteration;

-- The score of the whole run: the mean of its iterations. NULL without any.
CREATE PERFETTO FUNCTION chrome_speedometer_3_score()
RETURNS DOUBLE AS
SELECT avg(score) FROM chrome_speedometer_3_iteration;

-- The main thread of the process that ran the tests. NULL without any.
CREATE PERFETTO FUNCTION chrome_speedometer_3_renderer_main_utid()
RETURNS LONG AS
WITH processes AS (
  SELECT coalesce(p.upid, t.upid) AS upid
  FROM _chrome_speedometer_3_iteration_slice AS i
  LEFT JOIN process_track AS p ON p.id = i.track_id
  LEFT JOIN thread_track AS k ON k.id = i.track_id
  LEFT JOIN thread AS t ON t.id = k.utid
  LIMIT 1
)
SELECT t.utid
FROM processes AS p JOIN thread AS t USING (upid)
WHERE t.name = 'CrRendererMain' OR t.is_main_thread
ORDER BY t.name = 'CrRendererMain' DESC, t.utid
LIMIT 1;
