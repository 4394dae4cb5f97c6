/* Rows that are parsed when somebody asks for them are the same as if they had been at once. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "processor/api/processor_impl.h"
#include "processor/processor.h"
#include "protos/fields/common.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"

/* ---- traces ---- */

struct dice {
    uint64_t state;
};

static unsigned roll(struct dice *d, unsigned sides)
{
    d->state = orma_mix64(d->state + 1);
    return (unsigned)(d->state >> 33) % sides;
}

static size_t begin_packet(struct orma_buf *out, int64_t ts, uint32_t sequence)
{
    size_t packet = orma_pb_begin(out, ORMA_PB_TRACE_PACKET);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, (uint64_t)ts);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence);
    return packet;
}

static void put_text(struct orma_buf *out, uint32_t field, uint64_t iid, const char *fmt,
                     unsigned n)
{
    size_t at = orma_pb_begin(out, field);
    char text[64];

    snprintf(text, sizeof(text), fmt, n);
    orma_pb_put_u64(out, ORMA_PB_INTERNED_STRING_IID, iid);
    orma_pb_put_str(out, ORMA_PB_INTERNED_STRING_STR, orma_str_from(text));
    orma_pb_end(out, at);
}

static void put_object(struct orma_buf *out, struct dice *d)
{
    size_t at = orma_pb_begin(out, ORMA_PB_HEAP_GRAPH_OBJECTS);

    if (roll(d, 4))
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_OBJECT_ID, 1 + roll(d, 40));
    else
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_OBJECT_ID_DELTA, 1 + roll(d, 3));
    orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_OBJECT_TYPE_ID, roll(d, 9));
    if (roll(d, 3))
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_OBJECT_SELF_SIZE, roll(d, 64));
    if (!roll(d, 6))
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_OBJECT_HEAP_TYPE_DELTA, roll(d, 5));
    if (!roll(d, 9))
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_OBJECT_BITMAP_ID_FIELD, roll(d, 100));
    if (!roll(d, 5))
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_OBJECT_NATIVE_ALLOCATION_REGISTRY_SIZE_FIELD,
                        roll(d, 1000));
    for (unsigned i = roll(d, 5); i; i--) {
        if (roll(d, 2))
            orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_OBJECT_REFERENCE_FIELD_ID, roll(d, 12));
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_OBJECT_REFERENCE_OBJECT_ID, roll(d, 44));
    }
    orma_pb_end(out, at);
}

static void put_type(struct orma_buf *out, struct dice *d)
{
    static const char *const names[] = {"a.b", "sun.misc.Cleaner", "c[]", "java.lang.Class<d>"};
    size_t at = orma_pb_begin(out, ORMA_PB_HEAP_GRAPH_TYPES);

    orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_TYPE_ID, 1 + roll(d, 8));
    orma_pb_put_str(out, ORMA_PB_HEAP_GRAPH_TYPE_CLASS_NAME, orma_str_from(names[roll(d, 4)]));
    orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_TYPE_OBJECT_SIZE, roll(d, 100));
    orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_TYPE_KIND, roll(d, 13));
    if (roll(d, 2))
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_TYPE_LOCATION_ID, roll(d, 5));
    if (!roll(d, 3))
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_TYPE_SUPERCLASS_ID, 1 + roll(d, 10));
    if (!roll(d, 4))
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_TYPE_CLASSLOADER_ID, 1 + roll(d, 44));
    for (unsigned i = roll(d, 4); i; i--)
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_TYPE_REFERENCE_FIELD_ID, roll(d, 12));
    orma_pb_end(out, at);
}

static void put_roots(struct orma_buf *out, struct dice *d)
{
    size_t at = orma_pb_begin(out, ORMA_PB_HEAP_GRAPH_ROOTS);

    orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_ROOT_ROOT_TYPE, roll(d, 16));
    for (unsigned i = roll(d, 4); i; i--)
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_ROOT_OBJECT_IDS, 1 + roll(d, 44));
    orma_pb_end(out, at);
}

