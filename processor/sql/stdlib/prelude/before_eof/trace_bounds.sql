-- What the program makes itself. The texts only describe it.

/*declared: what the program makes itself, for those who list objects
-- When the trace begins.
CREATE PERFETTO FUNCTION trace_start()
-- The time.
RETURNS TIMESTAMP;

-- When the trace ends.
CREATE PERFETTO FUNCTION trace_end()
-- The time.
RETURNS TIMESTAMP;

-- How long the trace is.
CREATE PERFETTO FUNCTION trace_dur()
-- The length.
RETURNS DURATION;
*/
