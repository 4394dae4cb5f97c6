-- Where the bytes of a trace are: paths of fields in its messages, as stacks.

-- One step of a path as text: the type and the name of the field, and for events what they are.
CREATE PERFETTO FUNCTION experimental_proto_path_to_frame(path_id LONG)
RETURNS STRING AS
SELECT
  coalesce('event.category:' || extract_arg(arg_set_id, 'event.category') || ' ', '')
  || coalesce('event.name:' || extract_arg(arg_set_id, 'event.name') || ' ', '')
  || CASE
    WHEN field_name IS NULL THEN coalesce(field_type, '')
    ELSE field_name || coalesce(' ' || field_type, '')
  END
FROM experimental_proto_path
WHERE id = $path_id;

-- The whole path as a stack, the outermost message first: for experimental_profile().
CREATE PERFETTO FUNCTION experimental_proto_path_to_stack(path_id LONG)
RETURNS BYTES AS
WITH RECURSIVE
  up(id, parent_id, height) AS (
    SELECT id, parent_id, 0 FROM experimental_proto_path WHERE id = $path_id
    UNION ALL
    SELECT p.id, p.parent_id, up.height + 1
    FROM up JOIN experimental_proto_path AS p ON p.id = up.parent_id
  ),
  stacks(height, stack) AS (
    SELECT height, cat_stacks(experimental_proto_path_to_frame(id))
    FROM up WHERE height = (SELECT max(height) FROM up)
    UNION ALL
    SELECT up.height, cat_stacks(s.stack, experimental_proto_path_to_frame(up.id))
    FROM stacks AS s JOIN up ON up.height = s.height - 1
  )
SELECT stack FROM stacks WHERE height = 0;
