/*
 * Reads the items of all rows: slices, states, who ran where, values, logs, samples, flows.
 *
 * First they are counted, so that each is put at once where it belongs: rows one behind the other,
 * in each the order of the table. Tables are read side by side, that one next which is the furthest
 * behind in time: so there can be a picture of what was read so far (picture.c).
 *
 * Slices come with the number of their track. The tracks of one row lie below each other: each
 * begins at the lane behind the deepest of the tracks before it, which is known only when all
 * slices have been read.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "processor/view/view_impl.h"

#define IN_RANGE "%sts < %lld AND (dur < 0 OR ts + dur >= %lld)"
#define GAPS "SELECT ts, reason, cpu, utid, upid, machine_id FROM gap"
#define FLOWS "SELECT slice_out, slice_in FROM flow"
#define OF_SAMPLES                                                                                 \
    " FROM stack_sample s JOIN __intrinsic_profiler_task_context c ON c.id = s.task_context_id "   \
    "WHERE s.callsite_id IS NOT NULL"
/* Args are sorted when the first of them is asked for, which takes longer than all else here. */
#define SLICES_WITHOUT_ARGS "SELECT ts, id, dur, track_id, depth, name FROM slice"
#define READ_ITEMS 16384 /* of one table, before it is looked which is the next */

/* A table whose rows are items. */
struct item_source {
    const char *counts, *by; /* how many there are, and of which row */
    const char *sql;         /* the time comes first */
    uint8_t kind;
    bool has_dur;
    uint32_t (*row_of)(struct orma_view *self, const struct orma_view_query *counts);
    void (*take)(struct orma_view *self, const struct orma_view_query *q);
};

/* A query over items that have a time and may have a duration. */
static struct orma_view_query ranged_by(struct orma_view *self, const char *sql, bool has_dur,
                                        const char *end)
{
    struct orma_buf text = {0};

    orma_buf_put_str(&text, sql);
    if (self->config.from_ns || self->config.to_ns) {
        const char *and = strstr(sql, "WHERE") ? " AND " : " WHERE ";

        if (has_dur)
            orma_buf_printf(&text, IN_RANGE, and, (long long)self->to, (long long)self->from);
        else
            orma_buf_printf(&text, "%sts < %lld AND ts >= %lld", and, (long long)self->to,
                            (long long)self->from);
    }
    orma_buf_put_str(&text, end);
    struct orma_view_query q = orma_view_query(self, orma_buf_cstr(&text));

    orma_buf_fini(&text);
    return q;
}

static struct orma_view_query ranged(struct orma_view *self, const char *sql, bool has_dur)
{
    return ranged_by(self, sql, has_dur, "");
}

#define PUSH(self, vec, ...)                                                                       \
    do {                                                                                           \
        if (ORMA_VIEW_PUSH(vec, __VA_ARGS__) < 0)                                                  \
            orma_view_fail(self, -ENOMEM);                                                         \
    } while (0)

/* The place of the next item of a row; -1: the table has more than were counted. */
static inline int64_t next_place(struct orma_view *self, unsigned kind, uint32_t row)
{
    struct orma_view_places *p = &self->reading.places[kind];

    if (ORMA_UNLIKELY(p->next[row] >= p->begin[row + 1])) {
        orma_view_fail(self, -EIO);
        return -1;
    }
    self->rows.data[row].items++;
    return p->next[row]++;
}

#define PLACE(self, vec, kind, to, ...)                                                            \
    do {                                                                                           \
        int64_t place_ = next_place(self, kind, to);                                               \
                                                                                                   \
        if (place_ >= 0)                                                                           \
            (vec)->data[place_] = __VA_ARGS__;                                                     \
    } while (0)

/* ---- what has no end in its table, and lasted until a time that is known ---- */

#define OPEN(table) "SELECT id, end_ts - ts FROM " table " WHERE end_ts IS NOT NULL"

