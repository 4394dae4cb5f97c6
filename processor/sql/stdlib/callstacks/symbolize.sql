-- Functions, files and lines for addresses, from binaries, on demand.

-- For rows (file_name, rel_pc, mapping_id, address), where rel_pc is an address of the file: what
-- is there. One row for each function at the address, the innermost first, so functions that were
-- compiled into others have their own; none where nothing is known. Columns: function_name,
-- file_name, line_number, mapping_id, address. SQL must be allowed to read files, or the program
-- know folders with binaries (PERFETTO_BINARY_PATH).
CREATE PERFETTO MACRO _callstack_frame_symbolize(rel_pc_table TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT
    c0 AS function_name, c1 AS file_name, c2 AS line_number, c3 AS mapping_id, c4 AS address
  FROM __intrinsic_table_ptr(
    (
      SELECT
        __intrinsic_symbolize(
          __intrinsic_symbolize_agg(t.file_name, t.rel_pc, t.mapping_id, t.address)
        )
      FROM $rel_pc_table AS t
    )
  )
  WHERE __intrinsic_table_ptr_bind(c0, 'function_name')
    AND __intrinsic_table_ptr_bind(c1, 'file_name')
    AND __intrinsic_table_ptr_bind(c2, 'line_number')
    AND __intrinsic_table_ptr_bind(c3, 'mapping_id')
    AND __intrinsic_table_ptr_bind(c4, 'address')
);

-- The frames of the trace that have no symbols, as the macro takes them: the address is the id of
-- the frame.
CREATE PERFETTO VIEW _callstack_frames_without_symbols(
  -- The binary.
  file_name STRING,
  -- Address in it.
  rel_pc LONG,
  -- Its mapping.
  mapping_id LONG,
  -- The frame.
  address LONG
) AS
SELECT m.name AS file_name, f.rel_pc, m.id AS mapping_id, f.id AS address
FROM stack_profile_frame AS f
JOIN stack_profile_mapping AS m ON m.id = f.mapping
WHERE f.symbol_set_id IS NULL AND m.build_id != '';
