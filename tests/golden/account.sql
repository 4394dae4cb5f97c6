-- Units of a file that were neither read nor counted, or counted twice, and those that no importer spoke for: there are none.
SELECT trace_id, unit, max(units) AS units, sum(count) AS counted FROM import_account
WHERE units IS NOT NULL GROUP BY trace_id, unit
HAVING max(units) != sum(count) OR sum(reason = 'no word') > 0;
