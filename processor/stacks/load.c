/*
 *   frames ─► the functions of each (several, where calls were compiled in)
 *   callsites, by id: a parent comes first ─► node: the parent's node, and below it each function
 *   samples, by callsite and thread ─► weights
 *
 * Ids of these tables count up from 0 without gaps: a row's place is its id. A trace may be
 * hostile all the same, so parents that come later are roots.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/dialect/quote.h"
#include "processor/stacks/stacks.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"

#define FRAMES                                                                                     \
    "SELECT frame_id, name, coalesce(nullif(module, '[collapsed_stack]'), ''), inlined FROM "      \
    "orma_frame_function "                                                                         \
    "ORDER BY frame_id, nr"
#define CALLSITES "SELECT parent_id, frame_id FROM stack_profile_callsite ORDER BY id"
#define NODES_MAX (16u << 20)
/* What is compiled in multiplies the call sites of a trace, by a few; a file may claim that each
 * frame is thousands of calls, and is small itself. */
#define NODES_FREE (1u << 20)
#define NODES_PER_SITE 16u

struct frame {
    uint32_t first, num; /* in `frame_functions`, the innermost first */
};

struct loader {
    struct orma_stacks *self;
    struct orma_processor *tp;
    const struct orma_stacks_choice *choice;
    struct orma_map names, by_key, by_child, by_utid;
    struct orma_buf frames, frame_functions, site_nodes;
    uint64_t nodes_max;
    int err;
};

/* ---- rows ---- */

struct rows {
    struct loader *l;
    struct orma_query *q;
};

static struct rows rows_of(struct loader *l, const char *sql)
{
    struct rows ret = {.l = l};

    if (l->err == 0) {
        int r = orma_query_prepare(l->tp, sql, SIZE_MAX, &ret.q, NULL);

        l->err = r < 0 ? r : 0;
    }
    return ret;
}

static bool next(struct rows *rows)
{
    int r = rows->q && rows->l->err == 0 ? orma_query_step(rows->q) : 0;

    if (r == 1)
        return true;
    if (r < 0)
        rows->l->err = r;
    orma_query_free(rows->q);
    rows->q = NULL;
    return false;
}

static bool is_null(const struct rows *rows, unsigned col)
{
    return orma_query_type(rows->q, col) == ORMA_VALUE_NULL;
}

static const char *text(const struct rows *rows, unsigned col)
{
    const char *ret = is_null(rows, col) ? NULL : orma_query_text(rows->q, col);

    return ret ? ret : "";
}

/* ---- functions ---- */

static uint32_t keep_text(struct loader *l, const char *s)
{
    struct orma_buf *texts = &l->self->texts;
    size_t len = strlen(s);
    uint64_t hash = orma_mix64(orma_fnv1a(ORMA_FNV1A_BASIS, s, len) ^ len);
    uint64_t known = len ? orma_map_get(&l->names, hash) : 0;

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    uint32_t at = (uint32_t)texts->len;
    orma_buf_put(texts, s, len + 1);
    if (texts->failed || texts->len > UINT32_MAX || orma_map_put(&l->names, hash, at) < 0) {
        l->err = -ENOMEM;
        return 0;
    }
    return at;
}

static uint32_t function_of(struct loader *l, uint32_t name, uint32_t module, bool inlined)
{
    uint64_t key = (uint64_t)module << 32 | name, known = orma_map_get(&l->by_key, key);
    struct orma_stacks_function f = {.name = name, .module = module};

    if (known == ORMA_MAP_NONE) {
        known = orma_stacks_functions_num(l->self);
        orma_buf_put(&l->self->functions, &f, sizeof(f));
        if (l->self->functions.failed || orma_map_put(&l->by_key, key, known) < 0) {
            l->err = -ENOMEM;
            return 0;
        }
    }
    orma_stacks_functions(l->self)[known].inlined |= inlined;
    return (uint32_t)known;
}

static void put_function(struct loader *l, uint32_t name, uint32_t module, bool inlined)
{
    uint32_t function = function_of(l, name, module, inlined);

    orma_buf_put(&l->frame_functions, &function, sizeof(function));
    ((struct frame *)(void *)(l->frames.data + l->frames.len))[-1].num++;
}

static void include(struct loader *l, const char *module)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};

    orma_buf_printf(&sql, "INCLUDE PERFETTO MODULE %s", module);
    struct rows rows = rows_of(l, orma_buf_cstr(&sql));
    while (next(&rows))
        ;
}

