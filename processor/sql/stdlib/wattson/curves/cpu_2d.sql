-- Power in mW of cpus whose power depends on others, too. The program comes without measured values: the
-- table is empty until a package brings some.

CREATE PERFETTO TABLE _device_curves_2d AS
SELECT * FROM __intrinsic_wattson_curves_cpu_2d();
