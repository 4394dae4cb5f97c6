-- What V8, the engine of Chrome and Node.js, compiled.

-- Isolates: instances of the engine.
CREATE PERFETTO VIEW v8_isolate(
  -- The row.
  v8_isolate_id ID,
  -- Alias for `process.upid`.
  upid JOINID(process.id),
  -- The engine's own number of the isolate.
  internal_isolate_id LONG,
  -- Where the code begins that the engine brings along.
  embedded_blob_code_start_address LONG,
  -- How long that is, in bytes.
  embedded_blob_code_size LONG,
  -- Where the range of made code begins.
  code_range_base_address LONG,
  -- How long that is, in bytes.
  code_range_size LONG,
  -- Whether all isolates of the process share it.
  shared_code_range BOOL,
  -- Where a copy of the code begins that the engine brings along.
  embedded_blob_code_copy_start_address LONG
) AS
SELECT
  id AS v8_isolate_id, upid, internal_isolate_id, embedded_blob_code_start_address,
  embedded_blob_code_size, code_range_base_address, code_range_size, shared_code_range,
  embedded_blob_code_copy_start_address
FROM __intrinsic_v8_isolate;

-- Scripts in JavaScript.
CREATE PERFETTO VIEW v8_js_script(
  -- The row.
  v8_js_script_id ID,
  -- Alias for `v8_isolate.v8_isolate_id`.
  v8_isolate_id JOINID(v8_isolate.id),
  -- The engine's own number of the script.
  internal_script_id LONG,
  -- What kind of script it is.
  script_type STRING,
  -- The name.
  name STRING,
  -- The text.
  source STRING
) AS
SELECT
  id AS v8_js_script_id, v8_isolate_id, internal_script_id, script_type, name, source
FROM __intrinsic_v8_js_script;

-- Modules in WebAssembly.
CREATE PERFETTO VIEW v8_wasm_script(
  -- The row.
  v8_wasm_script_id ID,
  -- Alias for `v8_isolate.v8_isolate_id`.
  v8_isolate_id JOINID(v8_isolate.id),
  -- The engine's own number of the script.
  internal_script_id LONG,
  -- Where it came from.
  url STRING,
  -- The module in its binary form.
  wire_bytes_base64 STRING,
  -- The text.
  source STRING
) AS
SELECT
  id AS v8_wasm_script_id, v8_isolate_id, internal_script_id, url, wire_bytes_base64, source
FROM __intrinsic_v8_wasm_script;

-- Functions in JavaScript.
CREATE PERFETTO VIEW v8_js_function(
  -- The row.
  v8_js_function_id ID,
  -- The name.
  name STRING,
  -- Alias for `v8_js_script.v8_js_script_id`.
  v8_js_script_id JOINID(v8_js_script.id),
  -- Whether it is the code outside of all functions.
  is_toplevel BOOL,
  -- What kind of function it is.
  kind STRING,
  -- The line of the script where it begins.
  line LONG,
  -- The column where it begins.
  col LONG
) AS
SELECT
  id AS v8_js_function_id, name, v8_js_script_id, is_toplevel, kind, line, col
FROM __intrinsic_v8_js_function;

-- Code of functions in JavaScript, by tier.
CREATE PERFETTO VIEW v8_js_code(
  -- The row.
  v8_js_code_id ID,
  -- Alias for `jit_code.id`.
  jit_code_id JOINID(jit_code.id),
  -- Alias for `v8_js_function.v8_js_function_id`.
  v8_js_function_id JOINID(v8_js_function.id),
  -- How the engine made it.
  tier STRING,
  -- Its bytecode.
  bytecode_base64 STRING
) AS
SELECT
  id AS v8_js_code_id, jit_code_id, v8_js_function_id, tier, bytecode_base64
FROM __intrinsic_v8_js_code;

