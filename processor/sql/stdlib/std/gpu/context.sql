-- Contexts of GPUs.
CREATE PERFETTO VIEW gpu_context AS
SELECT id, context_id, pid, api FROM __intrinsic_gpu_context;
