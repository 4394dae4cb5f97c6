-- Heaps that were dumped because memory ran out.

-- What the runtime said when it ran out of memory.
CREATE PERFETTO VIEW android_heap_graph_java_oome_details(
  -- Number of the row.
  id ID,
  -- The dump that was made.
  heap_graph_id JOINID(heap_graph.id),
  -- Bytes that could not be had.
  allocation_size_bytes LONG,
  -- Bytes of the heap that were free.
  total_bytes_free LONG,
  -- Bytes that were left until the limit of the heap.
  free_bytes_until_oom LONG,
  -- The message of the error.
  error_msg STRING
) AS
SELECT
  id, heap_graph_id, allocation_size_bytes, total_bytes_free, free_bytes_until_oom, error_msg
FROM __intrinsic_heap_graph_java_oome_details;
