-- References that do not keep what they refer to.

CREATE PERFETTO TABLE _excluded_refs AS
SELECT r.id
FROM heap_graph_class AS c
JOIN heap_graph_object AS o ON o.type_id = c.id
JOIN heap_graph_reference AS r USING (reference_set_id)
WHERE c.kind IN (
    'KIND_FINALIZER_REFERENCE', 'KIND_PHANTOM_REFERENCE', 'KIND_SOFT_REFERENCE', 'KIND_WEAK_REFERENCE'
  )
  AND r.field_name = 'java.lang.ref.Reference.referent'
ORDER BY r.id;
