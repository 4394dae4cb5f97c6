-- Frames without names, and what a server of symbols must be asked for.
INCLUDE PERFETTO MODULE stacks.symbolization_candidates;

DROP VIEW IF EXISTS unsymbolized_frames_output;
CREATE VIEW unsymbolized_frames_output AS
SELECT UnsymbolizedFrames(
  'frames', (
    SELECT RepeatedField(UnsymbolizedFrames_Frame(
      'module', module, 'build_id', build_id, 'address', rel_pc,
      'google_lookup_id', coalesce(breakpad_module_id, build_id)
    ))
    FROM (
      SELECT DISTINCT module, build_id, rel_pc, breakpad_module_id
      FROM _stacks_symbolization_candidates
    )
  )
);
