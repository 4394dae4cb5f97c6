SELECT RUN_METRIC('own/helper.sql', 'table', 'slice', 'limit', 300000);

DROP VIEW IF EXISTS slice_report_output;
CREATE VIEW slice_report_output AS
SELECT SliceReport(
  'entry', (SELECT RepeatedField(entry) FROM report_entries),
  'empty', SliceReport_Entry(),
  'names', (SELECT RepeatedField(name) FROM (SELECT DISTINCT name FROM slice))
);