-- Code of the engine itself.
CREATE PERFETTO VIEW v8_internal_code(
  -- The row.
  v8_internal_code_id ID,
  -- Alias for `jit_code.id`.
  jit_code_id JOINID(jit_code.id),
  -- Alias for `v8_isolate.v8_isolate_id`.
  v8_isolate_id JOINID(v8_isolate.id),
  -- The name of the function.
  function_name STRING,
  -- What the code is for.
  code_type STRING
) AS
SELECT
  id AS v8_internal_code_id, jit_code_id, v8_isolate_id, function_name, code_type
FROM __intrinsic_v8_internal_code;

-- Code of functions in WebAssembly, by tier.
CREATE PERFETTO VIEW v8_wasm_code(
  -- The row.
  v8_wasm_code_id ID,
  -- Alias for `jit_code.id`.
  jit_code_id JOINID(jit_code.id),
  -- Alias for `v8_isolate.v8_isolate_id`.
  v8_isolate_id JOINID(v8_isolate.id),
  -- Alias for `v8_wasm_script.v8_wasm_script_id`.
  v8_wasm_script_id JOINID(v8_wasm_script.id),
  -- The name of the function.
  function_name STRING,
  -- How the engine made it.
  tier STRING,
  -- Where the function is in the module.
  code_offset_in_module LONG
) AS
SELECT
  id AS v8_wasm_code_id, jit_code_id, v8_isolate_id, v8_wasm_script_id, function_name, tier,
  code_offset_in_module
FROM __intrinsic_v8_wasm_code;

-- Code of regular expressions.
CREATE PERFETTO VIEW v8_regexp_code(
  -- The row.
  v8_regexp_code_id ID,
  -- Alias for `jit_code.id`.
  jit_code_id JOINID(jit_code.id),
  -- Alias for `v8_isolate.v8_isolate_id`.
  v8_isolate_id JOINID(v8_isolate.id),
  -- The expression.
  pattern STRING
) AS
SELECT
  id AS v8_regexp_code_id, jit_code_id, v8_isolate_id, pattern
FROM __intrinsic_v8_regexp_code;

-- The same under the names that other libraries have.

-- Code of functions.
CREATE PERFETTO VIEW _v8_js_code(
  -- Number of the row.
  id LONG,
  -- The piece of code.
  jit_code_id LONG,
  -- The function.
  v8_js_function_id LONG,
  -- The compiler.
  tier STRING,
  -- The code, where it is interpreted.
  bytecode BYTES
) AS
SELECT
  v8_js_code_id AS id, jit_code_id, v8_js_function_id, tier,
  base64_decode(bytecode_base64) AS bytecode
FROM v8_js_code;

-- Code of V8 itself.
CREATE PERFETTO VIEW _v8_internal_code(
  -- Number of the row.
  id LONG,
  -- The piece of code.
  jit_code_id LONG,
  -- The isolate.
  v8_isolate_id LONG,
  -- Name of the function.
  function_name STRING,
  -- Its kind.
  code_type STRING
) AS
SELECT v8_internal_code_id AS id, jit_code_id, v8_isolate_id, function_name, code_type
FROM v8_internal_code;

-- Code of WebAssembly.
CREATE PERFETTO VIEW _v8_wasm_code(
  -- Number of the row.
  id LONG,
  -- The piece of code.
  jit_code_id LONG,
  -- The isolate.
  v8_isolate_id LONG,
  -- The script.
  v8_wasm_script_id LONG,
  -- Name of the function.
  function_name STRING,
  -- The compiler.
  tier STRING,
  -- Where the function begins in its module.
  code_offset_in_module LONG
) AS
SELECT
  v8_wasm_code_id AS id, jit_code_id, v8_isolate_id, v8_wasm_script_id, function_name, tier,
  code_offset_in_module
FROM v8_wasm_code;

-- Code of regular expressions.
CREATE PERFETTO VIEW _v8_regexp_code(
  -- Number of the row.
  id LONG,
  -- The piece of code.
  jit_code_id LONG,
  -- The isolate.
  v8_isolate_id LONG,
  -- The expression.
  pattern STRING
) AS
SELECT v8_regexp_code_id AS id, jit_code_id, v8_isolate_id, pattern FROM v8_regexp_code;