/* Of a writer: its index, which now and then leaves one out. */
static void put_graph(struct orma_buf *out, struct dice *d, int64_t ts, unsigned writer,
                      unsigned *index)
{
    size_t packet = begin_packet(out, ts, 10 + writer);
    size_t at = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_HEAP_GRAPH);
    bool continued = roll(d, 4);

    orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_PID, 100 + writer + !roll(d, 8));
    for (unsigned i = roll(d, 3); i; i--)
        put_type(out, d);
    for (unsigned i = roll(d, 8); i; i--)
        put_object(out, d);
    for (unsigned i = roll(d, 3); i; i--)
        put_roots(out, d);
    for (unsigned i = roll(d, 4); i; i--)
        put_text(out, ORMA_PB_HEAP_GRAPH_FIELD_NAMES, 1 + roll(d, 12), "T a.b.f%u", roll(d, 3));
    if (!roll(d, 3))
        put_text(out, ORMA_PB_HEAP_GRAPH_LOCATION_NAMES, 1 + roll(d, 4),
                 "/data/app/com.x%u-1==/base.apk", roll(d, 2));
    if (!roll(d, 4))
        orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_HEAP_BYTES_ALLOCATED, roll(d, 1000));
    orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_CONTINUED, continued);
    orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_INDEX, *index + !roll(d, 9));
    *index = *index + 1;
    if (!continued && roll(d, 2))
        *index = 0;
    orma_pb_end(out, at);
    orma_pb_end(out, packet);
}

static void put_mapping(struct orma_buf *out, struct dice *d, int64_t ts)
{
    size_t packet = begin_packet(out, ts, 3);
    size_t at = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_DEOBFUSCATION_MAPPING);

    if (roll(d, 2))
        orma_pb_put_str(out, ORMA_PB_DEOBFUSCATION_MAPPING_PACKAGE_NAME, ORMA_STR("com.x1"));
    size_t class = orma_pb_begin(out, ORMA_PB_DEOBFUSCATION_MAPPING_OBFUSCATED_CLASSES);
    orma_pb_put_str(out, ORMA_PB_OBFUSCATED_CLASS_OBFUSCATED_NAME, ORMA_STR("a.b"));
    orma_pb_put_str(out, ORMA_PB_OBFUSCATED_CLASS_DEOBFUSCATED_NAME, ORMA_STR("long.Name"));
    size_t member = orma_pb_begin(out, ORMA_PB_OBFUSCATED_CLASS_OBFUSCATED_MEMBERS);
    orma_pb_put_str(out, ORMA_PB_OBFUSCATED_MEMBER_OBFUSCATED_NAME, ORMA_STR("f1"));
    orma_pb_put_str(out, ORMA_PB_OBFUSCATED_MEMBER_DEOBFUSCATED_NAME, ORMA_STR("field"));
    orma_pb_end(out, member);
    orma_pb_end(out, class);
    orma_pb_end(out, at);
    orma_pb_end(out, packet);
}

static void put_art(struct orma_buf *out, struct dice *d, int64_t ts)
{
    size_t packet = begin_packet(out, ts, 4);
    size_t at = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_ART_PROCESS_METADATA);

    orma_pb_put_u64(out, ORMA_PB_ART_PROCESS_METADATA_PID, 100 + roll(d, 6));
    orma_pb_put_str(out, ORMA_PB_ART_PROCESS_METADATA_PROCESS_NAME, ORMA_STR("com.x1"));
    if (!roll(d, 3))
        orma_pb_put_u64(out, ORMA_PB_ART_PROCESS_METADATA_OOM_ALLOCATION_SIZE, roll(d, 1000));
    orma_pb_end(out, at);
    orma_pb_end(out, packet);
}

static void put_event(struct orma_buf *out, int64_t ts, unsigned pid)
{
    size_t packet = begin_packet(out, ts, 5);
    size_t at = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);

    orma_pb_put_u64(out, ORMA_PB_TRACK_DESCRIPTOR_UUID, pid);
    size_t process = orma_pb_begin(out, ORMA_PB_TRACK_DESCRIPTOR_PROCESS);
    orma_pb_put_u64(out, ORMA_PB_PROCESS_DESCRIPTOR_PID, pid);
    orma_pb_end(out, process);
    orma_pb_end(out, at);
    orma_pb_end(out, packet);
    packet = begin_packet(out, ts, 5);
    at = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TYPE, ORMA_PB_TRACK_EVENT_TYPE_INSTANT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TRACK_UUID, pid);
    orma_pb_end(out, at);
    orma_pb_end(out, packet);
}

