-- Processes as messages, for other metrics: who they are, and of which package.
INCLUDE PERFETTO MODULE android.process_metadata;

DROP VIEW IF EXISTS process_metadata;
CREATE VIEW process_metadata AS
SELECT
  upid,
  AndroidProcessMetadata(
    'name', process_name, 'uid', uid, 'pid', pid,
    'package', NULL_IF_EMPTY(AndroidProcessMetadata_Package(
      'package_name', package_name, 'apk_version_code', version_code, 'debuggable', debuggable
    ))
  ) AS metadata
FROM android_process_metadata;
