CREATE OR REPLACE PERFETTO TABLE orma_why_path AS
SELECT * FROM orma_why_path!(orma_why_interval);
CREATE OR REPLACE PERFETTO TABLE orma_why_cut AS
SELECT * FROM orma_why_cut!(orma_why_interval, orma_why_path);
CREATE OR REPLACE PERFETTO TABLE orma_why_piece AS
SELECT * FROM orma_why_pieces!(orma_why_cut);
CREATE OR REPLACE PERFETTO TABLE orma_why_reason AS
SELECT * FROM orma_why_reasons!(orma_why_piece);
SELECT count(*) AS intervals FROM orma_why_interval
