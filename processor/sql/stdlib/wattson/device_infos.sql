-- The devices that are known, and what is peculiar to each: facts of their hardware.

-- Names of devices, and the processors in them.
CREATE PERFETTO TABLE _wattson_device_map AS
WITH data(device, wattson_device) AS (
  VALUES
    ('oriole', 'Tensor'), ('raven', 'Tensor'), ('bluejay', 'Tensor'),
    ('eos', 'monaco'), ('aurora', 'monaco')
)
SELECT * FROM data;

-- The processor of this trace: told by its name, or by the name of the device.
CREATE PERFETTO TABLE _wattson_device AS
WITH
  soc AS (
    SELECT str_value AS model FROM metadata WHERE name = 'android_soc_model'
  ),
  build AS (
    SELECT str_split(str_split(str_value, '/', 2), ':', 0) AS device, str_value
    FROM metadata WHERE name = 'android_build_fingerprint'
  )
SELECT coalesce(
  (SELECT model FROM soc WHERE model IN ('Tensor', 'Tensor G4', 'Tensor G5', 'MT6858', 'MT6897', 'monaco')),
  (SELECT m.wattson_device FROM build AS b JOIN _wattson_device_map AS m ON m.device = b.device)
) AS name
WHERE name IS NOT NULL;

-- Which cpus change their frequency together.
CREATE PERFETTO TABLE _cpu_to_policy_map AS
WITH data(device, cpu, policy) AS (
  VALUES
    ('monaco', 0, 0), ('monaco', 1, 0), ('monaco', 2, 0), ('monaco', 3, 0),
    ('Tensor', 0, 0), ('Tensor', 1, 0), ('Tensor', 2, 0), ('Tensor', 3, 0),
    ('Tensor', 4, 4), ('Tensor', 5, 4), ('Tensor', 6, 6), ('Tensor', 7, 6),
    ('Tensor G4', 0, 0), ('Tensor G4', 1, 0), ('Tensor G4', 2, 0), ('Tensor G4', 3, 0),
    ('Tensor G4', 4, 4), ('Tensor G4', 5, 4), ('Tensor G4', 6, 4), ('Tensor G4', 7, 7),
    ('Tensor G5', 0, 0), ('Tensor G5', 1, 0), ('Tensor G5', 2, 2), ('Tensor G5', 3, 2),
    ('Tensor G5', 4, 2), ('Tensor G5', 5, 2), ('Tensor G5', 6, 2), ('Tensor G5', 7, 7),
    ('MT6858', 0, 0), ('MT6858', 1, 0), ('MT6858', 2, 0), ('MT6858', 3, 0),
    ('MT6858', 4, 4), ('MT6858', 5, 4), ('MT6858', 6, 4), ('MT6858', 7, 4),
    ('MT6897', 0, 0), ('MT6897', 1, 0), ('MT6897', 2, 0), ('MT6897', 3, 0),
    ('MT6897', 4, 4), ('MT6897', 5, 4), ('MT6897', 6, 4), ('MT6897', 7, 7)
)
SELECT * FROM data;

-- By how much a cpu falls into its deepest idle state earlier than it says, in ns.
CREATE PERFETTO TABLE _device_cpu_deep_idle_offsets AS
WITH data(device, cpu, offset_ns) AS (
  VALUES
    ('Tensor', 0, 0), ('Tensor', 1, 0), ('Tensor', 2, 0), ('Tensor', 3, 0),
    ('Tensor', 4, 0), ('Tensor', 5, 0), ('Tensor', 6, 200000), ('Tensor', 7, 200000),
    ('monaco', 0, 450000), ('monaco', 1, 450000), ('monaco', 2, 450000), ('monaco', 3, 450000),
    ('Tensor G4', 0, 0), ('Tensor G4', 1, 0), ('Tensor G4', 2, 0), ('Tensor G4', 3, 0),
    ('Tensor G4', 4, 0), ('Tensor G4', 5, 0), ('Tensor G4', 6, 0), ('Tensor G4', 7, 0)
)
SELECT * FROM data;

