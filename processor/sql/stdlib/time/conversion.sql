-- Nanoseconds from and to other units of time. What is divided is cut towards zero.

-- A time in nanoseconds as one in nanoseconds.
CREATE PERFETTO FUNCTION time_from_ns(
  -- Time duration in nanoseconds.
  nanos LONG
)
-- Time duration in nanoseconds.
RETURNS TIMESTAMP AS
SELECT $nanos;

-- A time in microseconds as one in nanoseconds.
CREATE PERFETTO FUNCTION time_from_us(
  -- Time duration in microseconds.
  micros LONG
)
-- Time duration in nanoseconds.
RETURNS LONG AS
SELECT $micros * 1000;

-- A time in milliseconds as one in nanoseconds.
CREATE PERFETTO FUNCTION time_from_ms(
  -- Time duration in milliseconds.
  millis LONG
)
-- Time duration in nanoseconds.
RETURNS TIMESTAMP AS
SELECT $millis * 1000000;

-- A time in seconds as one in nanoseconds.
CREATE PERFETTO FUNCTION time_from_s(
  -- Time duration in seconds.
  seconds LONG
)
-- Time duration in nanoseconds.
RETURNS TIMESTAMP AS
SELECT $seconds * 1000000000;

-- A time in minutes as one in nanoseconds.
CREATE PERFETTO FUNCTION time_from_min(
  -- Time duration in minutes.
  minutes LONG
)
-- Time duration in nanoseconds.
RETURNS TIMESTAMP AS
SELECT $minutes * 60000000000;

-- A time in hours as one in nanoseconds.
CREATE PERFETTO FUNCTION time_from_hours(
  -- Time duration in hours.
  hours LONG
)
-- Time duration in nanoseconds.
RETURNS TIMESTAMP AS
SELECT $hours * 3600000000000;

-- A time in days as one in nanoseconds.
CREATE PERFETTO FUNCTION time_from_days(
  -- Time duration in days.
  days LONG
)
-- Time duration in nanoseconds.
RETURNS LONG AS
SELECT $days * 86400000000000;

-- A time in nanoseconds as one in nanoseconds.
CREATE PERFETTO FUNCTION time_to_ns(
  -- Time duration in nanoseconds.
  nanos TIMESTAMP
)
-- Time duration in nanoseconds.
RETURNS LONG AS
SELECT $nanos;

-- A time in nanoseconds as one in microseconds.
CREATE PERFETTO FUNCTION time_to_us(
  -- Time duration in nanoseconds.
  nanos TIMESTAMP
)
-- Time duration in microseconds.
RETURNS LONG AS
SELECT $nanos / 1000;

-- A time in nanoseconds as one in milliseconds.
CREATE PERFETTO FUNCTION time_to_ms(
  -- Time duration in nanoseconds.
  nanos TIMESTAMP
)
-- Time duration in milliseconds.
RETURNS LONG AS
SELECT $nanos / 1000000;

-- A time in nanoseconds as one in seconds.
CREATE PERFETTO FUNCTION time_to_s(
  -- Time duration in nanoseconds.
  nanos TIMESTAMP
)
-- Time duration in seconds.
RETURNS LONG AS
SELECT $nanos / 1000000000;

-- A time in nanoseconds as one in minutes.
CREATE PERFETTO FUNCTION time_to_min(
  -- Time duration in nanoseconds.
  nanos TIMESTAMP
)
-- Time duration in minutes.
RETURNS LONG AS
SELECT $nanos / 60000000000;

-- A time in nanoseconds as one in hours.
CREATE PERFETTO FUNCTION time_to_hours(
  -- Time duration in nanoseconds.
  nanos TIMESTAMP
)
-- Time duration in hours.
RETURNS LONG AS
SELECT $nanos / 3600000000000;

-- A time in nanoseconds as one in days.
CREATE PERFETTO FUNCTION time_to_days(
  -- Time duration in nanoseconds.
  nanos TIMESTAMP
)
-- Time duration in days.
RETURNS LONG AS
SELECT $nanos / 86400000000000;
