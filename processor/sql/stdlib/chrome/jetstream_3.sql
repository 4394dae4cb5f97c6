-- Runs of the benchmark JetStream 3, by what its page measures itself.

-- Benchmarks, the group whose score they are part of, and how many of their slowest iterations count
-- as worst ones.
CREATE PERFETTO VIEW _chrome_jetstream_3_benchmark_name(
  -- The benchmark.
  name STRING,
  -- Its group; itself where it has none.
  top_level_name STRING,
  -- How many iterations are the worst.
  worst_case_count LONG
) AS
WITH
  benchmarks(name, top_level_name, worst_case_count) AS (
    VALUES
      ('Air', NULL, 4), ('Basic', NULL, 4), ('ML', NULL, 4), ('Babylon', NULL, 4),
      ('cdjs', NULL, 3), ('first-inspector-code-load', NULL, 4),
      ('multi-inspector-code-load', NULL, 4), ('Box2D', NULL, 4), ('octane-code-load', NULL, 4),
      ('crypto', NULL, 4), ('delta-blue', NULL, 4), ('earley-boyer', NULL, 4),
      ('gbemu', NULL, 4), ('mandreel', NULL, 4), ('navier-stokes', NULL, 4), ('pdfjs', NULL, 4),
      ('raytrace', NULL, 4), ('regexp-octane', NULL, 4), ('richards', NULL, 4),
      ('splay', NULL, 4), ('typescript-octane', NULL, 2), ('FlightPlanner', NULL, 4),
      ('OfflineAssembler', NULL, 4), ('UniPoker', NULL, 4), ('validatorjs', NULL, 4),
      ('hash-map', NULL, 4), ('doxbee-promise', NULL, 4), ('doxbee-async', NULL, 4),
      ('ai-astar', NULL, 4), ('gaussian-blur', NULL, 4), ('stanford-crypto-aes', NULL, 4),
      ('stanford-crypto-pbkdf2', NULL, 4), ('stanford-crypto-sha256', NULL, 4),
      ('json-stringify-inspector', NULL, 2), ('json-parse-inspector', NULL, 2),
      ('bigint-noble-bls12-381', NULL, 1), ('bigint-noble-secp256k1', NULL, 4),
      ('bigint-noble-ed25519', NULL, 4), ('bigint-paillier', NULL, 2),
      ('bigint-bigdenary', NULL, 4), ('async-fs', NULL, 3), ('sync-fs', NULL, 3),
      ('lazy-collections', NULL, 4), ('js-tokens', NULL, 4), ('threejs', NULL, 4),
      ('mobx-startup', NULL, 4), ('jsdom-d3-startup', NULL, 2), ('web-ssr', NULL, 4),
      ('proxy-mobx', 'Proxy', 4), ('proxy-vue', 'Proxy', 4),
      ('raytrace-public-class-fields', NULL, 4), ('raytrace-private-class-fields', NULL, 4),
      ('typescript-lib', NULL, 1), ('babylonjs-startup-es5', NULL, 2),
      ('babylonjs-startup-es6', NULL, 2), ('babylonjs-scene-es5', NULL, 2),
      ('babylonjs-scene-es6', NULL, 2), ('bomb-workers', NULL, 4), ('segmentation', NULL, 4),
      ('WSL', NULL, 4), ('acorn-wtb', 'web-tooling-benchmark', 4),
      ('babel-wtb', 'web-tooling-benchmark', 4), ('babel-minify-wtb', 'web-tooling-benchmark', 4),
      ('babylon-wtb', 'web-tooling-benchmark', 4), ('chai-wtb', 'web-tooling-benchmark', 4),
      ('espree-wtb', 'web-tooling-benchmark', 4), ('esprima-next-wtb', 'web-tooling-benchmark', 4),
      ('lebab-wtb', 'web-tooling-benchmark', 4), ('postcss-wtb', 'web-tooling-benchmark', 4),
      ('prettier-wtb', 'web-tooling-benchmark', 4), ('source-map-wtb', 'web-tooling-benchmark', 4),
      ('3d-cube-SP', 'Sunspider', 4), ('3d-raytrace-SP', 'Sunspider', 4),
      ('base64-SP', 'Sunspider', 4), ('crypto-aes-SP', 'Sunspider', 4),
      ('crypto-md5-SP', 'Sunspider', 4), ('crypto-sha1-SP', 'Sunspider', 4),
      ('date-format-tofte-SP', 'Sunspider', 4), ('date-format-xparb-SP', 'Sunspider', 4),
      ('n-body-SP', 'Sunspider', 4), ('regex-dna-SP', 'Sunspider', 4),
      ('string-unpack-code-SP', 'Sunspider', 4), ('tagcloud-SP', 'Sunspider', 4),
      ('8bitbench-wasm', NULL, 2), ('HashSet-wasm', NULL, 4), ('tsf-wasm', NULL, 4),
      ('quicksort-wasm', NULL, 4), ('gcc-loops-wasm', NULL, 4), ('richards-wasm', NULL, 4),
      ('sqlite3-wasm', NULL, 2), ('tfjs-wasm', NULL, 4), ('tfjs-wasm-simd', NULL, 4),
      ('argon2-wasm', NULL, 3), ('argon2-wasm-simd', NULL, 3), ('dotnet-interp-wasm', NULL, 2),
      ('dotnet-aot-wasm', NULL, 2), ('zlib-wasm', NULL, 4), ('j2cl-box2d-wasm', NULL, 4),
      ('Dart-flute-complex-wasm', NULL, 2), ('Dart-flute-todomvc-wasm', NULL, 4),
      ('Kotlin-compose-wasm', NULL, 2), ('transformersjs-bert-wasm', NULL, 4),
      ('transformersjs-whisper-wasm', NULL, 1)
  )