static void load_frames(struct loader *l)
{
    int64_t last = -1;

    include(l, "orma.frames");
    struct rows rows = rows_of(l, FRAMES);
    while (next(&rows)) {
        int64_t id = orma_query_int64(rows.q, 0);

        for (; last < id && !l->frames.failed; last++) {
            const struct frame frame = {.first =
                                            (uint32_t)(l->frame_functions.len / sizeof(uint32_t))};

            orma_buf_put(&l->frames, &frame, sizeof(frame));
        }
        if (l->frames.failed)
            break;
        uint32_t name = keep_text(l, text(&rows, 1)), module = keep_text(l, text(&rows, 2));
        put_function(l, name, module, orma_query_int64(rows.q, 3));
    }
    if (l->frames.failed || l->frame_functions.failed)
        l->err = -ENOMEM;
    orma_query_free(rows.q);
}

/* ---- the tree ---- */

static uint32_t child_of(struct loader *l, uint32_t parent, uint32_t function)
{
    uint64_t key = (uint64_t)parent << 32 | function, known = orma_map_get(&l->by_child, key);
    struct orma_buf *nodes = &l->self->nodes;

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    uint32_t at = (uint32_t)orma_stacks_nodes_num(l->self);
    const struct orma_stacks_node node = {
        .parent = parent,
        .function = function,
        .first_child = ORMA_STACKS_NONE,
        .next = parent == ORMA_STACKS_NONE ? ORMA_STACKS_NONE
                                           : orma_stacks_nodes(l->self)[parent].first_child};
    orma_buf_put(nodes, &node, sizeof(node));
    if (at >= l->nodes_max) {
        l->self->why = at >= NODES_MAX
                           ? "the stacks have more than 16777216 different calls, which is the "
                             "limit; choose threads, processes or a time"
                           : "the stacks have more than 16 calls for each of their frames, and "
                             "1048576 in all, which is the limit: the functions that the file "
                             "says were compiled into others make no sense";
        l->err = -E2BIG;
        return 0;
    }
    if (nodes->failed || orma_map_put(&l->by_child, key, at) < 0) {
        l->err = -ENOMEM;
        return 0;
    }
    if (parent != ORMA_STACKS_NONE)
        orma_stacks_nodes(l->self)[parent].first_child = at;
    return at;
}

static uint32_t site_node(const struct loader *l, int64_t site)
{
    uint32_t ret = 0;

    if (site >= 0 && (uint64_t)site < l->site_nodes.len / sizeof(ret))
        memcpy(&ret, l->site_nodes.data + (size_t)site * sizeof(ret), sizeof(ret));
    return ret;
}

static void load_tree(struct loader *l)
{
    struct rows sites = rows_of(l, "SELECT count(*) FROM stack_profile_callsite");

    while (next(&sites))
        l->nodes_max =
            ORMA_MIN(ORMA_MAX((uint64_t)orma_query_int64(sites.q, 0) * NODES_PER_SITE, NODES_FREE),
                     NODES_MAX);
    struct rows rows = rows_of(l, CALLSITES);
    (void)child_of(l, ORMA_STACKS_NONE, ORMA_STACKS_NONE); /* the root */
    while (next(&rows)) {
        const struct frame *frames = (const void *)l->frames.data;
        const uint32_t *functions = (const void *)l->frame_functions.data;
        int64_t parent = is_null(&rows, 0) ? -1 : orma_query_int64(rows.q, 0);
        int64_t frame = is_null(&rows, 1) ? -1 : orma_query_int64(rows.q, 1);
        uint32_t node = site_node(l, parent);

        if (frame >= 0 && (uint64_t)frame < l->frames.len / sizeof(*frames)) {
            for (uint32_t i = frames[frame].num; i-- > 0 && l->err == 0;)
                node = child_of(l, node, functions[frames[frame].first + i]);
        }
        orma_buf_put(&l->site_nodes, &node, sizeof(node));
    }
    if (l->site_nodes.failed)
        l->err = -ENOMEM;
    l->nodes_max = NODES_MAX; /* of stacks behind stacks */
}

/* ---- which samples ---- */

static bool is_given(const char *condition)
{
    return condition && *condition;
}

static void put_who(struct orma_buf *sql, const struct orma_stacks_choice *c)
{
    if (is_given(c->threads))
        orma_buf_printf(sql, " AND t.utid IN (SELECT utid FROM thread WHERE 1%s)", c->threads);
    if (is_given(c->processes))
        orma_buf_printf(sql, " AND p.upid IN (SELECT upid FROM process WHERE 1%s)", c->processes);
}

/* Of all threads and processes? */
static bool is_of_all(const struct orma_stacks_choice *c)
{
    return !is_given(c->threads) && !is_given(c->processes);
}