static void make_trace(struct orma_buf *out, uint64_t seed)
{
    struct dice d = {seed * 7919};
    unsigned indexes[3] = {0};
    int64_t ts[3] = {500, 500, 500};

    for (unsigned i = 10 + roll(&d, 30); i; i--) {
        unsigned writer = roll(&d, 3);

        if (!roll(&d, 12))
            ts[writer] = 1 + roll(&d, 2000);
        if (!roll(&d, 10))
            put_mapping(out, &d, 1 + roll(&d, 2000));
        else if (!roll(&d, 20))
            put_art(out, &d, 1 + roll(&d, 2000));
        else if (!roll(&d, 6))
            put_event(out, 300 + roll(&d, 500), 98 + roll(&d, 10));
        else
            put_graph(out, &d, ts[writer], writer, &indexes[writer]);
    }
    cr_assert(!out->failed);
}

/* ---- loading ---- */

struct loaded {
    struct orma_processor *tp;
    int fd;
};

static struct orma_storage *storage_of(const struct loaded *l)
{
    return orma_processor_sql(l->tp)->storage;
}

static struct loaded load_at_once(const struct orma_buf *trace)
{
    struct loaded l = {.fd = -1};

    cr_assert_eq(orma_processor_new(NULL, &l.tp), 0);
    cr_assert_eq(orma_processor_feed(l.tp, trace->data, trace->len), 0);
    cr_assert_eq(orma_processor_finish(l.tp), 0);
    cr_assert_eq(storage_of(&l)->late.waiting, 0);
    return l;
}

static struct loaded load_mapped(const struct orma_buf *trace)
{
    char path[] = "/tmp/orma-late-XXXXXX";
    struct loaded l = {.fd = mkstemp(path)};

    cr_assert_geq(l.fd, 0);
    cr_assert_eq(orma_fd_write_all(l.fd, trace->data, trace->len), 0);
    cr_assert_eq(orma_processor_new(NULL, &l.tp), 0);
    cr_assert_eq(orma_processor_load_file(l.tp, path, NULL, NULL), 0);
    (void)unlink(path);
    return l;
}

static void unload(struct loaded *l)
{
    orma_processor_free(l->tp);
    if (l->fd >= 0)
        (void)close(l->fd);
}

/* The first value of what a query gives; its error, or -1000 where it has no row. */
static int64_t ask(const struct loaded *l, const char *sql)
{
    struct orma_query *q;
    const char *rest;
    int64_t ret = -1000;
    int r = orma_query_prepare(l->tp, sql, SIZE_MAX, &q, &rest);

    if (r == 0)
        r = orma_query_step(q);
    if (r == 1)
        ret = orma_query_int64(q, 0);
    orma_query_free(q);
    return r < 0 ? r : ret;
}

/* ---- are they the same? ---- */

static bool is_same_cell(const struct orma_storage *a, const struct orma_storage *b, unsigned table,
                         unsigned col, uint32_t row)
{
    const struct orma_table *t = &a->tables[table], *u = &b->tables[table];
    int64_t x = orma_table_int(t, col, row), y = orma_table_int(u, col, row);

    if (orma_table_is_null(t, col, row) != orma_table_is_null(u, col, row))
        return false;
    if (t->def->columns[col].kind == ORMA_COL_STRING)
        return orma_str_eq(orma_strpool_get(&a->pool, (uint32_t)x),
                           orma_strpool_get(&b->pool, (uint32_t)y));
    if (t->def->columns[col].kind == ORMA_COL_DOUBLE)
        return orma_column_double(&t->columns[col], row) ==
               orma_column_double(&u->columns[col], row);
    return x == y;
}

static bool is_measured(unsigned table)
{
    return table == ORMA_TABLE_TRACE_FILE || table == ORMA_TABLE_METADATA;
}

static bool is_duration(const struct orma_storage *s, unsigned table, uint32_t row)
{
    int64_t key =
        table == ORMA_TABLE_STATS ? orma_table_int(&s->tables[table], ORMA_STATS_KEY, row) : -1;

    return key == ORMA_STAT_PARSE_TRACE_DURATION_NS ||
           key == ORMA_STAT_GUESS_TRACE_TYPE_DURATION_NS;
}

