-- Runs of the benchmark Speedometer 2.1, by the marks that its page leaves in traces.

-- What is done in each test of a suite. All suites have the first two steps; the third has two names.
CREATE PERFETTO VIEW _chrome_speedometer_2_1_test AS
WITH
  suites(place, name, last_test) AS (
    VALUES
      (1, 'Angular2-TypeScript', 'DeletingItems'), (2, 'AngularJS', 'DeletingAllItems'),
      (3, 'BackboneJS', 'DeletingAllItems'), (4, 'Elm', 'DeletingItems'),
      (5, 'EmberJS-Debug', 'DeletingItems'), (6, 'EmberJS', 'DeletingItems'),
      (7, 'Flight', 'DeletingItems'), (8, 'Inferno', 'DeletingItems'),
      (9, 'jQuery', 'DeletingAllItems'), (10, 'Preact', 'DeletingItems'),
      (11, 'React-Redux', 'DeletingItems'), (12, 'React', 'DeletingAllItems'),
      (13, 'Vanilla-ES2015-Babel-Webpack', 'DeletingItems'),
      (14, 'Vanilla-ES2015', 'DeletingItems'), (15, 'VanillaJS', 'DeletingAllItems'),
      (16, 'VueJS', 'DeletingAllItems')
  ),
  steps(step) AS (VALUES (1), (2), (3))
SELECT
  3 * place + step AS place, name || '-TodoMVC' AS suite_name,
  CASE step WHEN 1 THEN 'Adding100Items' WHEN 2 THEN 'CompletingAllItems' ELSE last_test END
    AS test_name
FROM suites, steps;

-- The marks of each test.
CREATE PERFETTO VIEW _chrome_speedometer_2_1_mark_name(
  -- The name of the slice.
  name STRING,
  -- The suite.
  suite_name STRING,
  -- The test in it.
  test_name STRING,
  -- `start`, `sync-end` or `async-end`.
  mark_type STRING
) AS
WITH marks(place, mark_type) AS (VALUES (1, 'start'), (2, 'sync-end'), (3, 'async-end'))
SELECT
  t.suite_name || '.' || t.test_name || '-' || m.mark_type AS name, t.suite_name, t.test_name,
  m.mark_type
FROM marks AS m, _chrome_speedometer_2_1_test AS t
ORDER BY m.place, t.place;

-- Marks in the trace, with the run of the test that they belong to.
CREATE PERFETTO TABLE _chrome_speedometer_2_1_mark AS
SELECT
  s.id, s.ts, s.track_id, m.suite_name, m.test_name, m.mark_type,
  row_number() OVER (PARTITION BY s.name ORDER BY s.ts) AS iteration
FROM _chrome_speedometer_2_1_mark_name AS m
JOIN slice AS s ON s.name = m.name
WHERE s.category GLOB '*blink.user_timing*'
ORDER BY s.ts;

-- What Speedometer measures: each test is run once in each iteration, and has two parts.
CREATE PERFETTO TABLE chrome_speedometer_2_1_measure(
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Suite, test and part.
  name STRING,
  -- Number of the iteration, from 1 on.
  iteration LONG,
  -- The suite.
  suite_name STRING,
  -- The test in it.
  test_name STRING,
  -- `sync`: until the script returned; `async`: from then on until the page was ready.
  measure_type STRING
) AS
WITH
  marks AS (
    SELECT
      *,
      lead(mark_type) OVER one_run AS next_type, lead(ts) OVER one_run AS next_ts
    FROM _chrome_speedometer_2_1_mark
    WINDOW one_run AS (PARTITION BY suite_name, test_name, iteration ORDER BY ts)
  )
SELECT
  ts, next_ts - ts AS dur,
  suite_name || '.' || test_name || '-' || iif(mark_type = 'start', 'sync', 'async') AS name,
  iteration, suite_name, test_name, iif(mark_type = 'start', 'sync', 'async') AS measure_type
FROM marks
WHERE (mark_type = 'start' AND next_type = 'sync-end')
  OR (mark_type = 'sync-end' AND next_type = 'async-end')
ORDER BY ts;

-- Iterations, from their first mark to their last.
CREATE PERFETTO TABLE chrome_speedometer_2_1_iteration(
  -- Begin of the first test.
  ts TIMESTAMP,
  -- Until the end of the last one.
  dur DURATION,
  -- Its name, with the number.
  name STRING,
  -- Its number, from 1 on.
  iteration LONG,
  -- Geometric mean of what the suites took, in ns.
  geomean DOUBLE,
  -- Runs a minute, by that mean, divided by the factor 3 of this release of Speedometer.
  score DOUBLE
) AS
WITH
  suites AS (
    SELECT iteration, suite_name, min(ts) AS ts, max(ts + dur) AS end_ts, sum(dur) AS dur
    FROM chrome_speedometer_2_1_measure
    GROUP BY iteration, suite_name
  ),
  iterations AS (
    SELECT
      iteration, min(ts) AS ts, max(end_ts) - min(ts) AS dur, exp(avg(ln(dur))) AS geomean
    FROM suites
    GROUP BY iteration
  )
SELECT
  ts, dur, 'iteration-' || iteration AS name, iteration, geomean, 60e9 / geomean / 3 AS score
FROM iterations
ORDER BY iteration;

-- The score of the whole run: the mean of its iterations. NULL without any.
CREATE PERFETTO FUNCTION chrome_speedometer_2_1_score()
RETURNS DOUBLE AS
SELECT avg(score) FROM chrome_speedometer_2_1_iteration;

-- The thread that ran the tests. NULL without any.
CREATE PERFETTO FUNCTION chrome_speedometer_2_1_renderer_main_utid()
RETURNS LONG AS
SELECT t.utid
FROM _chrome_speedometer_2_1_mark AS m
JOIN thread_track AS t ON t.id = m.track_id
LIMIT 1;