static void put_choice(struct orma_buf *sql, const struct orma_stacks_choice *c)
{
    if (c->has_from)
        orma_buf_printf(sql, " AND s.ts >= %" PRId64, c->from_ns);
    if (c->has_to)
        orma_buf_printf(sql, " AND s.ts < %" PRId64, c->to_ns);
    put_who(sql, c);
}

#define FROM_SAMPLES                                                                               \
    "FROM __intrinsic_profiler_sample s "                                                          \
    "LEFT JOIN __intrinsic_profiler_task_context k ON k.id = s.task_context_id "                   \
    "LEFT JOIN thread t ON t.utid = k.utid "                                                       \
    "LEFT JOIN process p ON p.upid = coalesce(t.upid, k.upid) "                                    \
    "LEFT JOIN __intrinsic_profiler_session n ON n.id = s.session_id "

/* Samples of time, if there are any; else those of the first event. */
static void put_event(struct loader *l, struct orma_buf *sql)
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
    struct rows rows = rows_of(l, "SELECT n.id, coalesce(n.timebase_unit, 'ns') FROM "
                                  "__intrinsic_profiler_session n WHERE n.id IN (SELECT session_id "
                                  "FROM __intrinsic_profiler_sample) ORDER BY n.id");
    while (next(&rows)) {
        if (first < 0)
            first = orma_query_int64(rows.q, 0);
        has_time |= !strcmp(text(&rows, 1), "ns");
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
static void load_intervals(struct loader *l, struct orma_buf *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct thread_interval open = {.utid = -1};

    include(l, "orma.durations");
    orma_buf_put_str(&sql, "INCLUDE PERFETTO MODULE orma.durations; "
                           "SELECT tt.utid, s.ts, coalesce(o.end_ts, s.ts + s.dur) FROM slice s "
                           "JOIN thread_track tt ON tt.id = s.track_id "
                           "LEFT JOIN orma_open_slice o ON o.id = s.id "
                           "WHERE (s.dur >= 0 OR o.end_ts IS NOT NULL)");
    orma_buf_printf(&sql, " AND s.id IN (SELECT id FROM slice WHERE 1%s)", l->choice->slices);
    orma_buf_put_str(&sql, " ORDER BY 1, 2");
    struct rows rows = rows_of(l, orma_buf_cstr(&sql));
    while (next(&rows)) {
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

static uint32_t thread_of(struct loader *l, int64_t utid)
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

static void add(struct loader *l, uint32_t node, int64_t utid, uint64_t weight)
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

/* Stacks with an error are cut, as one of their frames says, or go on as the one before did. */
static void add_errors(struct loader *l, int64_t site, uint64_t errors)
{
    struct orma_stacks *self = l->self;
    const struct orma_stacks_node *n = orma_stacks_nodes(self);
    uint32_t node = site < 0 || l->err ? 0 : site_node(l, site);

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

static void load_samples(struct loader *l)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf event = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf intervals = {0};
    struct orma_stacks *self = l->self;
    bool inside = is_given(l->choice->slices);

    if (inside)
        load_intervals(l, &intervals);
    put_event(l, &event);
    orma_buf_put_str(&sql, "SELECT s.callsite_id, coalesce(k.utid, -1), count(*), min(s.ts), "
                           "max(s.ts), sum(s.unwind_error IS NOT NULL), "
                           "sum(coalesce(w.weight, 1)) " FROM_SAMPLES
                           "LEFT JOIN _orma_sample_weight w ON w.id = s.id WHERE 1");
    put_choice(&sql, l->choice);
    orma_buf_put_str(&sql, orma_buf_cstr(&event));
    orma_buf_put_str(&sql,
                     inside ? " GROUP BY s.id ORDER BY s.id" : " GROUP BY 1, 2 ORDER BY 1, 2");
    struct rows rows = rows_of(l, orma_buf_cstr(&sql));
    while (next(&rows)) {
        int64_t utid = orma_query_int64(rows.q, 1), from = orma_query_int64(rows.q, 3);
        uint64_t num = (uint64_t)orma_query_int64(rows.q, 2);

        if (inside && !is_inside(&intervals, utid, from))
            continue;
        int64_t to = orma_query_int64(rows.q, 4);
        self->first_ns = self->samples && self->first_ns < from ? self->first_ns : from;
        self->last_ns = self->samples && self->last_ns > to ? self->last_ns : to;
        self->samples += num;
        add_errors(l, is_null(&rows, 0) ? -1 : orma_query_int64(rows.q, 0),
                   (uint64_t)orma_query_int64(rows.q, 5));
        if (is_null(&rows, 0))
            self->without_stack += num;
        else
            add(l, site_node(l, orma_query_int64(rows.q, 0)), utid,
                (uint64_t)orma_query_int64(rows.q, 6));
    }
}

static uint32_t child_named(struct loader *l, uint32_t node, const char *name)
{
    uint32_t at = keep_text(l, name);

    return l->err ? 0 : child_of(l, node, function_of(l, at, 0, false));
}

/* The call site of a row; those without a stack are under a function of our own, as their time
 * counts. */
static uint32_t wait_node(struct loader *l, const struct rows *rows, unsigned col)
{
    return is_null(rows, col) ? child_named(l, 0, "[no stack]")
                              : site_node(l, orma_query_int64(rows->q, col));
}

/* Samples with the counter of that name. */
static void put_waits(struct orma_buf *sql, const char *columns, const char *counter)
{
    orma_buf_printf(sql,
                    "SELECT %s " FROM_SAMPLES
                    "JOIN __intrinsic_profiler_counter_set cs USING (counter_set_id) "
                    "JOIN __intrinsic_counter c ON c.id = cs.counter_id "
                    "JOIN __intrinsic_track y ON y.id = c.track_id "
                    "WHERE s.source = 'off_cpu' AND y.name = '%s'",
                    columns, counter);
}

static void load_waits(struct loader *l)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_stacks *self = l->self;

    put_waits(&sql,
              "s.callsite_id, coalesce(k.utid, -1), sum(c.value), count(*), "
              "sum(s.unwind_error IS NOT NULL)",
              "off_cpu_time");
    put_choice(&sql, l->choice);
    orma_buf_put_str(&sql, " GROUP BY 1, 2 ORDER BY 1, 2");
    struct rows rows = rows_of(l, orma_buf_cstr(&sql));
    while (next(&rows)) {
        uint64_t weight = (uint64_t)orma_query_double(rows.q, 2);
        int64_t utid = orma_query_int64(rows.q, 1);

        self->samples += (uint64_t)orma_query_int64(rows.q, 3);
        add_errors(l, is_null(&rows, 0) ? -1 : orma_query_int64(rows.q, 0),
                   (uint64_t)orma_query_int64(rows.q, 4));
        if (is_null(&rows, 0))
            self->without_stack += (uint64_t)orma_query_int64(rows.q, 3);
        add(l, wait_node(l, &rows, 0), utid, weight);
    }
    self->period_ns = 1;
}

/* ---- who ended waits ---- */

struct waker {
    int64_t woken, ts;
    uint32_t node, thread; /* thread: its name, in `texts`; 0: an interrupt */
};

/* By the thread that was woken, and time. */
static void load_wakers(struct loader *l, struct orma_buf *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};

    put_waits(&sql, "CAST(c.value AS INT), s.ts, s.callsite_id, t.utid, t.name, t.tid",
              "woken_thread");
    orma_buf_put_str(&sql, " ORDER BY 1, 2");
    struct rows rows = rows_of(l, orma_buf_cstr(&sql));
    while (next(&rows)) {
        struct waker w = {orma_query_int64(rows.q, 0), orma_query_int64(rows.q, 1)};
        char tid[24];

        if (!is_null(&rows, 2))
            w.node = site_node(l, orma_query_int64(rows.q, 2));
        if (!is_null(&rows, 3)) {
            snprintf(tid, sizeof(tid), "%" PRId64, orma_query_int64(rows.q, 5));
            w.thread = keep_text(l, *text(&rows, 4) ? text(&rows, 4) : tid);
        }
        orma_buf_put(ret, &w, sizeof(w));
    }
    if (ret->failed)
        l->err = -ENOMEM;
}

static const struct waker *find_waker(const struct orma_buf *wakers, int64_t tid, int64_t from,
                                      int64_t to)
{
    const struct waker *all = (const void *)wakers->data;
    size_t num = wakers->len / sizeof(*all), lo = 0, hi = num;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (all[mid].woken < tid || (all[mid].woken == tid && all[mid].ts < from))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < num && all[lo].woken == tid && all[lo].ts <= to ? &all[lo] : NULL;
}

/* Is it of the kernel, or of the C library? */
static bool is_of_system(const struct orma_stacks *self,
                         const struct orma_stacks_function *function)
{
    static const char *const system[] = {"kernel", "libc.", "libc-", "libpthread", "ld-", "[vdso]"};
    const char *module = orma_stacks_text(self, function->module);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(system); i++)
        if (!strncmp(module, system[i], strlen(system[i])))
            return true;
    return !*module;
}