static void load_lasted(struct orma_view *self)
{
    static const char *const tables[] = {[ORMA_VIEW_SLICES] = OPEN("orma_open_slice"),
                                         [ORMA_VIEW_STATES] = OPEN("orma_open_state"),
                                         [ORMA_VIEW_SCHED] = OPEN("orma_open_run")};

    static const char *const torn[] = {[ORMA_VIEW_SLICES] = "SELECT id FROM _orma_torn_call",
                                       [ORMA_VIEW_STATES] = "SELECT id FROM _orma_torn_state",
                                       [ORMA_VIEW_SCHED] = "SELECT id FROM _orma_torn_run"};

    orma_view_include(self, "orma.durations");
    for (unsigned kind = ORMA_VIEW_SLICES; kind < ORMA_ARRAY_LEN(tables); kind++) {
        struct orma_view_query q = orma_view_query(self, torn[kind]);

        while (orma_view_next(&q)) {
            if (orma_map_put(&self->reading.torn[kind], (uint64_t)orma_view_int(&q, 0), 1) < 0)
                orma_view_fail(self, -ENOMEM);
        }
        q = orma_view_query(self, tables[kind]);

        while (orma_view_next(&q)) {
            uint64_t dur = (uint64_t)ORMA_MAX(orma_view_int(&q, 1), 0);

            if (orma_map_put(&self->reading.lasted[kind], (uint64_t)orma_view_int(&q, 0), dur) < 0)
                orma_view_fail(self, -ENOMEM);
        }
    }
}

/* -1: it has no end that is known, and is in no sum. */
static int64_t duration_of(struct orma_view *self, unsigned kind, const struct orma_view_query *q,
                           int64_t ts)
{
    int64_t dur = orma_view_duration(q, 2, ts), most = orma_view_near(INT64_MAX) - ts;

    if (ORMA_LIKELY(dur >= 0 && !self->reading.torn[kind].len))
        return dur;
    if (dur >= 0)
        return orma_map_get(&self->reading.torn[kind], (uint64_t)orma_view_int(q, 1)) ==
                       ORMA_MAP_NONE
                   ? dur
                   : -1;
    uint64_t lasted = orma_map_get(&self->reading.lasted[kind], (uint64_t)orma_view_int(q, 1));

    return lasted == ORMA_MAP_NONE ? -1 : lasted < (uint64_t)most ? (int64_t)lasted : most;
}

/* ---- slices ---- */

/* The tracks in the order of their numbers get their lanes. */
static uint32_t row_of_slices(struct orma_view *self, const struct orma_view_query *q)
{
    uint32_t track = (uint32_t)orma_view_int(q, 1);
    size_t had = self->reading.num_lanes;
    struct orma_view_track *t;
    struct orma_view_row *row;

    if (ORMA_GROW(&self->reading.lanes, &self->reading.num_lanes, (size_t)track + 1) < 0) {
        orma_view_fail(self, -ENOMEM);
        return ORMA_VIEW_NONE;
    }
    for (size_t i = had; i < self->reading.num_lanes; i++)
        self->reading.lanes[i] = (struct orma_view_track){.row = ORMA_VIEW_NONE};
    t = &self->reading.lanes[track];
    t->row = orma_view_row_of_track(self, track);
    if (t->row == ORMA_VIEW_NONE)
        return ORMA_VIEW_NONE;
    row = &self->rows.data[t->row];
    t->first = row->lanes;
    row->lanes += (uint32_t)orma_view_int(q, 2) + 1;
    return t->row;
}

