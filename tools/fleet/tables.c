#include "tools/fleet/tables.h"

#include <string.h>

const char orma_fleet_head[] = "date D,build N,machine N,load U";

const char orma_fleet_prepare[] =
    "CREATE PERFETTO TABLE _fleet_thread AS SELECT utid, tid, coalesce(t.name, '') AS thread, "
    "coalesce(p.pid, -1) AS pid, coalesce(p.name, '') AS process FROM thread t LEFT JOIN process p "
    "USING (upid);"
    "CREATE PERFETTO TABLE _fleet_track AS SELECT k.id, coalesce(k.name, '') AS track, "
    "coalesce(t.tid, -1) AS tid, coalesce(t.name, '') AS thread, coalesce(p.pid, -1) AS pid, "
    "coalesce(p.name, '') AS process, coalesce(ct.cpu, -1) AS cpu, coalesce(c.unit, '') AS unit "
    "FROM track k LEFT JOIN thread_track tt ON tt.id = k.id LEFT JOIN process_track pt ON pt.id = "
    "k.id LEFT JOIN counter_track c ON c.id = k.id LEFT JOIN cpu_counter_track ct ON ct.id = k.id "
    "LEFT JOIN thread_counter_track tc ON tc.id = k.id LEFT JOIN process_counter_track pc ON pc.id "
    "= k.id LEFT JOIN thread t ON t.utid = coalesce(tt.utid, tc.utid) LEFT JOIN process p ON "
    "p.upid = coalesce(t.upid, pt.upid, pc.upid);"
    "CREATE TABLE _fleet_label(key, value);"
    "CREATE TABLE _fleet_function(name, module, inlined, self, total, self_ns, total_ns);"
    "CREATE TABLE _fleet_trace(hash, path, bytes, start_ts, end_ts, started, lost, lost_known, "
    "kernel_lost, damaged_bytes, losses, version);";

#define WHO ",tid I,thread N,pid I,process N"

/* LEFT JOIN and CROSS JOIN: rows stay in the order of their time, which the order of the tables
 * ends with. */
const struct orma_fleet_table orma_fleet_tables[ORMA_FLEET_TABLES] = {
    {"slice", "id I,ts I,dur I,depth I,parent_id I,name N,category N,track N" WHO,
     "name, build, machine, load, ts",
     "SELECT s.id, s.ts, s.dur, s.depth, coalesce(s.parent_id, -1), s.name, s.category, k.track, "
     "k.tid, k.thread, k.pid, k.process FROM slice s LEFT JOIN _fleet_track k ON k.id = "
     "s.track_id"},
    {"slice_arg", "slice_id I,key N,value S,number F", "key, build, machine, load, slice_id",
     "SELECT s.id, a.key, a.display_value, CAST(coalesce(a.int_value, "
     "a.real_value, 0) AS REAL) FROM slice s "
     "CROSS JOIN args a USING (arg_set_id)"},
    {"thread_state", "ts I,dur I,state N,cpu I,io_wait I,blocked_function N" WHO,
     "state, build, machine, load, ts",
     "SELECT s.ts, s.dur, s.state, coalesce(s.cpu, -1), coalesce(s.io_wait, -1), "
     "s.blocked_function, t.tid, t.thread, t.pid, t.process FROM thread_state s LEFT JOIN "
     "_fleet_thread "
     "t USING (utid)"},
    {"counter", "ts I,value F,name N,unit N,cpu I" WHO, "name, build, machine, load, ts",
     "SELECT c.ts, CAST(c.value AS REAL), k.track, k.unit, k.cpu, k.tid, k.thread, k.pid, "
     "k.process FROM counter "
     "c LEFT JOIN _fleet_track k ON k.id = c.track_id"},
    {"function", "name N,module N,inlined I,self I,total I,self_ns I,total_ns I",
     "name, module, build, machine, load", "SELECT * FROM _fleet_function"},
    {"loss", "reason N,packets I,sequence_id I,thread N,process N", "reason, build, machine, load",
     "SELECT reason, coalesce(packets, 0), coalesce(sequence_id, -1), thread_name, process_name "
     "FROM loss"},
    {"stat", "name N,idx I,severity N,source N,value I", "name, build, machine, load",
     "SELECT name, coalesce(idx, -1), severity, source, value FROM stats WHERE value != 0"},
    {"metadata", "name N,value S", "name, build, machine, load",
     "SELECT name, CAST(coalesce(str_value, int_value) AS TEXT) FROM metadata"},
    {"label", "key N,value N", "key, value, load", "SELECT key, value FROM _fleet_label"},
    {"trace",
     "hash S,path S,bytes I,start_ts I,end_ts I,started I,lost I,lost_known I,kernel_lost I,"
     "damaged_bytes I,losses S,version N",
     "build, machine, load", "SELECT * FROM _fleet_trace"},
};

