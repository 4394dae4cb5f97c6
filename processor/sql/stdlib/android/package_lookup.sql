-- Packages by user.

-- The package that fits a user best, or a name that stands for the user.
CREATE PERFETTO FUNCTION android_package_lookup(
  -- The user.
  uid LONG
)
-- The package; NULL without a user.
RETURNS STRING AS
SELECT _intrinsic_package_lookup($uid);
