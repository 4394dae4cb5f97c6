SELECT name, int_value, str_value FROM metadata WHERE name GLOB 'android_*' ORDER BY name;
SELECT android_sdk_version FROM machine;
