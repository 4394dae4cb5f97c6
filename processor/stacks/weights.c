/*
 * Samples, by callsite and thread, become weights of nodes; and so do sums, and what is on a heap.
 */
#include "processor/stacks/loader.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/dialect/quote.h"
#include "processor/stacks/stacks.h"
#include "sdk/base/map.h"

/* ---- which samples ---- */

bool orma_stacks_is_given(const char *condition)
{
    return condition && *condition;
}

void orma_stacks_put_who(struct orma_buf *sql, const struct orma_stacks_choice *c)
{
    if (orma_stacks_is_given(c->threads))
        orma_buf_printf(sql, " AND t.utid IN (SELECT utid FROM thread WHERE 1%s)", c->threads);
    if (orma_stacks_is_given(c->processes))
        orma_buf_printf(sql, " AND p.upid IN (SELECT upid FROM process WHERE 1%s)", c->processes);
}

bool orma_stacks_is_of_all(const struct orma_stacks_choice *c)
{
    return !orma_stacks_is_given(c->threads) && !orma_stacks_is_given(c->processes);
}

void orma_stacks_put_choice(struct orma_buf *sql, const struct orma_stacks_choice *c)
{
    if (c->has_from)
        orma_buf_printf(sql, " AND s.ts >= %" PRId64, c->from_ns);
    if (c->has_to)
        orma_buf_printf(sql, " AND s.ts < %" PRId64, c->to_ns);
    orma_stacks_put_who(sql, c);
}

void orma_stacks_put_event(struct orma_stacks_loader *l, struct orma_buf *sql)
{
    int64_t first = -1;
    bool has_time = false;

    if (l->choice->event) {
        orma_buf_put_str(sql,
                         " AND s.session_id IN (SELECT perf_session_id FROM perf_counter_track "
                         "WHERE is_timebase AND name = ");
        orma_sql_put_literal(sql, orma_str_from(l->choice->event));
        orma_buf_put_byte(sql, ')');
        return;
    }
    struct orma_stacks_rows rows =
        orma_stacks_rows_of(l, "SELECT n.id, coalesce(n.timebase_unit, 'ns') FROM "
                               "__intrinsic_profiler_session n WHERE n.id IN (SELECT session_id "
                               "FROM __intrinsic_profiler_sample) ORDER BY n.id");
    while (orma_stacks_rows_next(&rows)) {
        if (first < 0)
            first = orma_query_int64(rows.q, 0);
        has_time |= !strcmp(orma_stacks_rows_text(&rows, 1), "ns");
    }
    if (has_time)
        orma_buf_put_str(sql, " AND coalesce(n.timebase_unit, 'ns') = 'ns'");
    else if (first >= 0)
        orma_buf_printf(sql, " AND s.session_id = %" PRId64, first);
}

/* ---- inside slices ---- */

struct thread_interval {
    int64_t utid, from, to;
};

/* Slices of the name whose end is known, by thread and time, merged where they overlap. */
static void load_intervals(struct orma_stacks_loader *l, struct orma_buf *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct thread_interval open = {.utid = -1};

    orma_stacks_include(l, "orma.durations");
    orma_buf_put_str(&sql, "INCLUDE PERFETTO MODULE orma.durations; "
                           "SELECT tt.utid, s.ts, coalesce(o.end_ts, s.ts + s.dur) FROM slice s "
                           "JOIN thread_track tt ON tt.id = s.track_id "
                           "LEFT JOIN orma_open_slice o ON o.id = s.id "
                           "WHERE (s.dur >= 0 OR o.end_ts IS NOT NULL)");
    orma_buf_printf(&sql, " AND s.id IN (SELECT id FROM slice WHERE 1%s)", l->choice->slices);
    orma_buf_put_str(&sql, " ORDER BY 1, 2");
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, orma_buf_cstr(&sql));
    while (orma_stacks_rows_next(&rows)) {
        const struct thread_interval s = {orma_query_int64(rows.q, 0), orma_query_int64(rows.q, 1),
                                          orma_query_int64(rows.q, 2)};

        if (s.utid == open.utid && s.from <= open.to) {
            open.to = s.to > open.to ? s.to : open.to;
            continue;
        }
        if (open.utid >= 0)
            orma_buf_put(ret, &open, sizeof(open));
        open = s;
    }
    if (open.utid >= 0)
        orma_buf_put(ret, &open, sizeof(open));
    if (ret->failed)
        l->err = -ENOMEM;
}

