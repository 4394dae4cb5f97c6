/*
 * Functions append a note (track, slice, counter, description) to the list of those that wait
 * and give the id that the row will have: rows of the table plus notes before it.
 * orma_derived_flush() runs when no statement is running: it adds the rows in the order of the
 * notes, descriptions last, then sorts the new slices by track and time to give them depth and
 * parent. The first note keeps how many rows the tables had, so that orma_derived_undo() can
 * truncate them to it.
 */
#include "processor/sql/tables/derived.h"

#include <stdlib.h>

#include "processor/sql/base/values.h"
#include "sdk/base/buf.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"

#define EVENTS_MAX 50000000u

enum kind { TRACK, SLICE, COUNTER, DESCRIPTION };

/* One call. Ids of rows and of texts in the pool; 0 for no text. */
struct event {
    enum kind kind;
    uint32_t track;
    int64_t ts, dur;
    double value;
    uint32_t name, category; /* of a description: the text, and the link */
    /* TRACK: */
    bool counter, has_utid, has_upid;
    int64_t owner;
    uint32_t unit;
};

/* What a slice's args were before it was described. */
struct described {
    uint32_t slice;
    bool had_set;
    uint32_t set;
};

/* A track that somebody asked for: the event that made it, and its id. */
struct known_track {
    struct event event;
    int64_t id;
    uint64_t next; /* of the same hash: its place, or ORMA_MAP_NONE */
};

struct orma_derived {
    struct orma_buf known;     /* struct known_track[], of waiting events and of rows */
    struct orma_map by_hash;   /* the first of each hash: its place */
    struct orma_buf events;    /* struct event[]: what waits */
    struct orma_buf described; /* struct described[] */
    uint32_t waiting[3];       /* rows that wait, by kind */
    uint32_t before[3];        /* rows of the trace itself */
    bool unsorted[3];
    int64_t last[3];
    bool begun; /* `before` is set */
};

static const struct {
    unsigned table, ts;
} tables[] = {
    [TRACK] = {ORMA_TABLE_TRACK, 0},
    [SLICE] = {ORMA_TABLE_SLICE, ORMA_SLICE_TS},
    [COUNTER] = {ORMA_TABLE_COUNTER, ORMA_COUNTER_TS},
};

static struct orma_table *table_of(struct orma_sql *sql, enum kind kind)
{
    return &sql->storage->tables[tables[kind].table];
}

/* ---- functions ---- */

static struct orma_derived *begin(struct orma_sql *sql)
{
    struct orma_derived *d = sql->derived ? sql->derived : calloc(1, sizeof(*d));

    sql->derived = d;
    if (!d || d->begun)
        return d;
    for (unsigned i = TRACK; i <= COUNTER; i++) {
        const struct orma_table *t = table_of(sql, i);

        d->before[i] = t->rows;
        d->unsorted[i] = tables[i].ts && t->columns[tables[i].ts].unsorted;
        d->last[i] = tables[i].ts ? t->columns[tables[i].ts].last : 0;
    }
    d->begun = true;
    return d;
}

/* Notes the event; the id of its row becomes the result. False: an error does. */
static bool add(sqlite3_context *ctx, const struct event *e)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    struct orma_derived *d = begin(sql);

    if (d && d->events.len / sizeof(*e) >= EVENTS_MAX) {
        orma_result_error(ctx, "more than %u derived events", EVENTS_MAX);
        return false;
    }
    if (d)
        orma_buf_put(&d->events, e, sizeof(*e));
    if (!d || d->events.failed) {
        sqlite3_result_error_nomem(ctx);
        return false;
    }
    if (e->kind == DESCRIPTION)
        sqlite3_result_int64(ctx, e->track);
    else
        sqlite3_result_int64(ctx, (int64_t)table_of(sql, e->kind)->rows + d->waiting[e->kind]++);
    return true;
}

static uint32_t text_of(struct orma_sql *sql, sqlite3_value *val)
{
    const char *data = (const char *)sqlite3_value_text(val);

    return data ? orma_strpool_add(&sql->storage->pool,
                                   (struct orma_str){data, (size_t)sqlite3_value_bytes(val)})
                : 0;
}

static struct event *waiting_events(struct orma_derived *d, size_t *ret_num)
{
    *ret_num = d ? d->events.len / sizeof(struct event) : 0;
    return d ? (struct event *)(void *)d->events.data : NULL;
}

