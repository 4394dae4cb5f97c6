SELECT sequence_id, buffer, producer_id, writer_id, reason, packets FROM loss ORDER BY id;
SELECT sum(CASE reason WHEN 'emitted' THEN packets ELSE -packets END) AS unexplained FROM loss;
SELECT name, idx, value FROM stats WHERE name GLOB 'traced_buf_bytes_written' OR name GLOB 'traced_buf_chunks_overwritten';