static void take_slice(struct orma_view *self, const struct orma_view_query *q)
{
    uint64_t track = (uint64_t)orma_view_int(q, 3);
    const struct orma_view_track *t =
        track < self->reading.num_lanes ? &self->reading.lanes[track] : NULL;

    if (!t || t->row == ORMA_VIEW_NONE)
        return;
    int64_t ts = orma_view_time(q, 0), dur = duration_of(self, ORMA_VIEW_SLICES, q, ts);
    uint32_t lane = (uint32_t)orma_view_int(q, 4) + t->first;

    self->rows.data[t->row].by_slices += 2 * (double)(dur > 0 ? dur : 1);
    PLACE(self, &self->slices, ORMA_VIEW_SLICES, t->row,
          (struct orma_view_slice){.id = (uint32_t)orma_view_int(q, 1),
                                   .ts = ts,
                                   .dur = dur,
                                   .row = t->row,
                                   .depth = (uint16_t)(lane < UINT16_MAX ? lane : UINT16_MAX),
                                   .name = orma_view_text(q, 5),
                                   .args = !self->config.stored && !orma_view_is_null(q, 6)
                                               ? (uint32_t)orma_view_int(q, 6)
                                               : ORMA_VIEW_NONE});
}

/* ---- what threads and cores did ---- */

static uint32_t row_of_states(struct orma_view *self, const struct orma_view_query *q)
{
    uint32_t row = orma_view_row_of_thread(self, orma_view_int(q, 1));

    return row == ORMA_VIEW_NONE || self->rows.data[row].kernel ? ORMA_VIEW_NONE : row;
}

static uint32_t row_of_sched(struct orma_view *self, const struct orma_view_query *q)
{
    return orma_view_row_of_ucpu(self, orma_view_int(q, 1));
}

/* The state with what is known of its wait, as one text: "D", "D+io", "D-io". */
static uint32_t state_text(struct orma_view *self, const struct orma_view_query *q)
{
    struct orma_str state = orma_view_bytes(q, 4);
    char text[64];

    if (!state.len || state.data[0] != 'D' || orma_view_is_null(q, 7) ||
        state.len > sizeof(text) - 4)
        return orma_view_string(&self->strings, state);
    memcpy(text, state.data, state.len);
    memcpy(text + state.len, orma_view_int(q, 7) ? "+io" : "-io", 3);
    return orma_view_string(&self->strings, (struct orma_str){text, state.len + 3});
}

static double state_rank(struct orma_str state, int64_t dur)
{
    char first = state.len ? state.data[0] : 'S';

    if (dur < 0 || first == 'S' || first == 'I')
        return 0;
    return (first == 'D' || first == 'R' ? (state.len > 1 ? 1. : 4.) : 0.1) * (double)dur;
}

static void take_state(struct orma_view *self, const struct orma_view_query *q)
{
    uint32_t row = orma_view_row_of_thread(self, orma_view_int(q, 3));

    if (row == ORMA_VIEW_NONE || self->rows.data[row].kernel)
        return;
    struct orma_view_state s = {.id = (uint32_t)orma_view_int(q, 1),
                                .ts = orma_view_time(q, 0),
                                .dur = duration_of(self, ORMA_VIEW_STATES, q, orma_view_time(q, 0)),
                                .row = row,
                                .state = state_text(self, q),
                                .cpu = orma_view_is_null(q, 5) ? -1 : (int32_t)orma_view_int(q, 5),
                                .waker = orma_view_is_null(q, 6)
                                             ? ORMA_VIEW_NONE
                                             : orma_view_row_of_thread(self, orma_view_int(q, 6))};

    self->rows.data[row].has_states = true;
    self->rows.data[row].rank += state_rank(orma_view_bytes(q, 4), s.dur);
    PLACE(self, &self->states, ORMA_VIEW_STATES, row, s);
}

static void take_sched(struct orma_view *self, const struct orma_view_query *q)
{
    uint32_t thread = orma_view_row_of_thread(self, orma_view_int(q, 4));

    if (thread == ORMA_VIEW_NONE || self->rows.data[thread].kernel)
        return;
    struct orma_view_state s = {.id = (uint32_t)orma_view_int(q, 1),
                                .ts = orma_view_time(q, 0),
                                .dur = duration_of(self, ORMA_VIEW_SCHED, q, orma_view_time(q, 0)),
                                .row = orma_view_row_of_ucpu(self, orma_view_int(q, 3)),
                                .cpu = (int32_t)(orma_view_int(q, 3) % ORMA_VIEW_MACHINE_CPUS),
                                .state = orma_view_text(q, 5),
                                .waker = thread};

    if (s.row != ORMA_VIEW_NONE)
        PLACE(self, &self->sched, ORMA_VIEW_SCHED, s.row, s);
}