static void assert_same(const struct loaded *got, const struct loaded *expected, uint64_t seed,
                        const char *way)
{
    const struct orma_storage *a = storage_of(got), *b = storage_of(expected);

    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++) {
        const struct orma_table *t = &a->tables[i];

        cr_assert_eq(t->rows, b->tables[i].rows, "seed %llu, %s: %s: %u rows, not %u",
                     (unsigned long long)seed, way, t->def->name, t->rows, b->tables[i].rows);
        for (uint32_t row = 0; row < t->rows; row++)
            for (unsigned col = 0; col < t->def->columns_num; col++)
                cr_assert(is_measured(i) || is_duration(a, i, row) ||
                              is_same_cell(a, b, i, col, row),
                          "seed %llu, %s: %s.%s of row %u: %lld, not %lld",
                          (unsigned long long)seed, way, t->def->name, t->def->columns[col].name,
                          row, (long long)orma_table_int(t, col, row),
                          (long long)orma_table_int(&b->tables[i], col, row));
    }
    cr_assert_eq(orma_processor_sql(got->tp)->bounds_start,
                 orma_processor_sql(expected->tp)->bounds_start);
    cr_assert_eq(orma_processor_sql(got->tp)->bounds_end,
                 orma_processor_sql(expected->tp)->bounds_end);
}

/* ---- tests ---- */

/* What is asked first, and what after that. */
static const char *const orders[][3] = {
    {"SELECT count(*) FROM heap_graph_object"},
    {"SELECT count(*) FROM slice", "SELECT count(*) FROM process",
     "SELECT count(*) FROM heap_graph_reference"},
    {"SELECT count(*) FROM stats", "SELECT count(*) FROM heap_graph"},
    {"SELECT count(*) FROM thread JOIN process USING (upid) LEFT JOIN heap_graph_class c ON c.id = "
     "1"},
    {"SELECT count(*) FROM perfetto_table_info('heap_graph_object')",
     "SELECT count(*) FROM __intrinsic_heap_graph_primitive"},
    {"SELECT count(*) FROM experimental_flamegraph('graph', 500, NULL, 1, NULL, NULL)",
     "INCLUDE PERFETTO MODULE android.memory.heap_graph.heap_graph_class_aggregation;"
     "SELECT count(*) FROM android_heap_graph_class_aggregation"},
};

Test(late, whatever_is_asked_first_all_tables_are_those_of_a_full_import, .timeout = 240)
{
    unsigned waited = 0;

    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct orma_buf trace = {0};

        make_trace(&trace, seed);
        struct loaded expected = load_at_once(&trace);
        for (size_t i = 0; i < ORMA_ARRAY_LEN(orders); i++) {
            struct loaded got = load_mapped(&trace);

            waited += storage_of(&got)->late.waiting != 0;
            for (size_t k = 0; k < ORMA_ARRAY_LEN(orders[i]) && orders[i][k]; k++)
                cr_assert_eq(ask(&got, orders[i][k]), ask(&expected, orders[i][k]), "seed %llu: %s",
                             (unsigned long long)seed, orders[i][k]);
            cr_assert_eq(orma_storage_settle_all(storage_of(&got)), 0);
            assert_same(&got, &expected, seed, orders[i][0]);
            unload(&got);
        }
        unload(&expected);
        orma_buf_fini(&trace);
    }
    cr_assert_gt(waited, 100);
    orma_assert_no_leaks();
}

static void put_member(struct orma_buf *tar, const char *name, const struct orma_buf *data)
{
    static const char zeroes[512];
    char head[512] = {0};
    unsigned sum = 8 * ' ';

    snprintf(head, 100, "%s", name);
    snprintf(head + 124, 12, "%011zo", data->len);
    memcpy(head + 257, "ustar", 5);
    for (unsigned i = 0; i < sizeof(head); i++)
        sum += (unsigned char)head[i];
    snprintf(head + 148, 8, "%06o", sum);
    orma_buf_put(tar, head, sizeof(head));
    orma_buf_put(tar, data->data, data->len);
    orma_buf_put(tar, zeroes, (512 - data->len % 512) % 512);
}

/* A heap dump beside traces adds to the same tables: what waits comes before it, and nothing waits
 * from then on. */
Test(late, rows_of_others_stand_in_their_place)
{
    struct orma_buf trace = {0}, dump = {0}, tar = {0};

    make_trace(&trace, 3);
    cr_assert_eq(orma_fd_read_file(AT_FDCWD, CASES "/hprof/trace.hprof", 1 << 20, &dump), 0);
    put_member(&tar, "a.pftrace", &trace);
    put_member(&tar, "b.hprof", &dump);
    put_member(&tar, "c.pftrace", &trace);
    struct loaded expected = load_at_once(&tar), got = load_mapped(&tar);
    cr_assert_eq(storage_of(&got)->late.waiting, 0);
    cr_assert_eq(ask(&got, "SELECT count(*) FROM heap_graph"),
                 ask(&expected, "SELECT count(*) FROM heap_graph"));
    assert_same(&got, &expected, 3, "archive");
    unload(&got);
    unload(&expected);
    orma_buf_fini(&trace);
    orma_buf_fini(&dump);
    orma_buf_fini(&tar);
    orma_assert_no_leaks();
}

