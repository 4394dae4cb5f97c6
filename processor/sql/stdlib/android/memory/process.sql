-- Scores and memory of processes over time.

INCLUDE PERFETTO MODULE android.oom_adjuster;
INCLUDE PERFETTO MODULE linux.memory.process;

CREATE PERFETTO VIEW _android_scores AS
SELECT
  ts, dur, upid, process_name, score, bucket, oom_adj_id, oom_adj_ts, oom_adj_dur, oom_adj_track_id,
  oom_adj_thread_name, oom_adj_reason, oom_adj_trigger
FROM android_oom_adj_intervals WHERE dur > 0;

CREATE PERFETTO VIEW _android_memory AS
SELECT
  ts, dur, upid, anon_rss, file_rss, shmem_rss, rss, swap, anon_rss_and_swap, rss_and_swap
FROM memory_rss_and_swap_per_process WHERE dur > 0;

CREATE VIRTUAL TABLE _android_scores_with_memory
USING SPAN_LEFT_JOIN(_android_memory PARTITIONED upid, _android_scores PARTITIONED upid);

CREATE PERFETTO VIEW memory_oom_score_with_rss_and_swap_per_process(
  ts TIMESTAMP, dur DURATION, score LONG, bucket STRING, upid JOINID(process.id),
  process_name STRING, pid LONG, oom_adj_id LONG, oom_adj_ts TIMESTAMP, oom_adj_dur DURATION,
  oom_adj_track_id JOINID(track.id), oom_adj_thread_name STRING, oom_adj_reason STRING,
  oom_adj_trigger STRING, anon_rss LONG, file_rss LONG, shmem_rss LONG, rss LONG, swap LONG,
  anon_rss_and_swap LONG, rss_and_swap LONG
) AS
SELECT
  m.ts, m.dur, m.score, m.bucket, m.upid, m.process_name, p.pid, m.oom_adj_id,
  m.oom_adj_ts, m.oom_adj_dur, m.oom_adj_track_id, m.oom_adj_thread_name, m.oom_adj_reason,
  m.oom_adj_trigger, m.anon_rss, m.file_rss, m.shmem_rss, m.rss, m.swap, m.anon_rss_and_swap,
  m.rss_and_swap
FROM _android_scores_with_memory AS m JOIN process AS p USING (upid);