/* ---- the rest ---- */

static uint32_t row_of_values(struct orma_view *self, const struct orma_view_query *q)
{
    uint32_t row = orma_view_row_of_track(self, (uint32_t)orma_view_int(q, 1));

    return row == ORMA_VIEW_NONE || self->rows.data[row].kind != ORMA_VIEW_COUNTER ? ORMA_VIEW_NONE
                                                                                   : row;
}

/* The kernel's number for "not idle", as large as it is, would be all that is seen. */
static double value_of(struct orma_view *self, uint32_t row, double val)
{
    return val == UINT32_MAX && self->rows.data[row].name ==
                                    orma_view_string(&self->strings, ORMA_STR("cpuidle"))
               ? -1
               : val;
}

static void take_value(struct orma_view *self, const struct orma_view_query *q)
{
    uint32_t row = row_of_values(self, q);

    if (row != ORMA_VIEW_NONE)
        PLACE(self, &self->values, ORMA_VIEW_VALUES, row,
              (struct orma_view_value){.ts = orma_view_time(q, 0),
                                       .value = value_of(self, row, orma_query_double(q->query, 2)),
                                       .row = row});
}

static uint32_t row_of_logs(struct orma_view *self, const struct orma_view_query *q)
{
    return orma_view_int(q, 0) ? orma_view_log_row(self) : ORMA_VIEW_NONE;
}

static void take_log(struct orma_view *self, const struct orma_view_query *q)
{
    uint32_t row = orma_view_log_row(self);

    PLACE(self, &self->logs, ORMA_VIEW_LOGS, row,
          (struct orma_view_log){.ts = orma_view_time(q, 0),
                                 .row = row,
                                 .prio = (uint32_t)orma_view_int(q, 1),
                                 .tag = orma_view_text(q, 2),
                                 .text = orma_view_text(q, 3)});
}

static uint32_t row_of_samples(struct orma_view *self, const struct orma_view_query *q)
{
    return orma_view_row_of_thread(self, orma_view_int(q, 1));
}

static void take_sample(struct orma_view *self, const struct orma_view_query *q)
{
    uint32_t row = row_of_samples(self, q);
    int64_t ts = orma_view_time(q, 0);

    if (row != ORMA_VIEW_NONE && ts >= self->from && ts <= self->to)
        PLACE(self, &self->samples, ORMA_VIEW_SAMPLES, row,
              (struct orma_view_sample){
                  .ts = ts, .row = row, .callsite = (uint32_t)orma_view_int(q, 2)});
}

static const struct item_source sources[] = {
    {"SELECT count(*), track_id, max(depth) FROM slice", " GROUP BY 2 ORDER BY 2",
     "SELECT ts, id, dur, track_id, depth, name, arg_set_id FROM slice", ORMA_VIEW_SLICES, true,
     row_of_slices, take_slice},
    {"SELECT count(*), utid FROM thread_state", " GROUP BY 2",
     "SELECT ts, id, dur, utid, state, cpu, waker_utid, io_wait FROM thread_state",
     ORMA_VIEW_STATES, true, row_of_states, take_state},
    {"SELECT count(*), ucpu FROM sched_slice", " GROUP BY 2 ORDER BY 2",
     "SELECT ts, id, dur, ucpu, utid, end_state FROM sched_slice", ORMA_VIEW_SCHED, true,
     row_of_sched, take_sched},
    {"SELECT count(*), track_id FROM counter", " GROUP BY 2",
     "SELECT ts, track_id, value FROM counter", ORMA_VIEW_VALUES, false, row_of_values, take_value},
    {"SELECT count(*) FROM android_logs", "", "SELECT ts, prio, tag, msg FROM android_logs",
     ORMA_VIEW_LOGS, false, row_of_logs, take_log},
    {"SELECT count(*), c.utid" OF_SAMPLES, " GROUP BY 2",
     "SELECT s.ts, c.utid, s.callsite_id" OF_SAMPLES, ORMA_VIEW_SAMPLES, false, row_of_samples,
     take_sample},
};