SELECT name, coalesce(top_level_name, name) AS top_level_name, worst_case_count FROM benchmarks;

-- Iterations: slices named after the benchmark, with the number of the iteration behind it.
CREATE PERFETTO VIEW _chrome_jetstream_3_measure_slice AS
SELECT
  s.id, s.ts, s.dur, b.name, b.top_level_name, b.worst_case_count,
  CAST(substr(s.name, length(b.name) + 12) AS INT) AS iteration
FROM _chrome_jetstream_3_benchmark_name AS b
JOIN slice AS s ON s.name GLOB b.name || '-iteration-[0-9]*'
WHERE s.category GLOB '*blink.user_timing*' AND s.dur > 0;

-- WSL has no iterations, but two parts.
CREATE PERFETTO VIEW _chrome_jetstream_3_wsl_slice AS
SELECT id, ts, dur, 'WSL' AS name, 'WSL' AS top_level_name, 0 AS iteration, name AS subtest
FROM slice
WHERE name IN ('WSL-stdlib', 'WSL-tests') AND category GLOB '*blink.user_timing*' AND dur > 0;

-- What is measured: the first iteration, the slowest ones, and the others.
CREATE PERFETTO TABLE chrome_jetstream_3_measure(
  -- The slice.
  id LONG,
  -- Its begin.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The benchmark.
  name STRING,
  -- Its group.
  top_level_name STRING,
  -- Number of the iteration, from 0 on.
  iteration LONG,
  -- `First`, `Worst` or `Average`; for WSL the name of the slice.
  subtest STRING
) AS
WITH
  ranked AS (
    SELECT
      *, row_number() OVER (PARTITION BY name, iteration > 0 ORDER BY dur DESC, id) AS place
    FROM _chrome_jetstream_3_measure_slice
  )
SELECT
  id, ts, dur, name, top_level_name, iteration,
  CASE
    WHEN iteration = 0 THEN 'First'
    WHEN place <= worst_case_count THEN 'Worst'
    ELSE 'Average'
  END AS subtest
FROM ranked
UNION ALL
SELECT id, ts, dur, name, top_level_name, iteration, subtest FROM _chrome_jetstream_3_wsl_slice
ORDER BY ts;

-- Scores of the parts: 5000 divided by the mean of what they took, in ms. The average has all but the
-- first iteration.
CREATE PERFETTO VIEW _chrome_jetstream_3_subtest_score AS
SELECT name, top_level_name, subtest, 5000 / (avg(dur) / 1e6) AS score
FROM (
  SELECT name, top_level_name, subtest, dur FROM chrome_jetstream_3_measure
  UNION ALL
  SELECT name, top_level_name, 'Average', dur FROM chrome_jetstream_3_measure
  WHERE subtest = 'Worst'
)
GROUP BY name, top_level_name, subtest;

-- Scores of benchmarks: the geometric mean of their parts.
CREATE PERFETTO VIEW _chrome_jetstream_3_leaf_benchmark_score AS
SELECT name, top_level_name, exp(avg(ln(score))) AS score
FROM _chrome_jetstream_3_subtest_score
GROUP BY name, top_level_name;

-- Scores of groups, and of benchmarks without one.
CREATE PERFETTO TABLE chrome_jetstream_3_benchmark_score(
  -- The group or the benchmark.
  top_level_name STRING,
  -- The geometric mean of its benchmarks.
  score DOUBLE
) AS
SELECT top_level_name, exp(avg(ln(score))) AS score
FROM _chrome_jetstream_3_leaf_benchmark_score
GROUP BY top_level_name
ORDER BY top_level_name;

-- The score of the whole run: the geometric mean of all groups. NULL without any.
CREATE PERFETTO FUNCTION chrome_jetstream_3_score()
RETURNS DOUBLE AS
SELECT exp(avg(ln(score))) FROM chrome_jetstream_3_benchmark_score;

-- The main thread of the process that ran the benchmarks.
CREATE PERFETTO FUNCTION chrome_jetstream_3_renderer_main_utid()
RETURNS TABLE(
  -- The thread.
  utid LONG
) AS
WITH processes AS (
  SELECT DISTINCT coalesce(p.upid, t.upid) AS upid
  FROM chrome_jetstream_3_measure AS m
  JOIN slice AS s USING (id)
  LEFT JOIN process_track AS p ON p.id = s.track_id
  LEFT JOIN thread_track AS k ON k.id = s.track_id
  LEFT JOIN thread AS t ON t.id = k.utid
)
SELECT t.utid
FROM processes AS p JOIN thread AS t USING (upid)
WHERE t.name = 'CrRendererMain';
