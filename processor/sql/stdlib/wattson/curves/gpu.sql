-- Power in mW of graphics processors. The program comes without measured values: the
-- table is empty until a package brings some.

CREATE PERFETTO TABLE _gpu_device_curves AS
SELECT * FROM __intrinsic_wattson_curves_gpu();