/* Answers to what is asked most. */
static const struct {
    const char *name, *sql; /* %s: the database */
} views[] = {
    {"slice_times",
     "SELECT name, build, count() AS slices, uniq(load) AS traces, sum(dur) AS total_ns, "
     "quantile(0.5)(dur) AS p50_ns, quantile(0.9)(dur) AS p90_ns, quantile(0.99)(dur) AS p99_ns, "
     "max(dur) AS max_ns FROM %s.slice WHERE dur >= 0 GROUP BY name, build"},
    {"latency_by_machine",
     "SELECT machine, count() AS waits, uniq(load) AS traces, quantile(0.5)(dur) AS p50_ns, "
     "quantile(0.99)(dur) AS p99_ns, max(dur) AS max_ns FROM %s.thread_state WHERE state IN ('R', "
     "'R+') AND dur >= 0 GROUP BY machine"},
    {"function_times",
     "SELECT name, module, build, uniq(load) AS traces, sum(self) AS self_samples, sum(total) AS "
     "total_samples, sum(self_ns) AS self_time_ns, sum(total_ns) AS total_time_ns FROM %s.function "
     "GROUP BY name, module, build"},
    {"loss_by_machine",
     "SELECT machine, count() AS traces, sum(lost_known = 0) AS traces_unknown, sum(lost > 0 OR "
     "kernel_lost > 0) AS traces_with_losses, sum(lost) AS packets_lost, sum(kernel_lost) AS "
     "kernel_events_lost, sum(damaged_bytes) AS bytes_damaged FROM %s.trace GROUP BY machine"},
};

bool orma_fleet_next_column(const char **columns, struct orma_fleet_column *ret)
{
    const char *at = *columns;
    const size_t name = strcspn(at, " ");

    if (!*at || name >= sizeof(ret->name))
        return false;
    memcpy(ret->name, at, name);
    ret->name[name] = '\0';
    ret->kind = (enum orma_fleet_kind)at[name + 1];
    at += name + 2;
    *columns = at + (*at == ',');
    return true;
}

const char *orma_fleet_type(enum orma_fleet_kind kind)
{
    switch (kind) {
    case ORMA_FLEET_INT:
        return "Int64";
    case ORMA_FLEET_REAL:
        return "Float64";
    case ORMA_FLEET_TEXT:
        return "String";
    case ORMA_FLEET_NAME:
        return "LowCardinality(String)";
    case ORMA_FLEET_DATE:
        return "Date";
    case ORMA_FLEET_LOAD:
        return "UInt64";
    }
    return "";
}

static void put_columns(struct orma_buf *ret, const char *columns, const char *comma)
{
    struct orma_fleet_column c;

    while (orma_fleet_next_column(&columns, &c)) {
        orma_buf_printf(ret, "%s%s %s", comma, c.name, orma_fleet_type(c.kind));
        comma = ", ";
    }
}

static void put_table(struct orma_buf *ret, const char *database, const struct orma_fleet_table *t)
{
    orma_buf_printf(ret, "CREATE TABLE IF NOT EXISTS %s.%s_rows (", database, t->name);
    put_columns(ret, orma_fleet_head, "");
    put_columns(ret, t->columns, ", ");
    orma_buf_printf(ret, ") ENGINE = MergeTree PARTITION BY date ORDER BY (%s)", t->order);
    orma_buf_put_byte(ret, 0);
}

static void put_views(struct orma_buf *ret, const char *database)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(views); i++) {
        orma_buf_printf(ret, "CREATE VIEW IF NOT EXISTS %s.%s AS ", database, views[i].name);
        orma_buf_printf(ret, views[i].sql, database);
        orma_buf_put_byte(ret, 0);
    }
}

void orma_fleet_schema(const char *database, const char *cluster, struct orma_buf *ret)
{
    const struct orma_fleet_table *t = orma_fleet_tables;

    orma_buf_printf(ret, "CREATE DATABASE IF NOT EXISTS %s", database);
    orma_buf_put_byte(ret, 0);
    orma_buf_printf(ret,
                    "CREATE TABLE IF NOT EXISTS %s.fleet (version UInt32) ENGINE = MergeTree ORDER "
                    "BY version",
                    database);
    orma_buf_put_byte(ret, 0);
    for (size_t i = 0; i < ORMA_FLEET_TABLES; i++)
        put_table(ret, database, &t[i]);
    for (size_t i = 0; i < ORMA_FLEET_TABLES; i++) {
        orma_buf_printf(ret,
                        "CREATE VIEW IF NOT EXISTS %s.%s AS SELECT * FROM %s.%s_rows WHERE load IN "
                        "(SELECT max(load) FROM %s.trace_rows GROUP BY hash)",
                        database, t[i].name, database, t[i].name, database);
        orma_buf_put_byte(ret, 0);
    }
    put_views(ret, database);
    if (!cluster)
        return;
    ORMA_AUTO(orma_buf_fini) struct orma_buf all = {0};
    orma_buf_printf(&all, "%s_all", database);
    orma_buf_printf(ret, "CREATE DATABASE IF NOT EXISTS %s", orma_buf_cstr(&all));
    orma_buf_put_byte(ret, 0);
    for (size_t i = 0; i < ORMA_FLEET_TABLES; i++) {
        orma_buf_printf(ret,
                        "CREATE TABLE IF NOT EXISTS %s.%s AS %s.%s_rows ENGINE = Distributed(%s, "
                        "%s, %s)",
                        orma_buf_cstr(&all), t[i].name, database, t[i].name, cluster, database,
                        t[i].name);
        orma_buf_put_byte(ret, 0);
    }
    put_views(ret, orma_buf_cstr(&all));
}