/* The innermost function of the program itself: not of the kernel, nor of the C library. */
static const char *own_function(const struct loader *l, uint32_t node)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(l->self);
    const struct orma_stacks_function *f = orma_stacks_functions(l->self);
    uint32_t own = node;

    while (own && is_of_system(l->self, &f[n[own].function]))
        own = n[own].parent;
    own = own ? own : node;
    return own ? orma_stacks_text(l->self, f[n[own].function].name) : "";
}

/* "blocked  woken by main in server" */
static void add_pair(struct loader *l, struct orma_map *known, uint32_t node, uint32_t waker,
                     const char *by, uint64_t weight)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf words = {0};
    struct orma_stacks_pair pair = {.weight = weight};

    orma_buf_printf(&words, "%s  woken by %s", own_function(l, node),
                    waker ? own_function(l, waker) : by);
    if (waker)
        orma_buf_printf(&words, " in %s", by);
    pair.text = keep_text(l, orma_buf_cstr(&words));
    uint64_t at = orma_map_get(known, pair.text);
    if (at != ORMA_MAP_NONE) {
        ((struct orma_stacks_pair *)(void *)l->self->pairs.data)[at].weight += weight;
        return;
    }
    at = l->self->pairs.len / sizeof(pair);
    orma_buf_put(&l->self->pairs, &pair, sizeof(pair));
    if (l->self->pairs.failed || orma_map_put(known, pair.text, at) < 0)
        l->err = -ENOMEM;
}