static uint64_t hash_of(const struct event *e)
{
    uint64_t words[] = {e->name, e->counter, e->has_utid, e->has_upid, (uint64_t)e->owner};

    return orma_hash_bytes(words, sizeof(words));
}

static bool is_same_track(const struct event *a, const struct event *b)
{
    return a->name == b->name && a->counter == b->counter && a->has_utid == b->has_utid &&
           a->has_upid == b->has_upid && a->owner == b->owner;
}

/* A track that was asked for before: its id, or -1. */
static int64_t find_track(const struct orma_derived *d, const struct event *want)
{
    const struct known_track *known = d ? (const void *)d->known.data : NULL;
    uint64_t at = d ? orma_map_get(&d->by_hash, hash_of(want)) : ORMA_MAP_NONE;

    while (at != ORMA_MAP_NONE && !is_same_track(&known[at].event, want))
        at = known[at].next;
    return at == ORMA_MAP_NONE ? -1 : known[at].id;
}

/* Notes a new track, and that there is one of its kind. */
static void add_track(sqlite3_context *ctx, const struct event *e)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    struct orma_derived *d = begin(sql);
    struct known_track known = {.event = *e};

    if (!d) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    uint64_t place = d->known.len / sizeof(known);
    known.id = (int64_t)table_of(sql, TRACK)->rows + d->waiting[TRACK];
    known.next = orma_map_get(&d->by_hash, hash_of(e));
    if (!add(ctx, e))
        return;
    orma_buf_put(&d->known, &known, sizeof(known));
    if (d->known.failed || orma_map_put(&d->by_hash, hash_of(e), place) < 0)
        sqlite3_result_error_nomem(ctx);
}

/* utid or upid with its number, at argv[0]. False: an error is set. */
static bool read_owner(sqlite3_context *ctx, sqlite3_value **argv, struct event *e)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    const char *what = (const char *)sqlite3_value_text(argv[0]);
    int64_t id = sqlite3_value_int64(argv[1]);

    e->has_utid = what && !strcmp(what, "utid");
    e->has_upid = what && !strcmp(what, "upid");
    e->owner = id;
    if (!e->has_utid && !e->has_upid) {
        orma_result_error(ctx, "the owner of a track must be 'utid' or 'upid', with a number");
        return false;
    }
    if (sqlite3_value_type(argv[1]) != SQLITE_INTEGER || id < 0 ||
        id >= sql->storage->tables[e->has_utid ? ORMA_TABLE_THREAD : ORMA_TABLE_PROCESS].rows) {
        orma_result_error(ctx, "unknown %s %lld", what, (long long)id);
        return false;
    }
    return true;
}

static void make_track(sqlite3_context *ctx, struct event *e, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);

    if (!e->name) {
        orma_result_error(ctx, "a track needs a name");
        return;
    }
    if (argc == 1)
        orma_result_error(ctx, "expected a number after 'utid' or 'upid'");
    if (argc == 1 || (argc && !read_owner(ctx, argv, e)))
        return;
    int64_t known = find_track(sql->derived, e);
    if (known >= 0)
        sqlite3_result_int64(ctx, known);
    else
        add_track(ctx, e);
}

/* orma_track(name [, 'utid' | 'upid', number]) */
static void func_track(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct event e = {.kind = TRACK};

    if (argc < 1 || argc > 3) {
        orma_result_error(ctx, "orma_track(name [, 'utid' | 'upid', number])");
        return;
    }
    e.name = text_of(orma_sql_of(ctx), argv[0]);
    make_track(ctx, &e, argc - 1, argv + 1);
}

/* orma_counter_track(name, unit [, 'utid' | 'upid', number]) */
static void func_counter_track(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct event e = {.kind = TRACK, .counter = true};

    if (argc < 1 || argc > 4) {
        orma_result_error(ctx, "orma_counter_track(name, unit [, 'utid' | 'upid', number])");
        return;
    }
    e.name = text_of(orma_sql_of(ctx), argv[0]);
    e.unit = argc > 1 ? text_of(orma_sql_of(ctx), argv[1]) : 0;
    make_track(ctx, &e, argc > 2 ? argc - 2 : 0, argv + 2);
}

