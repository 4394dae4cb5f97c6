-- The names under which people call native functions.

CREATE PERFETTO FUNCTION regexp(pattern STRING, input STRING) RETURNS BOOL
DELEGATES TO __intrinsic_regexp;

CREATE PERFETTO FUNCTION regexp(pattern STRING, input STRING, flags STRING) RETURNS BOOL
DELEGATES TO __intrinsic_regexp_with_flags;

CREATE PERFETTO FUNCTION regexp_extract(input STRING, pattern STRING) RETURNS STRING
DELEGATES TO __intrinsic_regexp_extract;

CREATE PERFETTO FUNCTION regexp_replace_simple(input STRING, pattern STRING, replacement STRING)
RETURNS STRING
DELEGATES TO __intrinsic_regexp_replace_simple;

CREATE PERFETTO FUNCTION reverse(input STRING) RETURNS STRING
DELEGATES TO __intrinsic_reverse;

CREATE PERFETTO FUNCTION base64_encode(input BYTES) RETURNS STRING
DELEGATES TO __intrinsic_base64_encode;

CREATE PERFETTO FUNCTION base64_decode(input ANY) RETURNS BYTES
DELEGATES TO __intrinsic_base64_decode;

CREATE PERFETTO FUNCTION demangle(symbol STRING) RETURNS STRING
DELEGATES TO __intrinsic_demangle;

CREATE PERFETTO FUNCTION unhex(hex STRING) RETURNS LONG
DELEGATES TO __intrinsic_unhex;

CREATE PERFETTO FUNCTION abs_time_str(ts TIMESTAMP) RETURNS STRING
DELEGATES TO __intrinsic_abs_time_str;

CREATE PERFETTO FUNCTION to_monotonic(ts TIMESTAMP) RETURNS LONG
DELEGATES TO __intrinsic_to_monotonic;

CREATE PERFETTO FUNCTION to_realtime(ts TIMESTAMP) RETURNS LONG
DELEGATES TO __intrinsic_to_realtime;

CREATE PERFETTO FUNCTION to_timecode(dur DURATION) RETURNS STRING
DELEGATES TO __intrinsic_to_timecode;

CREATE PERFETTO FUNCTION ln(x DOUBLE) RETURNS DOUBLE
DELEGATES TO __intrinsic_ln;

CREATE PERFETTO FUNCTION exp(x DOUBLE) RETURNS DOUBLE
DELEGATES TO __intrinsic_exp;

CREATE PERFETTO FUNCTION sqrt(x DOUBLE) RETURNS DOUBLE
DELEGATES TO __intrinsic_sqrt;