static bool is_inside(const struct orma_buf *intervals, int64_t utid, int64_t ts)
{
    const struct thread_interval *all = (const void *)intervals->data;
    size_t lo = 0, hi = intervals->len / sizeof(*all);

    while (lo < hi) { /* the first behind it */
        size_t mid = lo + (hi - lo) / 2;

        if (all[mid].utid < utid || (all[mid].utid == utid && all[mid].from <= ts))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && all[lo - 1].utid == utid && ts < all[lo - 1].to;
}

/* ---- weights ---- */

static uint32_t thread_of(struct orma_stacks_loader *l, int64_t utid)
{
    uint64_t known = orma_map_get(&l->by_utid, (uint64_t)utid + 1);
    const struct orma_stacks_thread none = {.utid = utid};

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    known = orma_stacks_threads_num(l->self);
    orma_buf_put(&l->self->threads, &none, sizeof(none));
    if (l->self->threads.failed || orma_map_put(&l->by_utid, (uint64_t)utid + 1, known) < 0)
        l->err = -ENOMEM;
    return (uint32_t)known;
}

void orma_stacks_add_weight(struct orma_stacks_loader *l, uint32_t node, int64_t utid,
                            uint64_t weight)
{
    struct orma_stacks *self = l->self;
    const struct orma_stacks_part part = {node, thread_of(l, utid), weight};

    if (l->err)
        return;
    orma_buf_put(&self->parts, &part, sizeof(part));
    orma_stacks_nodes(self)[part.node].self += weight;
    orma_stacks_threads(self)[part.thread].weight += weight;
    self->weight += weight;
    if (self->parts.failed)
        l->err = -ENOMEM;
}

void orma_stacks_add_errors(struct orma_stacks_loader *l, int64_t site, uint64_t errors)
{
    struct orma_stacks *self = l->self;
    const struct orma_stacks_node *n = orma_stacks_nodes(self);
    uint32_t node = site < 0 || l->err ? 0 : orma_stacks_site_node(l, site);

    if (!errors)
        return;
    for (; node; node = n[node].parent) {
        const char *name =
            orma_stacks_text(self, orma_stacks_functions(self)[n[node].function].name);

        if (!strcmp(name, "[truncated]") || !strncmp(name, "ERROR", 5))
            break;
        if (!n[node].parent) {
            self->continued += errors;
            return;
        }
    }
    self->cut += errors;
}

/* Do all chosen samples say which time they stand for? Together with others, each counts once. */
static bool are_timed(struct orma_stacks_loader *l, const char *event)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    bool ret = false;

    orma_buf_put_str(&sql,
                     "SELECT count(*) = count(o.id), total(o.ns) > 0 " ORMA_STACKS_FROM_SAMPLES
                     "LEFT JOIN _orma_sample_time o ON o.id = s.id WHERE 1");
    orma_stacks_put_choice(&sql, l->choice);
    orma_buf_put_str(&sql, event);
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, orma_buf_cstr(&sql));
    while (orma_stacks_rows_next(&rows))
        ret = orma_query_int64(rows.q, 0) && orma_query_int64(rows.q, 1) > 0;
    return ret;
}

void orma_stacks_load_samples(struct orma_stacks_loader *l)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf event = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf intervals = {0};
    struct orma_stacks *self = l->self;
    bool inside = orma_stacks_is_given(l->choice->slices);

    if (inside)
        load_intervals(l, &intervals);
    orma_stacks_put_event(l, &event);
    self->timed = are_timed(l, orma_buf_cstr(&event));
    orma_buf_printf(&sql,
                    "SELECT s.callsite_id, coalesce(k.utid, -1), count(*), min(s.ts), "
                    "max(s.ts), sum(s.unwind_error IS NOT NULL), "
                    "sum(%s) " ORMA_STACKS_FROM_SAMPLES
                    "LEFT JOIN _orma_sample_weight w ON w.id = s.id "
                    "LEFT JOIN _orma_sample_time o ON o.id = s.id WHERE 1",
                    self->timed ? "o.ns" : "coalesce(w.weight, 1)");
    orma_stacks_put_choice(&sql, l->choice);
    orma_buf_put_str(&sql, orma_buf_cstr(&event));
    orma_buf_put_str(&sql,
                     inside ? " GROUP BY s.id ORDER BY s.id" : " GROUP BY 1, 2 ORDER BY 1, 2");
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, orma_buf_cstr(&sql));
    while (orma_stacks_rows_next(&rows)) {
        int64_t utid = orma_query_int64(rows.q, 1), from = orma_query_int64(rows.q, 3);
        uint64_t num = (uint64_t)orma_query_int64(rows.q, 2);

        if (inside && !is_inside(&intervals, utid, from))
            continue;
        int64_t to = orma_query_int64(rows.q, 4);
        self->first_ns = self->samples && self->first_ns < from ? self->first_ns : from;
        self->last_ns = self->samples && self->last_ns > to ? self->last_ns : to;
        self->samples += num;
        orma_stacks_add_errors(
            l, orma_stacks_rows_is_null(&rows, 0) ? -1 : orma_query_int64(rows.q, 0),
            (uint64_t)orma_query_int64(rows.q, 5));
        if (orma_stacks_rows_is_null(&rows, 0))
            self->without_stack += num;
        else
            orma_stacks_add_weight(l, orma_stacks_site_node(l, orma_query_int64(rows.q, 0)), utid,
                                   (uint64_t)orma_query_int64(rows.q, 6));
    }
}