/* The track at argv[0] and the time at argv[1]. */
static bool read_place(sqlite3_context *ctx, sqlite3_value **argv, struct event *e)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    int64_t track = sqlite3_value_int64(argv[0]);
    int64_t tracks =
        (int64_t)table_of(sql, TRACK)->rows + (sql->derived ? sql->derived->waiting[TRACK] : 0);

    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || track < 0 || track >= tracks) {
        orma_result_error(ctx, "no such track: make one with orma_track()");
        return false;
    }
    if (sqlite3_value_type(argv[1]) != SQLITE_INTEGER) {
        orma_result_error(ctx, "ts must be an integer");
        return false;
    }
    e->track = (uint32_t)track;
    e->ts = sqlite3_value_int64(argv[1]);
    return true;
}

/* orma_slice(track_id, ts, dur, name [, category]) */
static void func_slice(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    struct event e = {.kind = SLICE};

    if (argc < 4 || argc > 5) {
        orma_result_error(ctx, "orma_slice(track_id, ts, dur, name [, category])");
        return;
    }
    if (!read_place(ctx, argv, &e))
        return;
    e.dur = sqlite3_value_int64(argv[2]);
    if (sqlite3_value_type(argv[2]) != SQLITE_INTEGER || e.dur < -1 ||
        (e.dur > 0 && e.ts > INT64_MAX - e.dur)) {
        orma_result_error(ctx, "dur must be an integer, -1 or more");
        return;
    }
    e.name = text_of(sql, argv[3]);
    e.category = argc > 4 ? text_of(sql, argv[4]) : 0;
    (void)add(ctx, &e); /* the error is the result */
}

/* orma_counter(track_id, ts, value) */
static void func_counter(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct event e = {.kind = COUNTER};
    int type = sqlite3_value_numeric_type(argv[2]);

    (void)argc;
    if (!read_place(ctx, argv, &e))
        return;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
        orma_result_error(ctx, "the value of a counter must be a number");
        return;
    }
    e.value = sqlite3_value_double(argv[2]);
    (void)add(ctx, &e); /* the error is the result */
}

/* orma_describe(slice_id, text [, link]) */
static void func_describe(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);
    struct event e = {.kind = DESCRIPTION};
    int64_t slices =
        (int64_t)table_of(sql, SLICE)->rows + (sql->derived ? sql->derived->waiting[SLICE] : 0);
    int64_t slice;

    if (argc < 2 || argc > 3) {
        orma_result_error(ctx, "orma_describe(slice_id, text [, link])");
        return;
    }
    slice = sqlite3_value_int64(argv[0]);
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || slice < 0 || slice >= slices) {
        orma_result_error(ctx, "no such slice");
        return;
    }
    e.track = (uint32_t)slice;
    e.name = text_of(sql, argv[1]);
    e.category = argc > 2 ? text_of(sql, argv[2]) : 0;
    (void)add(ctx, &e); /* the error is the result */
}

const struct orma_sql_func orma_derived_funcs[] = {
    {.name = "orma_track",
     .args = -1,
     .flags = SQLITE_DIRECTONLY,
     .scalar = func_track,
     .usage = "(name STRING [, owner STRING, id LONG]) -> LONG",
     .doc = "The id of a track for derived slices, created on first use. The owner is 'utid' or "
            "'upid'."},
    {.name = "orma_counter_track",
     .args = -1,
     .flags = SQLITE_DIRECTONLY,
     .scalar = func_counter_track,
     .usage = "(name STRING, unit STRING [, owner STRING, id LONG]) -> LONG",
     .doc = "The same for derived counters."},
    {.name = "orma_slice",
     .args = -1,
     .flags = SQLITE_DIRECTONLY,
     .scalar = func_slice,
     .usage = "(track_id LONG, ts LONG, dur LONG, name STRING [, category STRING]) -> LONG",
     .doc = "Adds a slice when the statement ends, and returns its id."},
    {.name = "orma_counter",
     .args = 3,
     .flags = SQLITE_DIRECTONLY,
     .scalar = func_counter,
     .usage = "(track_id LONG, ts LONG, value DOUBLE) -> LONG",
     .doc = "Adds a counter value when the statement ends, and returns its id."},
    {.name = "orma_describe",
     .args = -1,
     .flags = SQLITE_DIRECTONLY,
     .scalar = func_describe,
     .usage = "(slice_id LONG, text STRING [, link STRING]) -> LONG",
     .doc = "Attaches a description and a link to a slice: its args description and doc_link."},
    {0},
};

