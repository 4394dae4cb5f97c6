-- An archive that dumpstate made: its text is read, the other files are no traces.
SELECT section, line FROM android_dumpstate ORDER BY id;
SELECT name, trace_type, is_container FROM __intrinsic_trace_file ORDER BY id;