-- Idle states of the kernel, and those that were measured.
CREATE PERFETTO TABLE _idle_state_map AS
WITH data(device, nominal_idle, override_idle) AS (
  VALUES
    ('MT6858', 4294967295, -1), ('MT6858', 0, 0), ('MT6858', 1, 1),
    ('MT6858', 2, 1), ('MT6858', 3, 1), ('MT6858', 4, 1),
    ('MT6858', 5, 1), ('MT6897', 4294967295, -1), ('MT6897', 0, 0),
    ('MT6897', 1, 1), ('MT6897', 2, 1), ('MT6897', 3, 1),
    ('MT6897', 4, 1), ('MT6897', 5, 1), ('MT6897', 6, 1)
)
SELECT * FROM data;

-- Those of this trace.
CREATE PERFETTO TABLE _idle_state_map_override AS
SELECT m.nominal_idle, m.override_idle
FROM _idle_state_map AS m JOIN _wattson_device AS d ON d.name = m.device
ORDER BY m.nominal_idle;

-- The deepest idle state that was measured.
CREATE PERFETTO TABLE _deepest_idle AS
SELECT 1 AS idle;

-- The graphics processor whose frequency counts.
CREATE PERFETTO TABLE _gpuid_map AS
WITH data(device, gpu_id) AS (VALUES ('Tensor G5', 0), ('Tensor', 1))
SELECT * FROM data;

-- Devices on which the frequency of the shared cache is a device's, not a clock's.
CREATE PERFETTO TABLE _use_devfreq AS
WITH data(device) AS (VALUES ('Tensor G4'), ('Tensor G5'))
SELECT * FROM data;

CREATE PERFETTO TABLE _use_devfreq_for_calc AS
SELECT 1 AS devfreq_necessary
FROM _use_devfreq AS u JOIN _wattson_device AS d ON d.name = u.device;

CREATE PERFETTO TABLE _skip_devfreq_for_calc AS
SELECT 0 AS devfreq_necessary
WHERE NOT EXISTS (SELECT 1 FROM _use_devfreq_for_calc);

-- Cpus on which others depend by the frequency they ask for, even while they are idle.
CREATE PERFETTO TABLE _vote_by_freq AS
WITH data(device, cpu) AS (VALUES ('Tensor G5', 5), ('Tensor G5', 6), ('Tensor G5', 7))
SELECT * FROM data;

-- The cpus of this trace and their policies.
CREATE PERFETTO TABLE _dev_cpu_policy_map AS
SELECT m.cpu, m.policy
FROM _cpu_to_policy_map AS m JOIN _wattson_device AS d ON d.name = m.device
ORDER BY m.cpu;

CREATE PERFETTO TABLE _dev_vote_by_freq AS
SELECT
  m.cpu,
  EXISTS(
    SELECT 1 FROM _vote_by_freq AS v JOIN _wattson_device AS d ON d.name = v.device
    WHERE v.cpu = m.cpu
  ) AS vote_by_freq
FROM _dev_cpu_policy_map AS m
ORDER BY m.cpu;

CREATE PERFETTO TABLE _device_policies AS
SELECT DISTINCT policy FROM _dev_cpu_policy_map ORDER BY policy;

-- For each cpu, all cpus of its policy as bits; NULL if the device is not known.
CREATE PERFETTO TABLE _policy_masks AS
SELECT
  sum(iif(m.policy = (SELECT policy FROM _dev_cpu_policy_map WHERE cpu = 0), 1 << m.cpu, 0))
    AS m0,
  sum(iif(m.policy = (SELECT policy FROM _dev_cpu_policy_map WHERE cpu = 1), 1 << m.cpu, 0))
    AS m1,
  sum(iif(m.policy = (SELECT policy FROM _dev_cpu_policy_map WHERE cpu = 2), 1 << m.cpu, 0))
    AS m2,
  sum(iif(m.policy = (SELECT policy FROM _dev_cpu_policy_map WHERE cpu = 3), 1 << m.cpu, 0))
    AS m3,
  sum(iif(m.policy = (SELECT policy FROM _dev_cpu_policy_map WHERE cpu = 4), 1 << m.cpu, 0))
    AS m4,
  sum(iif(m.policy = (SELECT policy FROM _dev_cpu_policy_map WHERE cpu = 5), 1 << m.cpu, 0))
    AS m5,
  sum(iif(m.policy = (SELECT policy FROM _dev_cpu_policy_map WHERE cpu = 6), 1 << m.cpu, 0))
    AS m6,
  sum(iif(m.policy = (SELECT policy FROM _dev_cpu_policy_map WHERE cpu = 7), 1 << m.cpu, 0))
    AS m7
FROM _dev_cpu_policy_map AS m;
