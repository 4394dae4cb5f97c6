/*
 * Three tables come first: intervals (of slices, or of whole threads), the pieces of their critical
 * paths, and the reason of each piece. The sections sum them up.
 *
 * A cause is named only if it takes 3 % of the time, and more than what is unknown.
 */
#include "tools/report/why.h"

#define PIECES                                                                                     \
    "CREATE OR REPLACE PERFETTO TABLE orma_why_path AS\n"                                          \
    "SELECT * FROM orma_why_path!(orma_why_interval);\n"                                           \
    "CREATE OR REPLACE PERFETTO TABLE orma_why_cut AS\n"                                           \
    "SELECT * FROM orma_why_cut!(orma_why_interval, orma_why_path);\n"                             \
    "CREATE OR REPLACE PERFETTO TABLE orma_why_piece AS\n"                                         \
    "SELECT * FROM orma_why_pieces!(orma_why_cut);\n"                                              \
    "CREATE OR REPLACE PERFETTO TABLE orma_why_reason AS\n"                                        \
    "SELECT * FROM orma_why_reasons!(orma_why_piece);\n"                                           \
    "SELECT count(*) AS intervals FROM orma_why_interval"

const char orma_report_why_of_slices[] =
    "INCLUDE PERFETTO MODULE orma.why;\n"
    "CREATE OR REPLACE PERFETTO TABLE orma_why_interval AS\n"
    "SELECT * FROM (\n"
    "  SELECT s.id, s.ts, s.dur, t.utid, t.upid, s.name\n"
    "  FROM slice AS s JOIN thread_track AS k ON k.id = s.track_id JOIN thread AS t USING (utid)\n"
    ") WHERE dur > 0 AND ts >= $from AND ts < $to$owners$slices;\n" PIECES;

const char orma_report_why_of_threads[] =
    "INCLUDE PERFETTO MODULE orma.why;\n"
    "CREATE OR REPLACE PERFETTO TABLE orma_why_interval AS\n"
    "SELECT utid AS id, max($from, min(ts)) AS ts,\n"
    "  min($to, max(ts + dur)) - max($from, min(ts)) AS dur, utid, orma_thread_name(utid) AS name\n"
    "FROM _orma_why_state WHERE ts < $to AND ts + dur > $from$threads\n"
    "GROUP BY utid;\n" PIECES;

#define WALL "(SELECT sum(dur) FROM orma_why_interval)"
#define CAUSE "_orma_why_cause(kind, who)"
#define HAS "SELECT 1 FROM orma_why_piece LIMIT 1"
#define BASIS                                                                                      \
    .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED, .lacks = "switches of threads",         \
    .words = "sched syscalls irq timer faults"

