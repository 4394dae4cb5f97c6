/*
 * The table of sections. The views they read are modules of the SQL library, orma.*, which anybody
 * may include; --sql prints what is below with the choices filled in.
 *
 * Rule of ranges: time on a cpu is cut to the range; waits, calls, slices and the like count where
 * they begin in it, with their whole length.
 */
#include "tools/report/sections.h"

#include <string.h>

/* A pair "bucket:value" for counters: the last value of each bucket of the range. */
#define BUCKET "CAST((ts - $from) * 24 / ($to - $from) AS INT)"

const struct orma_report_section orma_report_sections[] = {
    {
        .name = "overview",
        .question = "What was recorded, when, and on which machine?",
        .has = "SELECT 1",
        .sql =
            "SELECT * FROM (\n"
            "  SELECT 'recorded' AS what,\n"
            "    strftime('%Y-%m-%d %H:%M:%S UTC', to_realtime(trace_start()) / 1e9,\n"
            "      'unixepoch') AS value\n"
            "  UNION ALL\n"
            "  SELECT 'length', printf('%.3f s', (trace_end() - trace_start()) / 1e9)\n"
            "  UNION ALL\n"
            "  SELECT 'range', iif($from = trace_start() AND $to = trace_end(), NULL,\n"
            "    printf('%.6f s to %.6f s', ($from - trace_start()) / 1e9,\n"
            "      ($to - trace_start()) / 1e9))\n"
            "  UNION ALL\n"
            "  SELECT 'machine', concat_ws(', ',\n"
            "    nullif(concat_ws(' ', name, sysname, release, arch), ''), num_cpus || ' CPUs',\n"
            "    round(system_ram_bytes / 1073741824.0, 1) || ' GiB') FROM machine\n"
            "  UNION ALL\n"
            "  SELECT 'recorded by', max(str_value) FROM metadata\n"
            "  WHERE name = 'tracing_service_version'\n"
            "  UNION ALL\n"
            "  SELECT 'format', group_concat(DISTINCT str_value) FROM metadata\n"
            "  WHERE name = 'trace_type'\n"
            "  UNION ALL\n"
            "  SELECT 'processes', count(*) FROM process\n"
            "  UNION ALL\n"
            "  SELECT 'threads', count(*) FROM thread\n"
            "  UNION ALL\n"
            "  SELECT 'kernel events', count(*) FROM ftrace_event\n"
            "  UNION ALL\n"
            "  SELECT 'slices', count(*) FROM slice\n"
            "  UNION ALL\n"
            "  SELECT 'counter values', count(*) FROM counter\n"
            ") WHERE value IS NOT NULL AND value != ''",
        .basis = 0,
    },
    {
        .name = "threads",
        .question = "Which threads used the CPUs, and which waited for them?",
        .has = "SELECT 1 FROM sched LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.sched;\n"
               "WITH\n"
               "  runs AS (\n"
               "    SELECT utid, sum(min(ts + dur, $to) - max(ts, $from)) AS cpu_ns,\n"
               "      count(*) AS runs\n"
               "    FROM orma_run WHERE ts < $to AND ts + dur > $from$threads\n"
               "    GROUP BY utid\n"
               "  ),\n"
               "  waits AS (\n"
               "    SELECT utid, sum(dur) AS waited_ns\n"
               "    FROM orma_wait WHERE ts >= $from AND ts < $to$threads\n"
               "    GROUP BY utid\n"
               "  ),\n"
               "  gaps AS (\n"
               "    SELECT utid, count(*) AS unknown\n"
               "    FROM orma_run_unknown_end WHERE ts >= $from AND ts < $to$threads\n"
               "    GROUP BY utid\n"
               "  )\n"
               "SELECT orma_thread_name(t.utid) || ' ' || t.tid AS thread,\n"
               "  replace(p.name, rtrim(p.name, replace(p.name, '/', '')), '') AS process,\n"
               "  coalesce(cpu_ns, 0) AS cpu_ns,\n"
               "  100.0 * coalesce(cpu_ns, 0) / ($to - $from) AS share_pct,\n"
               "  coalesce(runs, 0) AS runs, coalesce(waited_ns, 0) AS waited_ns,\n"
               "  coalesce(unknown, 0) AS unknown,\n"
               "  t.utid AS _utid, t.tid AS _tid, p.pid AS _pid\n"
               "FROM thread AS t\n"
               "LEFT JOIN process AS p ON p.upid = t.upid\n"
               "LEFT JOIN runs AS r ON r.utid = t.utid\n"
               "LEFT JOIN waits AS w ON w.utid = t.utid\n"
               "LEFT JOIN gaps AS g ON g.utid = t.utid\n"
               "WHERE runs IS NOT NULL OR unknown IS NOT NULL\n"
               "ORDER BY cpu_ns DESC LIMIT $top",
        .lacks = "switches of threads",
        .words = "sched",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
    },
    {
        .name = "cpus",
        .question = "How busy was each CPU?",
        .has = "SELECT 1 FROM sched LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.sched;\n"
               "WITH\n"
               "  known AS (\n"
               "    SELECT ucpu, utid, dur, min(ts + dur, $to) - max(ts, $from) AS ns,\n"
               "      utid IN (SELECT utid FROM thread WHERE is_idle) AS idle\n"
               "    FROM _orma_on_cpu WHERE known AND ts < $to AND ts + dur > $from\n"
               "  ),\n"
               "  used AS (\n"
               "    SELECT ucpu, sum(iif(idle, 0, ns)) AS busy, sum(iif(idle, ns, 0)) AS idle,\n"
               "      sum(NOT idle) AS runs, count(DISTINCT utid) AS threads,\n"
               "      max(iif(idle, 0, dur)) AS longest\n"
               "    FROM known GROUP BY ucpu\n"
               "  ),\n"
               "  freqs AS (\n"
               "    SELECT t.cpu, min(c.value) / 1e3 AS min_mhz, max(c.value) / 1e3 AS max_mhz\n"
               "    FROM cpu_counter_track AS t JOIN counter AS c ON c.track_id = t.id\n"
               "    WHERE t.type = 'cpu_frequency' AND c.ts >= $from AND c.ts < $to\n"
               "    GROUP BY t.cpu\n"
               "  )\n"
               "SELECT c.cpu, busy AS busy_ns, 100.0 * busy / ($to - $from) AS busy_pct,\n"
               "  100.0 * idle / ($to - $from) AS idle_pct,\n"
               "  100.0 * max(0, $to - $from - busy - idle) / ($to - $from) AS unknown_pct, runs,\n"
               "  threads, longest AS longest_run_ns, min_mhz, max_mhz, c.ucpu AS _ucpu\n"
               "FROM cpu AS c\n"
               "JOIN used AS u ON u.ucpu = c.ucpu\n"
               "LEFT JOIN freqs AS f ON f.cpu = c.cpu\n"
               "ORDER BY c.ucpu",
        .lacks = "switches of threads",
        .words = "sched power",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
    },
    {
        .name = "times",
        .question = "What did the CPUs do, as the kernel accounts for it?",
        .has = "SELECT 1 FROM counter_track WHERE type = 'cpustat' LIMIT 1",
        .sql = "WITH used AS (\n"
               "  SELECT t.cpu, substr(t.name, 11) AS kind, max(c.value) - min(c.value) AS ns\n"
               "  FROM cpu_counter_track AS t JOIN counter AS c ON c.track_id = t.id\n"
               "  WHERE t.type = 'cpustat' AND c.ts >= $from AND c.ts <= $to\n"
               "  GROUP BY t.id\n"
               ")\n"
               "SELECT cpu,\n"
               "  100.0 * sum(iif(kind = 'user_ns', ns, 0)) / sum(ns) AS user_pct,\n"
               "  100.0 * sum(iif(kind = 'user_nice_ns', ns, 0)) / sum(ns) AS nice_pct,\n"
               "  100.0 * sum(iif(kind = 'system_mode_ns', ns, 0)) / sum(ns) AS system_pct,\n"
               "  100.0 * sum(iif(kind = 'io_wait_ns', ns, 0)) / sum(ns) AS iowait_pct,\n"
               "  100.0 * sum(iif(kind = 'irq_ns', ns, 0)) / sum(ns) AS irq_pct,\n"
               "  100.0 * sum(iif(kind = 'softirq_ns', ns, 0)) / sum(ns) AS softirq_pct,\n"
               "  100.0 * sum(iif(kind = 'steal_ns', ns, 0)) / sum(ns) AS steal_pct,\n"
               "  100.0 * sum(iif(kind = 'idle_ns', ns, 0)) / sum(ns) AS idle_pct\n"
               "FROM used GROUP BY cpu HAVING sum(ns) > 0 ORDER BY cpu",
        .lacks = "times of the CPUs",
        .words = "cpu",
    },
    {
        .name = "latency",
        .question = "Which threads waited longest for a CPU, and who ran instead?",
        .has = "SELECT 1 FROM thread_state WHERE state IN ('R', 'R+') LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.sched;\n"
               "WITH\n"
               "  waits AS (\n"
               "    SELECT utid, count(*) AS waits, sum(dur) AS total_ns, avg(dur) AS mean_ns,\n"
               "      percentile(dur, 99) AS p99_ns, max(dur) AS max_ns, ts AS max_ts, ucpu\n"
               "    FROM orma_wait WHERE ts >= $from AND ts < $to$threads\n"
               "    GROUP BY utid ORDER BY max_ns DESC LIMIT $top\n"
               "  ),\n"
               "  gaps AS (\n"
               "    SELECT utid, count(*) AS unknown FROM orma_state_unknown_end\n"
               "    WHERE state IN ('R', 'R+') AND ts >= $from AND ts < $to$threads\n"
               "    GROUP BY utid\n"
               "  )\n"
               "SELECT orma_thread_name(w.utid) || ' ' || t.tid AS thread, waits,\n"
               "  total_ns AS _total_ns, CAST(mean_ns AS INT) AS mean_ns,\n"
               "  CAST(p99_ns AS INT) AS p99_ns, max_ns, max_ts AS at_ts,\n"
               "  orma_thread_name(orma_who_ran(ucpu, max_ts, max_ns)) AS ran_instead,\n"
               "  coalesce(unknown, 0) AS unknown, w.utid AS _utid, t.tid AS _tid\n"
               "FROM waits AS w\n"
               "JOIN thread AS t ON t.utid = w.utid\n"
               "LEFT JOIN gaps AS g ON g.utid = w.utid\n"
               "ORDER BY max_ns DESC",
        .lacks = "waits for a CPU",
        .words = "sched",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
    },
    {
        .name = "switches",
        .question = "Which threads lost the CPU, or moved to another one?",
        .has = "SELECT 1 FROM thread_state WHERE state IN ('R', 'R+') LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.sched;\n"
               "WITH\n"
               "  runs AS (\n"
               "    SELECT utid, count(*) AS runs, sum(coalesce(ucpu != prev_ucpu, 0)) AS moved,\n"
               "      count(DISTINCT ucpu) AS cpus, CAST(avg(dur) AS INT) AS mean_run_ns,\n"
               "      max(dur) AS max_run_ns, ts AS at_ts\n"
               "    FROM orma_run WHERE ts >= $from AND ts < $to$threads\n"
               "    GROUP BY utid\n"
               "  ),\n"
               "  waits AS (\n"
               "    SELECT utid, sum(preempted) AS preempted\n"
               "    FROM orma_wait WHERE ts >= $from AND ts < $to$threads\n"
               "    GROUP BY utid\n"
               "  )\n"
               "SELECT orma_thread_name(r.utid) || ' ' || t.tid AS thread, runs,\n"
               "  coalesce(preempted, 0) AS preempted, moved, cpus, mean_run_ns, max_run_ns,\n"
               "  at_ts, r.utid AS _utid, t.tid AS _tid\n"
               "FROM runs AS r\n"
               "JOIN thread AS t ON t.utid = r.utid\n"
               "LEFT JOIN waits AS w ON w.utid = r.utid\n"
               "ORDER BY preempted + moved DESC, runs DESC LIMIT $top",
        .lacks = "waits for a CPU",
        .words = "sched",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
    },
    {
        .name = "wakeups",
        .question = "Who woke whom?",
        .has = "SELECT 1 FROM thread_state WHERE waker_utid IS NOT NULL LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.sched;\n"
               "SELECT iif(by_interrupt, 'an interrupt', orma_thread_name(waker_utid)) AS waker,\n"
               "  orma_thread_name(utid) AS woken, count(*) AS wakeups,\n"
               "  CAST(avg(dur) AS INT) AS mean_wait_ns, max(dur) AS max_wait_ns, ts AS at_ts,\n"
               "  iif(by_interrupt, NULL, waker_utid) AS _waker_utid, utid AS _woken_utid\n"
               "FROM orma_wait WHERE NOT preempted AND ts >= $from AND ts < $to$threads\n"
               "GROUP BY by_interrupt, _waker_utid, utid\n"
               "ORDER BY wakeups DESC LIMIT $top",
        .lacks = "wake-ups",
        .words = "sched",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
    },
    {
        .name = "syscalls",
        .question = "Which system calls took the time, and which failed?",
        .has = "SELECT 1 FROM slice WHERE name GLOB 'sys_*' AND category IS NULL LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.syscalls;\n"
               "INCLUDE PERFETTO MODULE orma.sched;\n"
               "SELECT name AS call, count(*) AS calls, sum(failed) AS errors,\n"
               "  sum(dur) AS total_ns, CAST(percentile(dur, 99) AS INT) AS p99_ns,\n"
               "  max(dur) AS max_ns, ts AS at_ts, orma_thread_name(utid) AS thread,\n"
               "  CAST(avg(dur) AS INT) AS _mean_ns, utid AS _utid\n"
               "FROM orma_syscall WHERE ts >= $from AND ts < $to$threads\n"
               "GROUP BY name ORDER BY total_ns DESC LIMIT $top",
        .lacks = "system calls",
        .words = "syscalls",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "callers",
        .question = "Which threads spent time in system calls?",
        .has = "SELECT 1 FROM slice WHERE name GLOB 'sys_*' AND category IS NULL LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.syscalls;\n"
               "INCLUDE PERFETTO MODULE orma.sched;\n"
               "SELECT orma_thread_name(utid) || ' ' || tid AS thread, calls, errors, total_ns,\n"
               "  max_ns, call AS slowest, at_ts, utid AS _utid, tid AS _tid\n"
               "FROM (\n"
               "  SELECT utid, count(*) AS calls, sum(failed) AS errors, sum(dur) AS total_ns,\n"
               "    max(dur) AS max_ns, name AS call, ts AS at_ts\n"
               "  FROM orma_syscall WHERE ts >= $from AND ts < $to$threads\n"
               "  GROUP BY utid\n"
               ") JOIN thread USING (utid)\n"
               "ORDER BY total_ns DESC LIMIT $top",
        .lacks = "system calls",
        .words = "syscalls",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "io",
        .question = "How long did block devices take?",
        .has = "SELECT 1 FROM ftrace_event WHERE name = 'block_rq_issue' LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.io;\n"
               "SELECT device, operation, count(*) AS requests, sum(bytes) AS moved_bytes,\n"
               "  CAST(avg(dur) AS INT) AS mean_ns, CAST(percentile(dur, 99) AS INT) AS p99_ns,\n"
               "  max(dur) AS max_ns, ts AS at_ts, sum(error != 0) AS errors\n"
               "FROM orma_block_request WHERE ts >= $from AND ts < $to$threads\n"
               "GROUP BY device, operation ORDER BY sum(dur) DESC LIMIT $top",
        .lacks = "block requests",
        .words = "disk",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "io-threads",
        .question = "Who asked block devices for what?",
        .has = "SELECT 1 FROM ftrace_event WHERE name = 'block_rq_issue' LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.io;\n"
               "INCLUDE PERFETTO MODULE orma.sched;\n"
               "SELECT orma_thread_name(utid) || ' ' || tid AS thread, operation, requests,\n"
               "  moved_bytes, queued_ns, mean_ns, max_ns, at_ts, utid AS _utid, tid AS _tid\n"
               "FROM (\n"
               "  SELECT utid, operation, count(*) AS requests, sum(bytes) AS moved_bytes,\n"
               "    CAST(avg(queue_dur) AS INT) AS queued_ns, CAST(avg(dur) AS INT) AS mean_ns,\n"
               "    max(dur) AS max_ns, ts AS at_ts, sum(dur) AS total_ns\n"
               "  FROM orma_block_request WHERE ts >= $from AND ts < $to$threads\n"
               "  GROUP BY utid, operation\n"
               ") JOIN thread USING (utid)\n"
               "ORDER BY total_ns DESC LIMIT $top",
        .lacks = "block requests",
        .words = "disk",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "irqs",
        .question = "How much time did interrupts take?",
        .has = "SELECT 1 FROM track WHERE type IN ('cpu_irq', 'cpu_softirq') LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.irqs;\n"
               "SELECT kind, name, cpu, count(*) AS times, sum(dur) AS total_ns,\n"
               "  100.0 * sum(dur) / ($to - $from) AS share_pct,\n"
               "  CAST(avg(dur) AS INT) AS mean_ns, max(dur) AS max_ns, ts AS at_ts\n"
               "FROM orma_interrupt WHERE ts >= $from AND ts < $to\n"
               "GROUP BY kind, name, cpu ORDER BY total_ns DESC LIMIT $top",
        .lacks = "interrupts",
        .words = "irq",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "faults",
        .question = "Which threads had page faults?",
        .has = "SELECT 1 FROM ftrace_event WHERE name GLOB 'page_fault_*' LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.sched;\n"
               "SELECT orma_thread_name(utid) || ' ' || tid AS thread, in_user, in_kernel,\n"
               "  1e9 * (in_user + in_kernel) / ($to - $from) AS per_second, utid AS _utid,\n"
               "  tid AS _tid\n"
               "FROM (\n"
               "  SELECT utid, sum(name = 'page_fault_user') AS in_user,\n"
               "    sum(name = 'page_fault_kernel') AS in_kernel\n"
               "  FROM ftrace_event WHERE name IN ('page_fault_user', 'page_fault_kernel')\n"
               "    AND ts >= $from AND ts < $to$threads\n"
               "  GROUP BY utid\n"
               ") JOIN thread USING (utid)\n"
               "ORDER BY in_user + in_kernel DESC LIMIT $top",
        .lacks = "page faults",
        .words = "faults",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "memory",
        .question = "How did the machine's memory change?",
        .has = "SELECT 1 FROM counter_track WHERE type = 'meminfo' LIMIT 1",
        .sql = "WITH\n"
               "  buckets AS (\n"
               "    SELECT track_id, " BUCKET " AS bucket, min(value) AS low, max(value) AS high,\n"
               "      value_at_max_ts(ts, value) AS last, min(ts) AS ts\n"
               "    FROM counter WHERE ts >= $from AND ts <= $to\n"
               "      AND track_id IN (SELECT id FROM counter_track WHERE type = 'meminfo')\n"
               "    GROUP BY track_id, bucket ORDER BY track_id, bucket\n"
               "  )\n"
               "SELECT t.name AS counter, min(low) AS min_bytes, max(high) AS max_bytes,\n"
               "  value_at_max_ts(b.ts, last) AS last_bytes,\n"
               "  group_concat(bucket || ':' || last) AS over_time_spark\n"
               "FROM buckets AS b JOIN counter_track AS t ON t.id = b.track_id\n"
               "WHERE t.name IN ('MemAvailable', 'MemFree', 'Cached', 'AnonPages', 'Dirty',\n"
               "  'Writeback', 'Slab', 'Shmem', 'SwapFree', 'PageTables', 'Mapped')\n"
               "GROUP BY t.id HAVING max(high) > 0 ORDER BY max(high) - min(low) DESC LIMIT $top",
        .lacks = "sizes of memory",
        .words = "mem",
    },
    {
        .name = "pressure",
        .question = "For how much of the time did work stand still for want of something?",
        .has = "SELECT 1 FROM counter_track WHERE type = 'psi' LIMIT 1",
        .sql =
            "WITH\n"
            "  steps AS (\n"
            "    SELECT track_id, ts, value,\n"
            "      value - lag(value) OVER (PARTITION BY track_id ORDER BY ts) AS step\n"
            "    FROM counter WHERE ts >= $from AND ts <= $to\n"
            "      AND track_id IN (SELECT id FROM counter_track WHERE type = 'psi')\n"
            "  ),\n"
            "  buckets AS (\n"
            "    SELECT track_id, " BUCKET " AS bucket, min(ts) AS first_ts, max(ts) AS last_ts,\n"
            "      sum(step) AS stalled\n"
            "    FROM steps GROUP BY track_id, bucket ORDER BY track_id, bucket\n"
            "  )\n"
            "SELECT substr(t.name, 5) AS resource, CAST(total(stalled) AS INT) AS stalled_ns,\n"
            "  100.0 * total(stalled) / (max(last_ts) - min(first_ts)) AS share_pct,\n"
            "  group_concat(bucket || ':' || stalled) AS over_time_spark\n"
            "FROM buckets AS b JOIN counter_track AS t ON t.id = b.track_id\n"
            "GROUP BY t.id HAVING max(last_ts) > min(first_ts)\n"
            "ORDER BY stalled_ns DESC LIMIT $top",
        .lacks = "stalls (PSI)",
        .words = "cpu",
    },
    {
        .name = "processes",
        .question = "Which processes used memory?",
        .has = "SELECT 1 FROM counter_track WHERE type = 'process_memory' LIMIT 1",
        .sql =
            "WITH\n"
            "  buckets AS (\n"
            "    SELECT p.upid, p.name, " BUCKET " AS bucket, max(value) AS high,\n"
            "      value_at_max_ts(ts, value) AS last\n"
            "    FROM counter AS c JOIN process_counter_track AS p ON p.id = c.track_id\n"
            "    WHERE p.type = 'process_memory' AND ts >= $from AND ts <= $to$processes\n"
            "      AND p.name IN ('mem.rss', 'mem.rss.anon', 'mem.rss.file', 'mem.swap')\n"
            "    GROUP BY p.upid, p.name, bucket ORDER BY p.upid, p.name, bucket\n"
            "  ),\n"
            "  used AS (\n"
            "    SELECT upid, max(iif(name = 'mem.rss', high, NULL)) AS rss_bytes,\n"
            "      max(iif(name = 'mem.rss.anon', high, NULL)) AS anon_bytes,\n"
            "      max(iif(name = 'mem.rss.file', high, NULL)) AS file_bytes,\n"
            "      max(iif(name = 'mem.swap', high, NULL)) AS swap_bytes,\n"
            "      group_concat(iif(name = 'mem.rss.anon', bucket || ':' || last, NULL))\n"
            "        AS anon_spark\n"
            "    FROM buckets GROUP BY upid\n"
            "  )\n"
            "SELECT coalesce(replace(name, rtrim(name, replace(name, '/', '')), '') || ' ', '')\n"
            "    || pid AS process, rss_bytes AS _rss_bytes, anon_bytes, file_bytes,\n"
            "  swap_bytes, anon_spark, upid AS _upid, pid AS _pid\n"
            "FROM used JOIN process USING (upid)\n"
            "ORDER BY max(coalesce(rss_bytes, 0), coalesce(anon_bytes, 0)) DESC LIMIT $top",
        .lacks = "memory of processes",
        .words = "mem",
    },
    {
        .name = "slices",
        .question = "Which slices took the time, by their own and with what is in them?",
        .has = "INCLUDE PERFETTO MODULE orma.slices; SELECT 1 FROM orma_slice LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.slices;\n"
               "SELECT name AS slice, count(*) AS times, total(self_dur) AS self_ns,\n"
               "  sum(dur) AS total_ns, CAST(percentile(dur, 50) AS INT) AS p50_ns,\n"
               "  CAST(percentile(dur, 99) AS INT) AS p99_ns, max(dur) AS max_ns, ts AS at_ts,\n"
               "  sum(NOT ended) AS unknown, id AS _slowest_id\n"
               "FROM orma_slice WHERE ts >= $from AND ts < $to$owners$slices\n"
               "GROUP BY name ORDER BY self_ns DESC LIMIT $top",
        .lacks = "slices of programs",
        .words = "apps",
    },
    {
        .name = "slowest",
        .question = "Which single slices took longest?",
        .has = "INCLUDE PERFETTO MODULE orma.slices; SELECT 1 FROM orma_slice LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.slices;\n"
               "INCLUDE PERFETTO MODULE orma.sched;\n"
               "SELECT id, name AS slice, dur AS dur_ns, self_dur AS self_ns, ts AS at_ts,\n"
               "  orma_thread_name(utid) AS thread, NOT ended AS unknown, utid AS _utid,\n"
               "  upid AS _upid\n"
               "FROM orma_slice WHERE ts >= $from AND ts < $to$owners$slices\n"
               "ORDER BY dur DESC LIMIT $top",
        .lacks = "slices of programs",
        .words = "apps",
    },
    {
        .name = "counters",
        .question = "Which counters changed?",
        .has = "SELECT 1 FROM counter LIMIT 1",
        .sql =
            "INCLUDE PERFETTO MODULE orma.counters;\n"
            "WITH\n"
            "  buckets AS (\n"
            "    SELECT track_id, " BUCKET " AS bucket, count(*) AS n, min(value) AS low,\n"
            "      max(value) AS high, value_at_max_ts(ts, value) AS last, max(ts) AS ts\n"
            "    FROM counter WHERE ts >= $from AND ts <= $to\n"
            "    GROUP BY track_id, bucket ORDER BY track_id, bucket\n"
            "  ),\n"
            "  ranges AS (\n"
            "    SELECT track_id, sum(n) AS samples, min(low) AS min, max(high) AS max,\n"
            "      value_at_max_ts(ts, last) AS last,\n"
            "      group_concat(bucket || ':' || last) AS over_time_spark\n"
            "    FROM buckets GROUP BY track_id HAVING max(high) > min(low)\n"
            "  )\n"
            "SELECT concat_ws(', ', name, owner) || coalesce(' (' || unit || ')', '') AS counter,\n"
            "  samples, min, max, last, over_time_spark, name AS _name, unit AS _unit,\n"
            "  id AS _track_id, upid AS _upid, utid AS _utid\n"
            "FROM ranges JOIN orma_counter_track ON id = track_id\n"
            "WHERE type NOT IN ('meminfo', 'vmstat', 'psi', 'cpustat', 'process_memory',\n"
            "  'num_irq', 'num_softirq', 'cpu_idle_state', 'oom_score_adj')$owners\n"
            "ORDER BY samples DESC LIMIT $top",
        .lacks = "counters",
        .words = "cpu mem power",
    },
    {
        .name = "logs",
        .question = "What was logged, the most serious first?",
        .has = "SELECT 1 FROM android_logs LIMIT 1",
        .sql = "SELECT CASE prio WHEN 7 THEN 'fatal' WHEN 6 THEN 'error' WHEN 5 THEN 'warning'\n"
               "    WHEN 4 THEN 'info' WHEN 3 THEN 'debug' ELSE 'verbose' END AS level,\n"
               "  tag, count(*) AS times, min(ts) AS first_ts, msg AS message, prio AS _prio\n"
               "FROM android_logs WHERE ts >= $from AND ts <= $to$threads\n"
               "GROUP BY prio, tag, msg ORDER BY prio DESC, times DESC LIMIT $top",
        .lacks = "lines of logs",
        .words = "log",
    },
    {0},
};

const struct orma_report_section *orma_report_section_find(const struct orma_report_section *table,
                                                           const char *name)
{
    for (const struct orma_report_section *s = table; s->name; s++) {
        if (!strcmp(s->name, name))
            return s;
    }
    return NULL;
}
