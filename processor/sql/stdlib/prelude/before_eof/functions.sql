-- The names under which people call native functions.

-- Whether a regular expression matches somewhere in a text.
CREATE PERFETTO FUNCTION regexp(
  -- The expression.
  pattern STRING,
  -- The text.
  input STRING
)
-- True where it matches.
RETURNS BOOL
DELEGATES TO __intrinsic_regexp;

-- Whether a regular expression matches somewhere in a text.
CREATE PERFETTO FUNCTION regexp(
  -- The expression.
  pattern STRING,
  -- The text.
  input STRING,
  -- Letters that change what matches: i for upper and lower case alike.
  flags STRING
)
-- True where it matches.
RETURNS BOOL
DELEGATES TO __intrinsic_regexp_with_flags;

-- The part of a text that a regular expression matches.
CREATE PERFETTO FUNCTION regexp_extract(
  -- The text.
  input STRING,
  -- The expression, with one group or none.
  regex STRING
)
-- What the group matched, the whole match without one; NULL where nothing matches.
RETURNS STRING
DELEGATES TO __intrinsic_regexp_extract;

-- Puts another text in place of all that a regular expression matches.
CREATE PERFETTO FUNCTION regexp_replace_simple(
  -- The text.
  input STRING,
  -- The expression.
  regex STRING,
  -- What comes in place of each match, as it is.
  replacement STRING
)
-- The text after that.
RETURNS STRING
DELEGATES TO __intrinsic_regexp_replace_simple;

-- A text from its end to its beginning.
CREATE PERFETTO FUNCTION reverse(
  -- The text.
  input STRING
)
-- Its characters in reverse order.
RETURNS STRING
DELEGATES TO __intrinsic_reverse;

-- Bytes as Base64.
CREATE PERFETTO FUNCTION base64_encode(
  -- The bytes.
  input BYTES
)
-- A text of letters, digits, '+', '/' and '='.
RETURNS STRING
DELEGATES TO __intrinsic_base64_encode;

-- The bytes of a text in Base64.
CREATE PERFETTO FUNCTION base64_decode(
  -- The text.
  input ANY
)
-- The bytes; a text that is no Base64 is an error.
RETURNS BYTES
DELEGATES TO __intrinsic_base64_decode;

-- The name of a function as its programmer wrote it.
CREATE PERFETTO FUNCTION demangle(
  -- The name that the compiler gave it.
  input STRING
)
-- The name with its parameters; NULL if it is no such name.
RETURNS STRING
DELEGATES TO __intrinsic_demangle;

-- The number that hexadecimal digits stand for.
CREATE PERFETTO FUNCTION unhex(
  -- The digits, with or without 0x before them.
  input STRING
)
-- The number.
RETURNS LONG
DELEGATES TO __intrinsic_unhex;

-- A time of the trace as date and time of day.
CREATE PERFETTO FUNCTION abs_time_str(
  -- The time.
  ts TIMESTAMP
)
-- As in ISO 8601, in UTC; NULL if the trace does not say when it was.
RETURNS STRING
DELEGATES TO __intrinsic_abs_time_str;

-- A time of the trace on the clock that stands still while the machine sleeps.
CREATE PERFETTO FUNCTION to_monotonic(
  -- The time.
  ts TIMESTAMP
)
-- The time of CLOCK_MONOTONIC, in nanoseconds; NULL if the trace has no such clock.
RETURNS LONG
DELEGATES TO __intrinsic_to_monotonic;

-- A time of the trace since 1970.
CREATE PERFETTO FUNCTION to_realtime(
  -- The time.
  ts TIMESTAMP
)
-- The time of CLOCK_REALTIME, in nanoseconds; NULL if the trace has no such clock.
RETURNS LONG
DELEGATES TO __intrinsic_to_realtime;

-- A length of time in hours, minutes and seconds.
CREATE PERFETTO FUNCTION to_timecode(
  -- Nanoseconds.
  ts DURATION
)
-- As 00:00:01 000 000 000.
RETURNS STRING
DELEGATES TO __intrinsic_to_timecode;

-- The natural logarithm.
CREATE PERFETTO FUNCTION ln(
  -- A number above zero.
  input DOUBLE
)
-- Its logarithm; NULL for other numbers.
RETURNS DOUBLE
DELEGATES TO __intrinsic_ln;

-- The number e to a power.
CREATE PERFETTO FUNCTION exp(
  -- The power.
  input DOUBLE
)
-- e to it.
RETURNS DOUBLE
DELEGATES TO __intrinsic_exp;

-- The square root.
CREATE PERFETTO FUNCTION sqrt(
  -- A number of zero or more.
  input DOUBLE
)
-- Its root; NULL for other numbers.
RETURNS DOUBLE
DELEGATES TO __intrinsic_sqrt;