/* ---- sums ---- */

/* How many ns a unit of pprof is; 0: it is no time. */
static uint64_t unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"nanoseconds", 1},
                 {"microseconds", 1000},
                 {"milliseconds", 1000000},
                 {"seconds", 1000000000}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(units); i++)
        if (!strcmp(unit, units[i].name))
            return units[i].ns;
    return 0;
}

/* The sums to take: those of the chosen event, else of time, else the first. */
static int64_t choose_sums(struct orma_stacks_loader *l)
{
    int64_t chosen = -1;
    uint64_t ns = 0;
    struct orma_stacks_rows rows =
        orma_stacks_rows_of(l, "SELECT id, sample_type_type, coalesce(sample_type_unit, '') FROM "
                               "__intrinsic_aggregate_profile ORDER BY id");

    while (orma_stacks_rows_next(&rows)) {
        uint64_t unit = unit_ns(orma_stacks_rows_text(&rows, 2));
        bool wanted = l->choice->event ? !strcmp(l->choice->event, orma_stacks_rows_text(&rows, 1))
                                       : chosen < 0 || (!ns && unit);

        if (!wanted || (chosen >= 0 && l->choice->event))
            continue;
        chosen = orma_query_int64(rows.q, 0);
        ns = unit;
        l->self->event = unit || !strcmp(orma_stacks_rows_text(&rows, 1), "samples")
                             ? 0
                             : orma_stacks_keep_text(l, orma_stacks_rows_text(&rows, 1));
    }
    l->self->period_ns = ns;
    return chosen;
}

void orma_stacks_load_sums(struct orma_stacks_loader *l)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    const struct orma_stacks_choice *c = l->choice;
    bool of_all =
        !c->has_from && !c->has_to && orma_stacks_is_of_all(c) && !orma_stacks_is_given(c->slices);
    int64_t profile = l->self->samples || !of_all ? -1 : choose_sums(l);

    if (profile < 0)
        return;
    l->self->sums = true;
    orma_buf_printf(&sql,
                    "SELECT callsite_id, sum(value) FROM __intrinsic_aggregate_sample WHERE "
                    "callsite_id IS NOT NULL AND aggregate_profile_id = %" PRId64
                    " GROUP BY 1 ORDER BY 1",
                    profile);
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, orma_buf_cstr(&sql));
    while (orma_stacks_rows_next(&rows)) {
        double value = orma_query_double(rows.q, 1);

        if (!(value >= 0.5 && value < 1e18)) {
            l->self->left_out += value != 0;
            continue;
        }
        l->self->samples++;
        l->self->rounded += value != floor(value);
        orma_stacks_add_weight(l, orma_stacks_site_node(l, orma_query_int64(rows.q, 0)), -1,
                               (uint64_t)llround(value));
    }
}

void orma_stacks_load_heap(struct orma_stacks_loader *l)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    const struct orma_stacks_choice *c = l->choice;

    orma_buf_printf(
        &sql,
        "SELECT s.callsite_id, (SELECT min(t.utid) FROM thread t WHERE t.upid = s.upid), "
        "sum(%s), sum(abs(s.count)) FROM heap_profile_allocation s WHERE "
        "s.callsite_id IS NOT NULL",
        c->kind == ORMA_STACKS_HEAP ? "s.size" : "max(s.size, 0)");
    if (c->has_to)
        orma_buf_printf(&sql, " AND s.ts < %" PRId64, c->to_ns);
    if (orma_stacks_is_given(c->processes))
        orma_buf_printf(&sql, " AND s.upid IN (SELECT upid FROM process WHERE 1%s)", c->processes);
    orma_buf_put_str(&sql, " GROUP BY 1, 2 ORDER BY 1, 2");
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, orma_buf_cstr(&sql));
    while (orma_stacks_rows_next(&rows)) {
        int64_t bytes = orma_query_int64(rows.q, 2);

        l->self->samples += (uint64_t)orma_query_int64(rows.q, 3);
        if (bytes > 0)
            orma_stacks_add_weight(l, orma_stacks_site_node(l, orma_query_int64(rows.q, 0)),
                                   orma_stacks_rows_is_null(&rows, 1) ? -1
                                                                      : orma_query_int64(rows.q, 1),
                                   (uint64_t)bytes);
    }
}
