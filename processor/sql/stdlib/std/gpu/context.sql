-- Contexts of GPUs.
CREATE PERFETTO VIEW gpu_context(
  -- Number of the row.
  id ID,
  -- The number of the context.
  context_id LONG,
  -- The process that it belongs to.
  pid LONG,
  -- The interface it was made by, such as OPEN_GL or VULKAN.
  api STRING
) AS
SELECT id, context_id, pid, api FROM __intrinsic_gpu_context;
