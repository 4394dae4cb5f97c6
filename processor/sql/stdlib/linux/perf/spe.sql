-- Operations that the Statistical Profiling Extension of Arm sampled.

CREATE PERFETTO MACRO _spe_bit(bit Expr)
RETURNS Expr AS
((events_bitmask >> $bit) & 1);

-- One row for each operation: where it was, how long it took, and what happened to it.
CREATE PERFETTO VIEW linux_perf_spe_record(
  ts TIMESTAMP, utid JOINID(thread.id), exception_level STRING, instruction_frame_id LONG,
  operation STRING, data_virtual_address LONG, data_physical_address LONG, total_latency LONG,
  issue_latency LONG, translation_latency LONG, data_source STRING, exception_gen BOOL,
  retired BOOL, l1d_access BOOL, l1d_refill BOOL, tlb_access BOOL, tlb_refill BOOL,
  not_taken BOOL, mispred BOOL, llc_access BOOL, llc_refill BOOL, remote_access BOOL,
  alignment BOOL, tme_transaction BOOL, sve_partial_pred BOOL, sve_empty_pred BOOL,
  l2d_access BOOL, l2d_hit BOOL, cache_data_modified BOOL, recenty_fetched BOOL,
  data_snooped BOOL
) AS
SELECT
  ts, utid, exception_level, instruction_frame_id, operation, data_virtual_address,
  data_physical_address, total_latency, issue_latency, translation_latency, data_source,
  _spe_bit!(0) AS exception_gen,
  _spe_bit!(1) AS retired,
  _spe_bit!(2) AS l1d_access,
  _spe_bit!(3) AS l1d_refill,
  _spe_bit!(4) AS tlb_access,
  _spe_bit!(5) AS tlb_refill,
  _spe_bit!(6) AS not_taken,
  _spe_bit!(7) AS mispred,
  _spe_bit!(8) AS llc_access,
  _spe_bit!(9) AS llc_refill,
  _spe_bit!(10) AS remote_access,
  _spe_bit!(11) AS alignment,
  _spe_bit!(16) AS tme_transaction,
  _spe_bit!(17) AS sve_partial_pred,
  _spe_bit!(18) AS sve_empty_pred,
  _spe_bit!(19) AS l2d_access,
  _spe_bit!(20) AS l2d_hit,
  _spe_bit!(21) AS cache_data_modified,
  _spe_bit!(22) AS recenty_fetched,
  _spe_bit!(23) AS data_snooped
FROM __intrinsic_spe_record;