/* Behind the stack of the wait that of its end, from where it woke the thread up to its root. */
static void add_ended_wait(struct loader *l, struct orma_map *pairs, uint32_t node, int64_t utid,
                           const struct waker *w, uint64_t weight)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf marker = {0};
    const char *by = !w           ? "others: a timer, a device, another process"
                     : !w->thread ? "an interrupt: a timer, a device"
                                  : orma_stacks_text(l->self, w->thread);

    orma_buf_printf(&marker, ORMA_STACKS_WOKEN "%s]", by);
    add_pair(l, pairs, node, w ? w->node : 0, by, weight); /* may move the texts */
    uint32_t at = child_named(l, node, orma_buf_cstr(&marker));
    for (uint32_t up = w ? w->node : 0; up && !l->err; up = orma_stacks_nodes(l->self)[up].parent)
        at = child_of(l, at, orma_stacks_nodes(l->self)[up].function);
    add(l, at, utid, weight);
}

static void load_ended_waits(struct loader *l)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf wakers = {0};
    struct orma_map pairs = {0};

    load_wakers(l, &wakers);
    if (!wakers.len)
        return; /* nobody was seen, so there is nothing to say */
    put_waits(
        &sql,
        "s.callsite_id, coalesce(k.utid, -1), c.value, s.ts, t.tid, s.unwind_error IS NOT NULL",
        "off_cpu_time");
    put_choice(&sql, l->choice);
    orma_buf_put_str(&sql, " ORDER BY s.id");
    struct rows rows = rows_of(l, orma_buf_cstr(&sql));
    while (next(&rows)) {
        int64_t away = (int64_t)orma_query_double(rows.q, 2), ts = orma_query_int64(rows.q, 3);
        int64_t end;

        if (__builtin_add_overflow(ts, away, &end))
            end = INT64_MAX;
        l->self->samples++;
        l->self->cut += (uint64_t)orma_query_int64(rows.q, 5);
        l->self->without_stack += is_null(&rows, 0);
        add_ended_wait(l, &pairs, wait_node(l, &rows, 0), orma_query_int64(rows.q, 1),
                       find_waker(&wakers, orma_query_int64(rows.q, 4), ts, end), (uint64_t)away);
    }
    orma_map_fini(&pairs);
    l->self->period_ns = 1;
}

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
static int64_t choose_sums(struct loader *l)
{
    int64_t chosen = -1;
    uint64_t ns = 0;
    struct rows rows =
        rows_of(l, "SELECT id, sample_type_type, coalesce(sample_type_unit, '') FROM "
                   "__intrinsic_aggregate_profile ORDER BY id");

    while (next(&rows)) {
        uint64_t unit = unit_ns(text(&rows, 2));
        bool wanted = l->choice->event ? !strcmp(l->choice->event, text(&rows, 1))
                                       : chosen < 0 || (!ns && unit);

        if (!wanted || (chosen >= 0 && l->choice->event))
            continue;
        chosen = orma_query_int64(rows.q, 0);
        ns = unit;
        l->self->event =
            unit || !strcmp(text(&rows, 1), "samples") ? 0 : keep_text(l, text(&rows, 1));
    }
    l->self->period_ns = ns;
    return chosen;
}

