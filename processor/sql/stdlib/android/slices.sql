-- Here so that programs which include it go on: slices of Android have no other names on Linux.

CREATE PERFETTO FUNCTION android_standardize_slice_name(slice_name STRING)
RETURNS STRING AS
SELECT $slice_name;
