-- Flags of Android's features, as the source android.aflags read them.

-- One row for each flag and time it was read.
CREATE PERFETTO VIEW android_aflags(
  -- When the flags were read.
  ts TIMESTAMP,
  -- The package that the flag belongs to.
  package STRING,
  -- The name within the package.
  name STRING,
  -- The namespace that groups it.
  flag_namespace STRING,
  -- The part of the image that holds it.
  container STRING,
  -- What it is.
  value STRING,
  -- What it will be after the next boot, where that was set.
  staged_value STRING,
  -- Whether it can be written.
  permission STRING,
  -- Where the value comes from.
  value_picked_from STRING,
  -- What stores it.
  storage_backend STRING,
  -- The type of its value.
  type STRING
) AS
SELECT
  ts, package, name, flag_namespace, container, value, staged_value, permission,
  value_picked_from, storage_backend, type
FROM __intrinsic_android_aflags;
