-- Which Android it was.

-- Version of the SDK of the device; NULL if the trace does not say.
CREATE PERFETTO FUNCTION _android_sdk_version()
-- The number.
RETURNS LONG AS
SELECT int_value FROM metadata WHERE name = 'android_sdk_version';
