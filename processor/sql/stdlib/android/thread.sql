-- Names of threads.

-- The name without numbers of the thread: what comes before the first '-', '[', ':' or blank.
CREATE PERFETTO FUNCTION android_standardize_thread_name(
  -- The name.
  thread_name STRING
)
-- What it begins with.
RETURNS STRING AS
SELECT regexp_extract($thread_name, '^[^-[: ]*');
