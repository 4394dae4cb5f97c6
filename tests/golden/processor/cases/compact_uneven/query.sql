SELECT ts, dur, cpu, utid, end_state FROM sched ORDER BY ts;
SELECT ts, name, common_flags FROM ftrace_event ORDER BY ts;
SELECT name, value FROM stats WHERE name GLOB 'compact_sched*';
