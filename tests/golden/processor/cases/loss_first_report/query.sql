SELECT sequence_id, writer_id, reason, packets FROM loss ORDER BY id;