/* Files that have nothing but sums of stacks. */
static void load_sums(struct loader *l)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    const struct orma_stacks_choice *c = l->choice;
    bool of_all = !c->has_from && !c->has_to && is_of_all(c) && !is_given(c->slices);
    int64_t profile = l->self->samples || !of_all ? -1 : choose_sums(l);

    if (profile < 0)
        return;
    l->self->sums = true;
    orma_buf_printf(&sql,
                    "SELECT callsite_id, sum(value) FROM __intrinsic_aggregate_sample WHERE "
                    "callsite_id IS NOT NULL AND aggregate_profile_id = %" PRId64
                    " GROUP BY 1 ORDER BY 1",
                    profile);
    struct rows rows = rows_of(l, orma_buf_cstr(&sql));
    while (next(&rows)) {
        double value = orma_query_double(rows.q, 1);

        if (!(value >= 0.5 && value < 1e18)) {
            l->self->left_out += value != 0;
            continue;
        }
        l->self->samples++;
        l->self->rounded += value != floor(value);
        add(l, site_node(l, orma_query_int64(rows.q, 0)), -1, (uint64_t)llround(value));
    }
}

static void load_heap(struct loader *l)
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
    if (is_given(c->processes))
        orma_buf_printf(&sql, " AND s.upid IN (SELECT upid FROM process WHERE 1%s)", c->processes);
    orma_buf_put_str(&sql, " GROUP BY 1, 2 ORDER BY 1, 2");
    struct rows rows = rows_of(l, orma_buf_cstr(&sql));
    while (next(&rows)) {
        int64_t bytes = orma_query_int64(rows.q, 2);

        l->self->samples += (uint64_t)orma_query_int64(rows.q, 3);
        if (bytes > 0)
            add(l, site_node(l, orma_query_int64(rows.q, 0)),
                is_null(&rows, 1) ? -1 : orma_query_int64(rows.q, 1), (uint64_t)bytes);
    }
}

/* ---- what belongs to it ---- */

static void name_threads(struct loader *l)
{
    struct orma_stacks *self = l->self;
    struct orma_map pids = {0};
    struct rows rows = rows_of(l, "SELECT t.utid, t.tid, p.pid, t.name, p.name FROM thread t "
                                  "LEFT JOIN process p USING (upid)");

    while (next(&rows)) {
        uint64_t at = orma_map_get(&l->by_utid, (uint64_t)orma_query_int64(rows.q, 0) + 1);

        if (at == ORMA_MAP_NONE)
            continue;
        uint32_t name = keep_text(l, text(&rows, 3)), process = keep_text(l, text(&rows, 4));
        struct orma_stacks_thread *t = &orma_stacks_threads(self)[at];
        t->tid = orma_query_int64(rows.q, 1);
        t->pid = is_null(&rows, 2) ? t->tid : orma_query_int64(rows.q, 2);
        t->name = name;
        t->process = process;
        (void)orma_map_put(&pids, (uint64_t)t->pid, 1); /* no memory: fewer are counted */
    }
    self->processes = pids.len;
    orma_map_fini(&pids);
}

/* What the chosen samples count, if that is not time. */
static bool load_event(struct loader *l)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};

    orma_buf_put_str(&sql, "SELECT t.name FROM (SELECT DISTINCT s.session_id AS id FROM "
                           "__intrinsic_profiler_sample s LEFT JOIN __intrinsic_profiler_session n "
                           "ON n.id = s.session_id WHERE n.timebase_unit != 'ns'");
    put_event(l, &sql);
    orma_buf_put_str(&sql, ") x JOIN perf_counter_track t ON t.perf_session_id = x.id WHERE "
                           "t.is_timebase ORDER BY t.id LIMIT 1");
    struct rows rows = rows_of(l, orma_buf_cstr(&sql));
    while (next(&rows))
        l->self->event = keep_text(l, text(&rows, 0));
    return l->self->event;
}

static void load_period(struct loader *l)
{
    struct rows rows = rows_of(l, "SELECT period_ns FROM _orma_sample_period");

    while (next(&rows))
        l->self->period_ns = (uint64_t)orma_query_int64(rows.q, 0);
    if (load_event(l))
        l->self->period_ns = 0;
}

/* ---- CPU time that was counted ---- */