/* ---- adding ---- */

static bool is_running(struct orma_sql *sql)
{
    for (sqlite3_stmt *s = sqlite3_next_stmt(sql->db, NULL); s; s = sqlite3_next_stmt(sql->db, s)) {
        if (sqlite3_stmt_busy(s))
            return true;
    }
    return false;
}

static void put_track(struct orma_sql *sql, const struct event *e)
{
    struct orma_table *t = table_of(sql, TRACK);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_TRACK_NAME, row, e->name);
    orma_table_set(t, ORMA_TRACK_TYPE, row, orma_storage_cstr(sql->storage, "derived_event"));
    orma_table_set(t, ORMA_TRACK_EVENT_TYPE, row,
                   orma_storage_cstr(sql->storage, e->counter ? "counter" : "slice"));
    orma_table_set(t, ORMA_TRACK_COUNTER_UNIT, row, e->unit);
    if (e->has_utid)
        orma_table_set(t, ORMA_TRACK_UTID, row, e->owner);
    if (e->has_upid)
        orma_table_set(t, ORMA_TRACK_UPID, row, e->owner);
}

static void put_slice(struct orma_sql *sql, const struct event *e)
{
    struct orma_table *t = table_of(sql, SLICE);
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_SLICE_TS, row, e->ts);
    orma_table_set(t, ORMA_SLICE_DUR, row, e->dur);
    orma_table_set(t, ORMA_SLICE_TRACK_ID, row, e->track);
    orma_table_set(t, ORMA_SLICE_NAME, row, e->name);
    orma_table_set(t, ORMA_SLICE_CATEGORY, row, e->category);
    orma_table_set(t, ORMA_SLICE_DEPTH, row, 0);
}

static void put_counter(struct orma_sql *sql, const struct event *e)
{
    struct orma_table *t = table_of(sql, COUNTER);
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_COUNTER_TS, row, e->ts);
    orma_table_set(t, ORMA_COUNTER_TRACK_ID, row, e->track);
    orma_table_set_double(t, ORMA_COUNTER_VALUE, row, e->value);
}

static void put_description(struct orma_sql *sql, const struct event *e)
{
    struct orma_storage *st = sql->storage;
    struct orma_table *t = table_of(sql, SLICE);

    if (!orma_args_settle(&st->args))
        return;
    bool had = !orma_table_is_null(t, ORMA_SLICE_ARG_SET_ID, e->track);
    struct described old = {e->track, had,
                            had ? (uint32_t)orma_table_int(t, ORMA_SLICE_ARG_SET_ID, e->track) : 0};
    struct orma_args_list list = {0};

    if (had)
        orma_args_load(&st->args, old.set, &list);
    if (e->name)
        orma_args_put_str(&list, orma_storage_cstr(st, "description"), e->name);
    if (e->category)
        orma_args_put_str(&list, orma_storage_cstr(st, "doc_link"), e->category);
    orma_storage_set_args(t, ORMA_SLICE_ARG_SET_ID, e->track, orma_args_commit(&st->args, &list));
    orma_args_list_fini(&list);
    orma_buf_put(&sql->derived->described, &old, sizeof(old));
}

