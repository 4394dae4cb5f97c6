SELECT name, int_value, str_value FROM metadata WHERE name GLOB 'cr-*' ORDER BY name;
SELECT r.ts, r.name, a.key, a.value_type, a.display_value FROM __intrinsic_chrome_raw r JOIN args a USING (arg_set_id) ORDER BY r.ts, a.key;
SELECT value FROM stats WHERE name = 'empty_chrome_metadata';