#define COUNTED_BY_THREAD                                                                          \
    "(SELECT utid, sum(cpu_time) AS ns FROM __intrinsic_profiler_cpu_time WHERE utid IS NOT NULL " \
    "GROUP BY utid)"

/* Beside the samples of a thread, what it used. */
static void load_counted_threads(struct loader *l)
{
    struct rows rows = rows_of(l, "SELECT utid, ns FROM " COUNTED_BY_THREAD);

    while (next(&rows)) {
        uint64_t at = orma_map_get(&l->by_utid, (uint64_t)orma_query_int64(rows.q, 0) + 1);

        if (at != ORMA_MAP_NONE)
            orma_stacks_threads(l->self)[at].counted_ns = (uint64_t)orma_query_int64(rows.q, 1);
    }
}

/* Threads that ended without a sample, by the names of their processes. */
static void load_unseen(struct loader *l)
{
    struct orma_stacks_counted *counted = &l->self->counted;
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};

    orma_buf_printf(&sql,
                    "SELECT coalesce(p.name, t.name, ''), count(*), sum(s.ns), "
                    "sum(s.ns < %" PRIu64 ") FROM " COUNTED_BY_THREAD " s "
                    "LEFT JOIN thread t USING (utid) LEFT JOIN process p USING (upid) "
                    "WHERE s.utid NOT IN (SELECT k.utid FROM __intrinsic_profiler_sample y JOIN "
                    "__intrinsic_profiler_task_context k ON k.id = y.task_context_id WHERE k.utid "
                    "IS NOT NULL)",
                    l->self->period_ns);
    put_who(&sql, l->choice);
    orma_buf_put_str(&sql, " GROUP BY 1 ORDER BY 3 DESC, 1");
    struct rows rows = rows_of(l, orma_buf_cstr(&sql));
    while (next(&rows)) {
        const struct orma_stacks_unseen row = {keep_text(l, text(&rows, 0)),
                                               (uint64_t)orma_query_int64(rows.q, 1),
                                               (uint64_t)orma_query_int64(rows.q, 2)};

        orma_buf_put(&counted->unseen_names, &row, sizeof(row));
        counted->unseen += row.num;
        counted->unseen_ns += row.ns;
        counted->short_num += (uint64_t)orma_query_int64(rows.q, 3);
    }
    if (counted->unseen_names.failed)
        l->err = -ENOMEM;
}

/* Of an interval, nobody counted. */
static void load_counted(struct loader *l)
{
    const struct orma_stacks_choice *c = l->choice;

    if (c->has_from || c->has_to || is_given(c->slices) || !l->self->period_ns)
        return;
    load_counted_threads(l);
    load_unseen(l);
    if (!is_of_all(c))
        return;
    struct rows rows = rows_of(
        l,
        "SELECT coalesce(sum(cpu_time), 0) FROM __intrinsic_profiler_cpu_time WHERE utid IS NULL");
    while (next(&rows))
        l->self->counted.ns = (uint64_t)orma_query_int64(rows.q, 0);
}

/* The address of a function is no name. */
static bool is_unnamed(const char *name)
{
    return !strcmp(name, "[unknown]") || !strncmp(name, "0x", 2);
}

/* Does a function do its work for whoever called it: allocate, or wait? */
static bool serves_its_caller(const struct orma_stacks *self,
                              const struct orma_stacks_function *function)
{
    if (orma_stacks_is_memory(self))
        return orma_stacks_is_allocator(orma_stacks_text(self, function->name));
    return self->kind == ORMA_STACKS_OFF_CPU && is_of_system(self, function);
}

/* The node whose function answers for what is here: whoever called the allocator, or the kernel to
 * wait. */
static uint32_t owner_of(const struct orma_stacks *self, uint32_t node)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(self);
    const struct orma_stacks_function *f = orma_stacks_functions(self);
    uint32_t owner = node;

    while (owner && serves_its_caller(self, &f[n[owner].function]))
        owner = n[owner].parent;
    return owner ? owner : node;
}

/* A parent comes before its children, so from the end each hands on what is complete. */
static void sum_up(struct loader *l)
{
    struct orma_stacks *self = l->self;
    struct orma_stacks_node *n = orma_stacks_nodes(self);
    struct orma_stacks_function *f = orma_stacks_functions(self);

    for (size_t i = orma_stacks_nodes_num(self); i-- > 1;) {
        n[i].total += n[i].self;
        n[n[i].parent].total += n[i].total;
        f[n[owner_of(self, (uint32_t)i)].function].self += n[i].self;
        if (is_unnamed(orma_stacks_text(self, f[n[i].function].name)))
            self->unnamed += n[i].self;
    }
    n[0].total += n[0].self;
}