/* By track, then outer slices before inner ones, which is also by time. */
static int by_place(const void *a, const void *b, void *data)
{
    const struct orma_table *t = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int64_t tx = orma_table_int(t, ORMA_SLICE_TRACK_ID, x);
    int64_t ty = orma_table_int(t, ORMA_SLICE_TRACK_ID, y);
    int64_t sx = orma_table_int(t, ORMA_SLICE_TS, x), sy = orma_table_int(t, ORMA_SLICE_TS, y);
    uint64_t dx = (uint64_t)orma_table_int(t, ORMA_SLICE_DUR, x);
    uint64_t dy = (uint64_t)orma_table_int(t, ORMA_SLICE_DUR, y);

    if (tx != ty)
        return tx < ty ? -1 : 1;
    if (sx != sy)
        return sx < sy ? -1 : 1;
    if (dx != dy) /* no end (-1) is the longest */
        return dx > dy ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int64_t end_of(const struct orma_table *t, uint32_t row)
{
    int64_t dur = orma_table_int(t, ORMA_SLICE_DUR, row);

    return dur < 0 ? INT64_MAX : orma_table_int(t, ORMA_SLICE_TS, row) + dur;
}

/* Depth and parent of the slices from row `first` on: `rows` in order, open ones on a stack. */
static void nest_rows(struct orma_table *t, const uint32_t *rows, uint32_t num, uint32_t *stack)
{
    uint32_t depth = 0;
    int64_t track = -1;

    for (uint32_t i = 0; i < num; i++) {
        uint32_t row = rows[i];

        if (orma_table_int(t, ORMA_SLICE_TRACK_ID, row) != track)
            depth = 0;
        track = orma_table_int(t, ORMA_SLICE_TRACK_ID, row);
        while (depth && (end_of(t, stack[depth - 1]) <= orma_table_int(t, ORMA_SLICE_TS, row) ||
                         end_of(t, stack[depth - 1]) < end_of(t, row)))
            depth--;
        orma_table_set(t, ORMA_SLICE_DEPTH, row, depth);
        if (depth)
            orma_table_set(t, ORMA_SLICE_PARENT_ID, row, stack[depth - 1]);
        stack[depth++] = row;
    }
}

static void nest(struct orma_sql *sql, uint32_t first)
{
    struct orma_table *t = table_of(sql, SLICE);
    uint32_t num = t->rows - first;
    uint32_t *rows = num ? malloc(2 * (size_t)num * sizeof(*rows)) : NULL;

    if (!num)
        return;
    if (!rows) {
        sql->storage->failed = true;
        return;
    }
    for (uint32_t i = 0; i < num; i++)
        rows[i] = first + i;
    qsort_r(rows, num, sizeof(*rows), by_place, t);
    nest_rows(t, rows, num, rows + num);
    free(rows);
}

void orma_derived_flush(struct orma_sql *sql)
{
    size_t num;
    const struct event *e = waiting_events(sql->derived, &num);

    if (!num || is_running(sql))
        return;
    uint32_t first = table_of(sql, SLICE)->rows;
    for (unsigned pass = 0; pass < 2; pass++) { /* descriptions may be of new slices */
        for (size_t i = 0; i < num; i++) {
            if ((e[i].kind == DESCRIPTION) != (pass == 1))
                continue;
            switch (e[i].kind) {
            case TRACK:
                put_track(sql, &e[i]);
                break;
            case SLICE:
                put_slice(sql, &e[i]);
                break;
            case COUNTER:
                put_counter(sql, &e[i]);
                break;
            case DESCRIPTION:
                put_description(sql, &e[i]);
                break;
            }
        }
    }
    nest(sql, first);
    memset(sql->derived->waiting, 0, sizeof(sql->derived->waiting));
    orma_buf_clear(&sql->derived->events);
    sql->tables_generation++; /* statements that were prepared over columns look again */
}

bool orma_derived_any(const struct orma_sql *sql)
{
    return sql->derived && sql->derived->begun;
}

void orma_derived_undo(struct orma_sql *sql)
{
    struct orma_derived *d = sql->derived;

    if (!d || !d->begun)
        return;
    struct described *old = (struct described *)(void *)d->described.data;
    for (size_t i = d->described.len / sizeof(*old); i-- > 0;) {
        if (old[i].had_set)
            orma_table_set(table_of(sql, SLICE), ORMA_SLICE_ARG_SET_ID, old[i].slice, old[i].set);
        else
            orma_table_set_null(table_of(sql, SLICE), ORMA_SLICE_ARG_SET_ID, old[i].slice);
    }
    for (unsigned i = TRACK; i <= COUNTER; i++) {
        struct orma_table *t = table_of(sql, i);

        orma_table_truncate(t, d->before[i]);
        if (tables[i].ts) {
            t->columns[tables[i].ts].unsorted = d->unsorted[i];
            t->columns[tables[i].ts].last = d->last[i];
        }
    }
    orma_derived_fini(sql);
}

void orma_derived_fini(struct orma_sql *sql)
{
    if (!sql->derived)
        return;
    orma_buf_fini(&sql->derived->known);
    orma_map_fini(&sql->derived->by_hash);
    orma_buf_fini(&sql->derived->events);
    orma_buf_fini(&sql->derived->described);
    free(sql->derived);
    sql->derived = NULL;
}
