-- Calls between processes of Chrome, for looking at long tasks.

-- Slices with a name that say which call they are about.
CREATE PERFETTO FUNCTION chrome_select_long_task_slices(
  -- Their name.
  name STRING
)
RETURNS TABLE(
  -- Name of the interface that was called.
  interface_name STRING,
  -- Hash of the call.
  ipc_hash LONG,
  -- `reply`, or `message`.
  message_type STRING,
  -- The slice.
  id LONG
) AS
SELECT
  extract_arg(arg_set_id, 'chrome_mojo_event_info.mojo_interface_tag') AS interface_name,
  extract_arg(arg_set_id, 'chrome_mojo_event_info.ipc_hash') AS ipc_hash,
  iif(extract_arg(arg_set_id, 'chrome_mojo_event_info.is_reply'), 'reply', 'message') AS message_type, id
FROM slice
WHERE name = $name AND arg_set_id IS NOT NULL
ORDER BY id;
