-- Code that was compiled while the program ran.

-- The pieces of code, from when until about when they were there.
CREATE PERFETTO VIEW jit_code(
  jit_code_id LONG, create_ts TIMESTAMP, estimated_delete_ts TIMESTAMP, utid JOINID(thread.id),
  start_address LONG, size LONG, function_name STRING, native_code_base64 STRING
) AS
SELECT
  id AS jit_code_id, create_ts, estimated_delete_ts, utid, start_address, size, function_name,
  native_code_base64
FROM __intrinsic_jit_code;

-- The frames of stacks that lie in them.
CREATE PERFETTO VIEW jit_frame(jit_code_id LONG, frame_id JOINID(stack_profile_frame.id)) AS
SELECT jit_code_id, frame_id FROM __intrinsic_jit_frame;

-- The same under the name that other libraries have, with the code as bytes.
CREATE PERFETTO VIEW _jit_code(
  -- Number of the piece.
  jit_code_id LONG,
  -- When it was made.
  create_ts TIMESTAMP,
  -- When other code took its place.
  estimated_delete_ts TIMESTAMP,
  -- The thread that made it.
  utid JOINID(thread.id),
  -- Where it lay.
  start_address LONG,
  -- Its length.
  size LONG,
  -- Name of the function.
  function_name STRING,
  -- The code itself.
  native_code BYTES
) AS
SELECT
  jit_code_id, create_ts, estimated_delete_ts, utid, start_address, size, function_name,
  base64_decode(native_code_base64) AS native_code
FROM jit_code;

-- The frames under the name that other libraries have.
CREATE PERFETTO VIEW _jit_frame(
  -- The piece.
  jit_code_id LONG,
  -- The frame.
  frame_id LONG
) AS
SELECT jit_code_id, frame_id FROM jit_frame;
