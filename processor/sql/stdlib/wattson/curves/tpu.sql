-- Power in mW of tensor processors. The program comes without measured values: the
-- table is empty until a package brings some.

CREATE PERFETTO TABLE _tpu_device_curves AS
SELECT * FROM __intrinsic_wattson_curves_tpu();
