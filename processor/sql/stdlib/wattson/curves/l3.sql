-- Power in mW of the shared cache, by access. The program comes without measured values: the
-- table is empty until a package brings some.

CREATE PERFETTO TABLE _device_curves_l3 AS
SELECT * FROM __intrinsic_wattson_curves_l3();
