DROP VIEW IF EXISTS report_entries;
CREATE VIEW report_entries AS
SELECT SliceReport_Entry(
  'name', name,
  'total_dur', sum(dur),
  'kind', iif(sum(dur) < {{ limit }}, 'KIND_SHORT', 2),
  'share', sum(dur) * 1.0 / (SELECT sum(dur) FROM {{table}}),
  'ids', RepeatedField(id),
  'is_io', name = 'read',
  'note', NULL
) AS entry
FROM {{table}}
GROUP BY name
ORDER BY name;
