/*
 * Reads the items of all rows: slices, states, who ran where, values, logs, samples, flows.
 *
 * Slices come with the number of their track. The tracks of one row lie below each other: each
 * begins at the lane behind the deepest of the tracks before it, which is known only when all
 * slices have been read.
 */
#include <errno.h>
#include <string.h>

#include "processor/view/view_impl.h"

#define IN_RANGE " WHERE ts < %lld AND (dur < 0 OR ts + dur >= %lld)"
#define SLICES "SELECT id, ts, dur, track_id, depth, name, arg_set_id FROM slice"
#define TRACKS "SELECT track_id, max(depth), count(*) FROM slice"
#define STATES "SELECT id, ts, dur, utid, state, cpu, waker_utid, io_wait FROM thread_state"
#define SCHED "SELECT id, ts, dur, ucpu % 4096, utid, end_state, ucpu / 4096 FROM sched_slice"
#define VALUES "SELECT ts, value, track_id FROM counter"
#define LOGS "SELECT ts, utid, prio, tag, msg FROM android_logs"
#define SAMPLES                                                                                    \
    "SELECT s.ts, c.utid, s.callsite_id FROM stack_sample s "                                      \
    "JOIN __intrinsic_profiler_task_context c ON c.id = s.task_context_id "                        \
    "WHERE s.callsite_id IS NOT NULL"
#define GAPS "SELECT ts, reason, cpu, utid, upid, machine_id FROM gap"
#define PROGRESS_EVERY 65536
#define FLOWS "SELECT slice_out, slice_in FROM flow"

