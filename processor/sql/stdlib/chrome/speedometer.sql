-- Runs of Speedometer, of whichever release is in the trace.

INCLUDE PERFETTO MODULE chrome.speedometer_2_1;
INCLUDE PERFETTO MODULE chrome.speedometer_3;

-- The release that ran: the newest of which there is an iteration. NULL: none.
CREATE PERFETTO FUNCTION _chrome_speedometer_version()
RETURNS STRING AS
SELECT
  CASE
    WHEN (SELECT count(*) FROM chrome_speedometer_3_iteration) > 0 THEN '3'
    WHEN (SELECT count(*) FROM chrome_speedometer_2_1_iteration) > 0 THEN '2.1'
  END;

-- What Speedometer measures: each test is run once in each iteration, and has two parts.
CREATE PERFETTO TABLE chrome_speedometer_measure(
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Suite, test and part.
  name STRING,
  -- Number of the iteration.
  iteration LONG,
  -- The suite.
  suite_name STRING,
  -- The test in it.
  test_name STRING,
  -- `sync` or `async`.
  measure_type STRING
) AS
SELECT ts, dur, name, iteration, suite_name, test_name, measure_type
FROM chrome_speedometer_3_measure
WHERE _chrome_speedometer_version() = '3'
UNION ALL
SELECT ts, dur, name, iteration, suite_name, test_name, measure_type
FROM chrome_speedometer_2_1_measure
WHERE _chrome_speedometer_version() = '2.1';

-- Iterations.
CREATE PERFETTO TABLE chrome_speedometer_iteration(
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Its name, with the number.
  name STRING,
  -- Its number.
  iteration LONG,
  -- Geometric mean of what the suites took, in ns.
  geomean DOUBLE,
  -- The score that this release gives for that mean.
  score DOUBLE
) AS
SELECT ts, dur, name, iteration, geomean, score
FROM chrome_speedometer_3_iteration
WHERE _chrome_speedometer_version() = '3'
UNION ALL
SELECT ts, dur, name, iteration, geomean, score
FROM chrome_speedometer_2_1_iteration
WHERE _chrome_speedometer_version() = '2.1';

-- The score of the whole run. NULL without any.
CREATE PERFETTO FUNCTION chrome_speedometer_score()
RETURNS DOUBLE AS
SELECT
  iif(_chrome_speedometer_version() = '3', chrome_speedometer_3_score(),
      chrome_speedometer_2_1_score());

-- The thread that ran the tests. NULL without any.
CREATE PERFETTO FUNCTION chrome_speedometer_renderer_main_utid()
RETURNS LONG AS
SELECT
  iif(_chrome_speedometer_version() = '3', chrome_speedometer_3_renderer_main_utid(),
      chrome_speedometer_2_1_renderer_main_utid());
