-- Time that cpus spent in the hypervisor of protected virtual machines.

-- One row for each time that a cpu entered it.
CREATE PERFETTO VIEW pkvm_hypervisor_events(
  -- The slice.
  slice_id JOINID(slice.id),
  -- The cpu.
  cpu JOINID(cpu.cpu),
  -- When it entered.
  ts TIMESTAMP,
  -- How long it stayed; -1: until the trace ended.
  dur DURATION,
  -- Why it entered, such as `host_hcall`; NULL if nothing says that.
  reason STRING
) AS
SELECT
  s.id AS slice_id, k.cpu, s.ts, s.dur, extract_arg(s.arg_set_id, 'hyp_enter_reason') AS reason
FROM slice AS s
JOIN cpu_track AS k ON k.id = s.track_id
WHERE k.type = 'pkvm_hypervisor';