/* ---- all of these ---- */

/* How many of each row, for now where the row behind it is to begin. */
static void count(struct orma_view *self, const struct item_source *source)
{
    struct orma_view_places *p = &self->reading.places[source->kind];
    struct orma_view_query q = ranged_by(self, source->counts, source->has_dur, source->by);

    while (orma_view_next(&q)) {
        uint32_t row = source->row_of(self, &q);
        size_t had = p->cap;

        if (row == ORMA_VIEW_NONE)
            continue;
        if (ORMA_GROW(&p->begin, &p->cap, (size_t)row + 2) < 0) {
            orma_view_fail(self, -ENOMEM);
            continue;
        }
        memset(p->begin + had, 0, (p->cap - had) * sizeof(*p->begin));
        uint64_t sum = p->begin[row + 1] + (uint64_t)orma_view_int(&q, 0);

        if (sum > UINT32_MAX)
            orma_view_fail(self, -EOVERFLOW);
        p->begin[row + 1] = (uint32_t)sum;
    }
}

static int reserve(struct orma_view *self, unsigned kind, uint32_t num)
{
    switch (kind) {
    case ORMA_VIEW_SLICES:
        return ORMA_VIEW_RESERVE(&self->slices, num);
    case ORMA_VIEW_STATES:
        return ORMA_VIEW_RESERVE(&self->states, num);
    case ORMA_VIEW_SCHED:
        return ORMA_VIEW_RESERVE(&self->sched, num);
    case ORMA_VIEW_VALUES:
        return ORMA_VIEW_RESERVE(&self->values, num);
    case ORMA_VIEW_LOGS:
        return ORMA_VIEW_RESERVE(&self->logs, num);
    default:
        return ORMA_VIEW_RESERVE(&self->samples, num);
    }
}

/* All rows are known: places for their items. */
static void make_places(struct orma_view *self, unsigned kind)
{
    struct orma_view_places *p = &self->reading.places[kind];
    uint32_t rows = self->rows.len;
    size_t had = p->cap;
    uint64_t sum = 0;

    p->next = malloc(((size_t)rows + 1) * sizeof(*p->next));
    if (!p->next || ORMA_GROW(&p->begin, &p->cap, (size_t)rows + 1) < 0) {
        orma_view_fail(self, -ENOMEM);
        return;
    }
    memset(p->begin + had, 0, (p->cap - had) * sizeof(*p->begin));
    for (uint32_t i = 0; i <= rows; i++) {
        sum += p->begin[i];
        p->begin[i] = p->next[i] = (uint32_t)sum;
    }
    if (sum > UINT32_MAX || reserve(self, kind, (uint32_t)sum) < 0)
        orma_view_fail(self, -ENOMEM);
    self->partial.all += sum;
}

/* Closes the places that stayed free: idle threads are counted, and not shown. */
static uint32_t close_up(const struct orma_view *self, unsigned kind, void *items, size_t size)
{
    const struct orma_view_places *p = &self->reading.places[kind];
    uint32_t to = 0;

    for (uint32_t row = 0; row < self->rows.len; row++) {
        uint32_t num = p->next[row] - p->begin[row];

        if (num && to != p->begin[row])
            memmove((char *)items + to * size, (char *)items + p->begin[row] * size, num * size);
        to += num;
    }
    return to;
}

#define CLOSE_UP(self, kind, vec)                                                                  \
    ((vec)->len = close_up(self, kind, (vec)->data, sizeof(*(vec)->data)))

/* A table that is being read. */
struct reading {
    const struct item_source *source;
    struct orma_view_query q;
    int64_t at; /* time of the row that it is at; INT64_MAX: that was all */
};

