-- What Chrome says of the machine.

-- Class of the hardware, such as the model of a device; NULL if Chrome did not say.
CREATE PERFETTO FUNCTION chrome_hardware_class()
-- Its name.
RETURNS STRING AS
SELECT str_value FROM metadata WHERE name = 'cr-hardware-class';