static bool stop_sometimes(void *data)
{
    struct dice *d = data;

    return !roll(d, 3);
}

/* It goes on where it was. */
Test(late, settling_may_be_stopped_anywhere, .timeout = 240)
{
    unsigned stops = 0;

    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct orma_buf trace = {0};
        struct dice d = {seed};

        make_trace(&trace, seed);
        struct loaded expected = load_at_once(&trace), got = load_mapped(&trace);
        struct orma_storage *st = storage_of(&got);
        int r;
        while ((r = orma_storage_settle(st, &st->tables[ORMA_TABLE_STATS], stop_sometimes, &d))) {
            cr_assert_eq(r, -ECANCELED);
            cr_assert(st->late.waiting);
            stops++;
        }
        assert_same(&got, &expected, seed, "stopped");
        unload(&got);
        unload(&expected);
        orma_buf_fini(&trace);
    }
    cr_assert_gt(stops, 500);
    orma_assert_no_leaks();
}

Test(late, tables_of_others_need_nothing_of_it)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct orma_buf trace = {0};

        make_trace(&trace, seed);
        struct loaded l = load_mapped(&trace);
        unsigned waiting = storage_of(&l)->late.waiting;
        cr_assert_geq(ask(&l,
                          "SELECT count(*) FROM slice s JOIN process_track t ON s.track_id = t.id "
                          "JOIN process USING (upid)"),
                      0);
        cr_assert_geq(ask(&l, "SELECT start_ts FROM trace_bounds"), 0);
        cr_assert_geq(ask(&l, "SELECT count(*) FROM counter"), 0);
        cr_assert_eq(storage_of(&l)->late.waiting, waiting);
        unload(&l);
        orma_buf_fini(&trace);
    }
    orma_assert_no_leaks();
}

/* A graph that waits in a trace with a slice. */
static void make_one(struct orma_buf *out)
{
    struct dice d = {11};
    size_t packet = begin_packet(out, 600, 10);
    size_t at = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_HEAP_GRAPH);

    orma_pb_put_u64(out, ORMA_PB_HEAP_GRAPH_PID, 100);
    for (unsigned i = 0; i < 2000; i++)
        put_object(out, &d);
    orma_pb_end(out, at);
    orma_pb_end(out, packet);
    put_event(out, 400, 50);
    cr_assert(!out->failed);
}

static void assert_gone(struct loaded *l)
{
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_lt(ask(l, "SELECT count(*) FROM heap_graph_object"), -1);
        cr_assert(strstr(orma_processor_error(l->tp), "overwritten or truncated"), "%s",
                  orma_processor_error(l->tp));
        cr_assert_eq(ask(l, "SELECT count(*) FROM slice"), 1);
    }
    struct orma_processor_stat stat;
    cr_assert(!orma_processor_stat(l->tp, 0, &stat));
    unload(l);
}

Test(late, a_file_that_was_cut_or_written_over_is_told)
{
    struct orma_buf trace = {0};

    make_one(&trace);
    struct loaded l = load_mapped(&trace);
    cr_assert_neq(storage_of(&l)->late.waiting, 0);
    cr_assert_eq(ftruncate(l.fd, 100), 0);
    assert_gone(&l);
    l = load_mapped(&trace);
    for (size_t i = 0; i < trace.len; i++)
        trace.data[i] ^= 0x15;
    cr_assert_eq(pwrite(l.fd, trace.data, trace.len, 0), (ssize_t)trace.len);
    assert_gone(&l);
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}

static bool stop(void *data)
{
    (void)data;
    return true;
}

Test(late, what_was_never_settled_is_freed)
{
    struct orma_buf trace = {0};

    make_one(&trace);
    struct loaded l = load_mapped(&trace);
    unload(&l);
    l = load_mapped(&trace); /* and where it was stopped half way */
    struct orma_storage *st = storage_of(&l);
    cr_assert_eq(orma_storage_settle(st, &st->tables[ORMA_TABLE_HEAP_GRAPH], stop, NULL),
                 -ECANCELED);
    unload(&l);
    orma_buf_fini(&trace);
    orma_assert_no_leaks();
}