/* What an interpreter runs stands in its place, or above it, as the program itself writes it down
 * with -X perf: "py::". */
static void find_without_python(struct orma_stacks *self)
{
    const struct orma_stacks_function *f = orma_stacks_functions(self);

    for (size_t i = 0; i < orma_stacks_functions_num(self); i++) {
        const char *name = orma_stacks_text(self, f[i].name);

        if (!strncmp(name, "py::", 4)) {
            self->without_python = 0;
            return;
        }
        if (!strcmp(name, "_PyEval_EvalFrameDefault"))
            self->without_python += f[i].total;
    }
}

/* Depth first, so that at each node it is known which functions are above it. */
static void sum_functions(struct loader *l)
{
    struct orma_stacks_node *n = orma_stacks_nodes(l->self);
    struct orma_stacks_function *f = orma_stacks_functions(l->self);
    uint32_t *above = calloc(orma_stacks_functions_num(l->self) + 1, sizeof(*above));
    uint32_t at = n[0].first_child;

    if (!above) {
        l->err = -ENOMEM;
        return;
    }
    while (at != ORMA_STACKS_NONE && at != 0) {
        if (!above[n[at].function]++)
            f[n[at].function].total += n[at].total;
        if (n[at].first_child != ORMA_STACKS_NONE) {
            at = n[at].first_child;
            continue;
        }
        while (at != 0) {
            above[n[at].function]--;
            if (n[at].next != ORMA_STACKS_NONE)
                break;
            at = n[at].parent;
        }
        at = at ? n[at].next : 0;
    }
    free(above);
}

static int by_thread(const void *a, const void *b)
{
    const struct orma_stacks_part *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* By thread; call sites that mean the same functions become one. */
static void join_parts(struct orma_stacks *self)
{
    struct orma_stacks_part *parts = ORMA_STACKS_ROWS(self, parts, orma_stacks_part);
    size_t num = ORMA_STACKS_NUM(self, parts, orma_stacks_part), to = 0;

    if (!num)
        return;
    qsort(parts, num, sizeof(*parts), by_thread);
    for (size_t i = 1; i < num; i++) {
        if (by_thread(&parts[i], &parts[to]) == 0)
            parts[to].weight += parts[i].weight;
        else
            parts[++to] = parts[i];
    }
    self->parts.len = (to + 1) * sizeof(*parts);
}

int orma_stacks_load(struct orma_stacks *self, struct orma_processor *tp,
                     const struct orma_stacks_choice *choice)
{
    struct loader l = {.self = self, .tp = tp, .choice = choice, .nodes_max = NODES_FREE};

    *self = (struct orma_stacks){.kind = choice->kind};
    orma_buf_put_byte(&self->texts, 0);
    load_frames(&l);
    load_tree(&l);
    if (choice->kind == ORMA_STACKS_SAMPLES) {
        load_samples(&l);
        load_sums(&l);
    } else if (choice->kind == ORMA_STACKS_OFF_CPU) {
        load_waits(&l);
    } else if (choice->kind == ORMA_STACKS_WAKERS) {
        load_ended_waits(&l);
    } else {
        load_heap(&l);
    }
    name_threads(&l);
    if (choice->kind == ORMA_STACKS_SAMPLES && !self->sums) {
        load_period(&l);
        load_counted(&l);
    }
    if (l.err == 0) {
        join_parts(self);
        sum_up(&l);
        sum_functions(&l);
        find_without_python(self);
    }
    orma_map_fini(&l.names);
    orma_map_fini(&l.by_key);
    orma_map_fini(&l.by_child);
    orma_map_fini(&l.by_utid);
    orma_buf_fini(&l.frames);
    orma_buf_fini(&l.frame_functions);
    orma_buf_fini(&l.site_nodes);
    if (l.err == 0 && !self->weight)
        l.err = -ENODATA;
    if (l.err == -ENOMEM)
        self->why = "out of memory";
    if (l.err)
        orma_stacks_fini(self);
    return l.err;
}

const char *orma_stacks_error(const struct orma_stacks *self, struct orma_processor *tp)
{
    return self->why ? self->why : orma_processor_error(tp);
}

void orma_stacks_fini(struct orma_stacks *self)
{
    orma_buf_fini(&self->texts);
    orma_buf_fini(&self->functions);
    orma_buf_fini(&self->nodes);
    orma_buf_fini(&self->threads);
    orma_buf_fini(&self->parts);
    orma_buf_fini(&self->pairs);
    orma_buf_fini(&self->counted.unseen_names);
}