const struct orma_report_section orma_report_why_sections[] = {
    {
        .name = "causes",
        .question = "What kept it from going on, the worst first?",
        .has = HAS,
        .sql = "SELECT " CAUSE " AS cause,\n"
               "  sum(r.dur) AS time_ns, 100.0 * sum(r.dur) / " WALL " AS share_pct,\n"
               "  count(*) AS times, max(r.dur) AS longest_ns, r.ts AS at_ts,\n"
               "  count(DISTINCT r.utid) AS _threads, kind AS _kind, who AS _who,\n"
               "  min(t.tid) AS _tid\n"
               "FROM orma_why_reason AS r LEFT JOIN thread AS t ON t.utid = r.utid\n"
               "WHERE kind NOT IN ('ran', 'slept in', 'unknown')\n"
               "GROUP BY kind, who\n"
               "HAVING share_pct >= 3 AND sum(r.dur) >\n"
               "  (SELECT total(dur) FROM orma_why_reason WHERE kind = 'unknown')\n"
               "ORDER BY time_ns DESC LIMIT $top",
        .nothing = "nothing: no cause takes 3 % of the time, and more than what is unknown",
        BASIS,
    },
    {
        .name = "time",
        .question = "Where did its time go?",
        .has = HAS,
        .sql = "SELECT kind AS it, sum(dur) AS time_ns,\n"
               "  100.0 * sum(dur) / " WALL " AS share_pct, count(*) AS times,\n"
               "  CAST(avg(dur) AS INT) AS mean_ns, max(dur) AS longest_ns, ts AS at_ts\n"
               "FROM orma_why_reason GROUP BY kind ORDER BY time_ns DESC",
        BASIS,
    },
    {
        .name = "blockers",
        .question = "What did those do that it was blocked on?",
        .has = HAS,
        .sql =
            "INCLUDE PERFETTO MODULE orma.sched;\n"
            "SELECT orma_thread_name(p.utid) || ' ' || t.tid AS blocker, sum(p.dur) AS time_ns,\n"
            "  100.0 * sum(p.dur) / " WALL " AS share_pct,\n"
            "  sum(iif(p.state = 'ran', p.dur, 0)) AS ran_ns,\n"
            "  sum(iif(p.state = 'waited', p.dur, 0)) AS waited_cpu_ns,\n"
            "  sum(iif(p.state IN ('slept', 'blocked'), p.dur, 0)) AS slept_ns,\n"
            "  sum(p.state = 'unknown') AS unknown, p.utid AS _utid, t.tid AS _tid\n"
            "FROM orma_why_piece AS p JOIN thread AS t ON t.utid = p.utid\n"
            "WHERE p.utid != p.root_utid\n"
            "GROUP BY p.utid ORDER BY time_ns DESC LIMIT $top",
        .nothing = "nobody: no other thread woke it when it slept",
        BASIS,
    },
    {
        .name = "chain",
        .question = "Who did what, one after the other, while it was blocked longest?",
        .has = HAS,
        .sql = "INCLUDE PERFETTO MODULE orma.sched;\n"
               "WITH\n"
               "  worst AS (\n"
               "    SELECT ts, root_utid FROM orma_why_piece WHERE utid != root_utid\n"
               "    ORDER BY dur DESC LIMIT 1\n"
               "  ),\n"
               "  sleep AS (\n"
               "    SELECT s.ts, s.ts + s.dur AS end_ts, s.utid\n"
               "    FROM worst AS w JOIN _orma_why_state AS s\n"
               "      ON s.utid = w.root_utid AND s.ts <= w.ts AND s.ts + s.dur > w.ts\n"
               "  )\n"
               "SELECT p.ts AS at_ts, p.dur AS dur_ns,\n"
               "  orma_thread_name(p.utid) || ' ' || t.tid AS thread, p.state AS it,\n"
               "  iif(p.state IN ('ran', 'waited'), p.ucpu, NULL) AS cpu, p.utid AS _utid\n"
               "FROM sleep AS s\n"
               "JOIN orma_why_piece AS p\n"
               "  ON p.root_utid = s.utid AND p.ts >= s.ts AND p.ts < s.end_ts\n"
               "JOIN thread AS t ON t.utid = p.utid\n"
               "ORDER BY p.ts LIMIT $top",
        .nothing = "nobody: no other thread woke it when it slept",
        BASIS,
    },
    {
        .name = "calls",
        .question = "In which system calls was it?",
        .has = "SELECT 1 FROM slice WHERE name GLOB 'sys_*' AND category IS NULL LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE intervals.intersect;\n"
               "INCLUDE PERFETTO MODULE orma.syscalls;\n"
               "WITH\n"
               "  spans AS (SELECT id, ts, dur, utid FROM orma_why_interval),\n"
               "  calls AS (\n"
               "    SELECT id, ts, dur, utid FROM orma_syscall\n"
               "    WHERE dur > 0 AND utid IN (SELECT utid FROM orma_why_interval)\n"
               "  )\n"
               "SELECT s.name AS call, count(*) AS calls, sum(s.failed) AS errors,\n"
               "  sum(i.dur) AS time_ns, 100.0 * sum(i.dur) / " WALL " AS share_pct,\n"
               "  max(i.dur) AS longest_ns, i.ts AS at_ts\n"
               "FROM _interval_intersect!((spans, calls), (utid)) AS i\n"
               "JOIN orma_syscall AS s ON s.id = i.id_1\n"
               "GROUP BY s.name ORDER BY time_ns DESC LIMIT $top",
        .lacks = "system calls",
        .words = "sched syscalls",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "cpus",
        .question = "On which CPUs did it run?",
        .has = HAS,
        .sql = "WITH freqs AS (\n"
               "  SELECT t.cpu, min(c.value) / 1e3 AS min_mhz, max(c.value) / 1e3 AS max_mhz\n"
               "  FROM cpu_counter_track AS t JOIN counter AS c ON c.track_id = t.id\n"
               "  WHERE t.type = 'cpu_frequency' AND c.ts >= $from AND c.ts < $to\n"
               "  GROUP BY t.cpu\n"
               ")\n"
               "SELECT c.cpu, sum(p.dur) AS ran_ns, 100.0 * sum(p.dur) / " WALL " AS share_pct,\n"
               "  count(*) AS times, max(p.dur) AS longest_ns, p.ts AS at_ts, min_mhz, max_mhz\n"
               "FROM orma_why_piece AS p\n"
               "JOIN cpu AS c ON c.ucpu = p.ucpu\n"
               "LEFT JOIN freqs AS f ON f.cpu = c.cpu\n"
               "WHERE p.utid = p.root_utid AND p.state = 'ran'\n"
               "GROUP BY c.ucpu ORDER BY c.ucpu",
        BASIS,
    },
    {
        .name = "faults",
        .question = "How many page faults did it have?",
        .has = "SELECT 1 FROM ftrace_event WHERE name GLOB 'page_fault_*' LIMIT 1",
        .sql = "INCLUDE PERFETTO MODULE orma.sched;\n"
               "SELECT orma_thread_name(e.utid) AS thread, sum(e.name = 'page_fault_user') AS "
               "in_user,\n"
               "  sum(e.name = 'page_fault_kernel') AS in_kernel,\n"
               "  1e9 * count(*) / (s.end_ts - s.ts) AS per_second, e.utid AS _utid\n"
               "FROM ftrace_event AS e\n"
               "JOIN (\n"
               "  SELECT utid, min(ts) AS ts, max(ts + dur) AS end_ts FROM orma_why_interval\n"
               "  GROUP BY utid\n"
               ") AS s ON s.utid = e.utid AND e.ts >= s.ts AND e.ts < s.end_ts\n"
               "WHERE e.name IN ('page_fault_user', 'page_fault_kernel')\n"
               "GROUP BY e.utid ORDER BY in_user + in_kernel DESC LIMIT $top",
        .lacks = "page faults",
        .words = "sched faults",
        .basis = ORMA_REPORT_OF_KERNEL,
    },
    {
        .name = "slow",
        .question = "What do the slowest tenth of them have that the others lack?",
        .has = "SELECT 1 WHERE (SELECT count(*) FROM orma_why_interval) >= 10",
        .sql = "WITH\n"
               "  limits AS (SELECT percentile(dur, 90) AS slow FROM orma_why_interval),\n"
               "  sides AS (\n"
               "    SELECT id, dur >= (SELECT slow FROM limits) AS slow FROM orma_why_interval\n"
               "  ),\n"
               "  counts AS (SELECT total(slow) AS slow, total(NOT slow) AS fast FROM sides),\n"
               "  sums AS (\n"
               "    SELECT kind, who, total(iif(slow, dur, 0)) AS slow, total(iif(slow, 0, dur)) "
               "AS fast\n"
               "    FROM orma_why_reason AS r JOIN sides AS s ON s.id = r.interval_id\n"
               "    GROUP BY kind, who\n"
               "  )\n"
               "SELECT " CAUSE " AS cause,\n"
               "  CAST(s.slow / c.slow AS INT) AS in_slow_ns,\n"
               "  CAST(s.fast / c.fast AS INT) AS in_others_ns,\n"
               "  CAST(s.slow / c.slow - s.fast / c.fast AS INT) AS more_ns,\n"
               "  kind AS _kind, who AS _who\n"
               "FROM sums AS s JOIN counts AS c\n"
               "WHERE c.slow > 0 AND c.fast > 0 AND more_ns > 0\n"
               "ORDER BY more_ns DESC LIMIT $top",
        .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
        .lacks = "ten slices or more of this name",
        .words = "sched apps",
    },
    {0},
};