/* A query over items that have a time and may have a duration. */
static struct orma_view_query ranged_by(struct orma_view *self, const char *sql, bool has_dur,
                                        const char *end)
{
    struct orma_buf text = {0};

    orma_buf_put_str(&text, sql);
    if (self->config.from_ns || self->config.to_ns) {
        if (has_dur)
            orma_buf_printf(&text, IN_RANGE, (long long)self->to, (long long)self->from);
        else
            orma_buf_printf(&text, " WHERE ts < %lld AND ts >= %lld", (long long)self->to,
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
        if (ORMA_VEC_PUSH(vec, __VA_ARGS__) < 0)                                                   \
            orma_view_fail(self, -ENOMEM);                                                         \
    } while (0)

/* ---- slices ---- */

/* What is known of a track before its slices are read. */
struct lanes {
    uint32_t depth; /* of its slices: the deepest, and one */
    uint32_t first; /* its first lane in the row */
    uint32_t row;   /* ORMA_VIEW_NONE: it is not shown */
    uint32_t left;  /* slices that were counted, and not yet read */
};

/* The tracks in the order of their numbers get their lanes. */
static void lay_lanes(struct orma_view *self, struct lanes *lanes, size_t num)
{
    for (size_t track = 0; track < num; track++) {
        struct lanes *l = &lanes[track];
        struct orma_view_row *row;

        l->row = l->left ? orma_view_row_of_track(self, (uint32_t)track) : ORMA_VIEW_NONE;
        if (l->row == ORMA_VIEW_NONE)
            continue;
        row = &self->rows.data[l->row];
        l->first = row->lanes;
        row->lanes += l->depth;
        row->items += l->left;
    }
}

static struct lanes *count_slices(struct orma_view *self, size_t *ret_num)
{
    struct orma_view_query q = ranged_by(self, TRACKS, true, " GROUP BY 1");
    struct lanes *lanes = NULL;
    size_t cap = 0;

    while (orma_view_next(&q)) {
        uint32_t track = (uint32_t)orma_view_int(&q, 0);
        size_t had = cap;

        if (ORMA_GROW(&lanes, &cap, (size_t)track + 1) < 0) {
            orma_view_fail(self, -ENOMEM);
            continue;
        }
        memset(lanes + had, 0, (cap - had) * sizeof(*lanes));
        lanes[track].depth = (uint32_t)orma_view_int(&q, 1) + 1;
        lanes[track].left = (uint32_t)orma_view_int(&q, 2);
    }
    lay_lanes(self, lanes, cap);
    *ret_num = cap;
    return lanes;
}

/* Each at once to its place: rows one behind the other, in each the order of the table. */
static uint32_t read_slices(struct orma_view *self, struct lanes *lanes, size_t num, uint32_t *next)
{
    struct orma_view_query q = ranged(self, SLICES, true);
    uint32_t done = 0;

    while (orma_view_next(&q)) {
        size_t track = (size_t)orma_view_int(&q, 3);
        struct lanes *l = track < num ? &lanes[track] : NULL;

        if (!l || l->row == ORMA_VIEW_NONE || !l->left)
            continue;
        l->left--;
        int64_t ts = orma_view_time(&q, 1), dur = orma_view_duration(&q, 2, ts);
        uint32_t lane = (uint32_t)orma_view_int(&q, 4) + l->first;

        self->rows.data[l->row].by_slices += 2 * (double)(dur > 0 ? dur : 1);
        self->slices.data[next[l->row]++] = (struct orma_view_slice){
            .id = (uint32_t)orma_view_int(&q, 0),
            .ts = ts,
            .dur = dur,
            .row = l->row,
            .depth = (uint16_t)(lane < UINT16_MAX ? lane : UINT16_MAX),
            .name = orma_view_text(&q, 5),
            .args = orma_view_is_null(&q, 6) ? ORMA_VIEW_NONE : (uint32_t)orma_view_int(&q, 6)};
        if (++done % PROGRESS_EVERY == 0 && self->config.progress)
            atomic_store(&self->config.progress->slices, done);
    }
    return done;
}

static void load_slices(struct orma_view *self)
{
    size_t num = 0;
    struct lanes *lanes = count_slices(self, &num);
    uint32_t *next = malloc(self->rows.len * sizeof(*next) + 1); /* places, by row */
    uint64_t all = 0;

    for (uint32_t row = 0; next && row < self->rows.len; row++) {
        next[row] = (uint32_t)all;
        all += self->rows.data[row].items;
    }
    if (!next || all > UINT32_MAX || ORMA_VEC_RESERVE(&self->slices, all) < 0)
        orma_view_fail(self, -ENOMEM);
    else if (read_slices(self, lanes, num, next) == all)
        self->slices.len = (uint32_t)all;
    else
        orma_view_fail(self, -EIO); /* the table changed, or there is an error already */
    free(next);
    free(lanes);
}

/* ---- what threads and cores did ---- */

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

static void load_states(struct orma_view *self)
{
    struct orma_view_query q = ranged(self, STATES, true);

    while (orma_view_next(&q)) {
        uint32_t row = orma_view_row_of_thread(self, orma_view_int(&q, 3));

        if (row == ORMA_VIEW_NONE || self->rows.data[row].kernel)
            continue;
        struct orma_view_state s = {
            .id = (uint32_t)orma_view_int(&q, 0),
            .ts = orma_view_time(&q, 1),
            .dur = orma_view_duration(&q, 2, orma_view_time(&q, 1)),
            .row = row,
            .state = state_text(self, &q),
            .cpu = orma_view_is_null(&q, 5) ? -1 : (int32_t)orma_view_int(&q, 5),
            .waker = orma_view_is_null(&q, 6)
                         ? ORMA_VIEW_NONE
                         : orma_view_row_of_thread(self, orma_view_int(&q, 6))};

        self->rows.data[row].items++;
        self->rows.data[row].has_states = true;
        self->rows.data[row].rank += state_rank(orma_view_bytes(&q, 4), s.dur);
        PUSH(self, &self->states, s);
    }
}

static void load_sched(struct orma_view *self)
{
    struct orma_view_query q = ranged(self, SCHED, true);

    while (orma_view_next(&q)) {
        uint32_t thread = orma_view_row_of_thread(self, orma_view_int(&q, 4));

        if (thread == ORMA_VIEW_NONE || self->rows.data[thread].kernel)
            continue;
        struct orma_view_state s = {
            .id = (uint32_t)orma_view_int(&q, 0),
            .ts = orma_view_time(&q, 1),
            .dur = orma_view_duration(&q, 2, orma_view_time(&q, 1)),
            .row = orma_view_row_of_cpu(self, orma_view_int(&q, 6), orma_view_int(&q, 3)),
            .cpu = (int32_t)orma_view_int(&q, 3),
            .state = orma_view_text(&q, 5),
            .waker = thread};

        if (s.row == ORMA_VIEW_NONE)
            continue;
        self->rows.data[s.row].items++;
        PUSH(self, &self->sched, s);
    }
}

/* ---- the rest ---- */

/* The kernel's number for "not idle", as large as it is, would be all that is seen. */
static double value_of(struct orma_view *self, uint32_t row, double val)
{
    return val == UINT32_MAX && self->rows.data[row].name ==
                                    orma_view_string(&self->strings, ORMA_STR("cpuidle"))
               ? -1
               : val;
}

static void load_values(struct orma_view *self)
{
    struct orma_view_query q = ranged(self, VALUES, false);

    while (orma_view_next(&q)) {
        uint32_t row = orma_view_row_of_track(self, (uint32_t)orma_view_int(&q, 2));

        if (row == ORMA_VIEW_NONE || self->rows.data[row].kind != ORMA_VIEW_COUNTER)
            continue;
        self->rows.data[row].items++;
        PUSH(self, &self->values,
             (struct orma_view_value){.ts = orma_view_time(&q, 0),
                                      .value = value_of(self, row, orma_query_double(q.query, 1)),
                                      .row = row});
    }
}

static void load_logs(struct orma_view *self)
{
    struct orma_view_query q = ranged(self, LOGS, false);
    uint32_t row = ORMA_VIEW_NONE;

    while (orma_view_next(&q)) {
        if (row == ORMA_VIEW_NONE && (row = orma_view_log_row(self)) == ORMA_VIEW_NONE)
            continue;
        self->rows.data[row].items++;
        PUSH(self, &self->logs,
             (struct orma_view_log){.ts = orma_view_time(&q, 0),
                                    .row = row,
                                    .prio = (uint32_t)orma_view_int(&q, 2),
                                    .tag = orma_view_text(&q, 3),
                                    .text = orma_view_text(&q, 4)});
    }
}

static void load_samples(struct orma_view *self)
{
    struct orma_view_query q = orma_view_query(self, SAMPLES);

    while (orma_view_next(&q)) {
        uint32_t row = orma_view_row_of_thread(self, orma_view_int(&q, 1));
        int64_t ts = orma_view_time(&q, 0);

        if (row == ORMA_VIEW_NONE || ts < self->from || ts > self->to)
            continue;
        self->rows.data[row].items++;
        PUSH(self, &self->samples,
             (struct orma_view_sample){
                 .ts = ts, .row = row, .callsite = (uint32_t)orma_view_int(&q, 2)});
    }
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
        uint32_t row = !orma_view_is_null(&q, 2)
                           ? orma_view_row_of_cpu(self, orma_view_int(&q, 5), orma_view_int(&q, 2))
                       : !orma_view_is_null(&q, 3)
                           ? orma_view_row_of_thread(self, orma_view_int(&q, 3))
                           : orma_view_row_of_process(
                                 self, orma_view_is_null(&q, 4) ? -1 : orma_view_int(&q, 4));

        if (row == ORMA_VIEW_NONE)
            continue;
        self->rows.data[row].used = true;
        PUSH(self, &self->gaps,
             (struct orma_view_gap){
                 .ts = orma_view_time(&q, 0), .row = row, .reason = orma_view_text(&q, 1)});
    }
}

void orma_view_load_items(struct orma_view *self)
{
    load_slices(self);
    load_states(self);
    load_sched(self);
    load_values(self);
    load_logs(self);
    load_samples(self);
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