static void go_on(struct reading *r)
{
    r->at = orma_view_next(&r->q) ? orma_view_time(&r->q, 0) : INT64_MAX;
}

static void read_all(struct orma_view *self, orma_view_shown *show)
{
    struct reading all[ORMA_ARRAY_LEN(sources)];

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(all); i++) {
        const char *sql = sources[i].sql;

        if (self->config.stored && sources[i].kind == ORMA_VIEW_SLICES)
            sql = SLICES_WITHOUT_ARGS;
        all[i].source = &sources[i];
        all[i].q = ranged(self, sql, sources[i].has_dur);
        go_on(&all[i]);
    }
    for (;;) {
        struct reading *r = &all[0];

        for (unsigned i = 1; i < ORMA_ARRAY_LEN(all); i++)
            r = all[i].at < r->at ? &all[i] : r;
        if (r->at == INT64_MAX)
            return;
        self->partial.until = r->at;
        show(self, false);
        for (unsigned n = 0; n < READ_ITEMS && r->at != INT64_MAX; n++) {
            r->source->take(self, &r->q);
            self->partial.read++;
            go_on(r);
        }
    }
}

static void load_all(struct orma_view *self, orma_view_shown *show)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(sources); i++)
        count(self, &sources[i]);
    for (unsigned kind = ORMA_VIEW_SLICES; kind <= ORMA_VIEW_SAMPLES; kind++)
        make_places(self, kind);
    load_lasted(self);
    if (self->err)
        return;
    read_all(self, show);
    self->partial.until = self->to;
    show(self, true);
    CLOSE_UP(self, ORMA_VIEW_SLICES, &self->slices);
    CLOSE_UP(self, ORMA_VIEW_STATES, &self->states);
    CLOSE_UP(self, ORMA_VIEW_SCHED, &self->sched);
    CLOSE_UP(self, ORMA_VIEW_VALUES, &self->values);
    CLOSE_UP(self, ORMA_VIEW_LOGS, &self->logs);
    CLOSE_UP(self, ORMA_VIEW_SAMPLES, &self->samples);
}

static void load_flows(struct orma_view *self)
{
    struct orma_view_query q = orma_view_query(self, FLOWS);

    while (orma_view_next(&q))
        PUSH(self, &self->flows,
             (struct orma_view_flow){(uint32_t)orma_view_int(&q, 0),
                                     (uint32_t)orma_view_int(&q, 1)});
}

/* Below its thread if that is known, else its process; losses of nobody known have no place. */
static void load_gaps(struct orma_view *self)
{
    struct orma_view_query q = ranged(self, GAPS, false);

    while (orma_view_next(&q)) {
        uint32_t row =
            !orma_view_is_null(&q, 2)
                ? orma_view_row_of_ucpu(self, orma_view_int(&q, 5) * ORMA_VIEW_MACHINE_CPUS +
                                                  orma_view_int(&q, 2))
            : !orma_view_is_null(&q, 3)
                ? orma_view_row_of_thread(self, orma_view_int(&q, 3))
                : orma_view_row_of_process(self,
                                           orma_view_is_null(&q, 4) ? -1 : orma_view_int(&q, 4));

        if (row == ORMA_VIEW_NONE)
            continue;
        self->rows.data[row].used = true;
        PUSH(self, &self->gaps,
             (struct orma_view_gap){
                 .ts = orma_view_time(&q, 0), .row = row, .reason = orma_view_text(&q, 1)});
    }
}

void orma_view_load_items(struct orma_view *self, orma_view_shown *show)
{
    load_all(self, show);
    load_flows(self);
    load_gaps(self);
    if (self->strings.failed)
        orma_view_fail(self, -ENOMEM);
    self->totals = (struct orma_view_totals){.slices = self->slices.len,
                                             .states = self->states.len,
                                             .values = self->values.len,
                                             .logs = self->logs.len,
                                             .flows = self->flows.len};
}
