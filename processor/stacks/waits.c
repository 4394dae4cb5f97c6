/*
 * What threads waited for, and who ended it.
 */
#include "processor/stacks/loader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "processor/stacks/stacks.h"
#include "sdk/base/map.h"

/* The call site of a row; those without a stack are under a function of our own, as their time
 * counts. */
static uint32_t wait_node(struct orma_stacks_loader *l, const struct orma_stacks_rows *rows,
                          unsigned col)
{
    return orma_stacks_rows_is_null(rows, col)
               ? orma_stacks_child_named(l, 0, "[no stack]")
               : orma_stacks_site_node(l, orma_query_int64(rows->q, col));
}

/* Samples with the counter of that name. */
static void put_waits(struct orma_buf *sql, const char *columns, const char *counter)
{
    orma_buf_printf(sql,
                    "SELECT %s " ORMA_STACKS_FROM_SAMPLES
                    "JOIN __intrinsic_profiler_counter_set cs USING (counter_set_id) "
                    "JOIN __intrinsic_counter c ON c.id = cs.counter_id "
                    "JOIN __intrinsic_track y ON y.id = c.track_id "
                    "WHERE s.source = 'off_cpu' AND y.name = '%s'",
                    columns, counter);
}

void orma_stacks_load_waits(struct orma_stacks_loader *l)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_stacks *self = l->self;

    put_waits(&sql,
              "s.callsite_id, coalesce(k.utid, -1), sum(c.value), count(*), "
              "sum(s.unwind_error IS NOT NULL)",
              "off_cpu_time");
    orma_stacks_put_choice(&sql, l->choice);
    orma_buf_put_str(&sql, " GROUP BY 1, 2 ORDER BY 1, 2");
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, orma_buf_cstr(&sql));
    while (orma_stacks_rows_next(&rows)) {
        uint64_t weight = (uint64_t)orma_query_double(rows.q, 2);
        int64_t utid = orma_query_int64(rows.q, 1);

        self->samples += (uint64_t)orma_query_int64(rows.q, 3);
        orma_stacks_add_errors(
            l, orma_stacks_rows_is_null(&rows, 0) ? -1 : orma_query_int64(rows.q, 0),
            (uint64_t)orma_query_int64(rows.q, 4));
        if (orma_stacks_rows_is_null(&rows, 0))
            self->without_stack += (uint64_t)orma_query_int64(rows.q, 3);
        orma_stacks_add_weight(l, wait_node(l, &rows, 0), utid, weight);
    }
    self->period_ns = 1;
}

/* ---- who ended waits ---- */

struct waker {
    int64_t woken, ts;
    uint32_t node, thread; /* thread: its name, in `texts`; 0: an interrupt */
};

/* By the thread that was woken, and time. */
static void load_wakers(struct orma_stacks_loader *l, struct orma_buf *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};

    put_waits(&sql, "CAST(c.value AS INT), s.ts, s.callsite_id, t.utid, t.name, t.tid",
              "woken_thread");
    orma_buf_put_str(&sql, " ORDER BY 1, 2");
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, orma_buf_cstr(&sql));
    while (orma_stacks_rows_next(&rows)) {
        struct waker w = {orma_query_int64(rows.q, 0), orma_query_int64(rows.q, 1)};
        char tid[24];

        if (!orma_stacks_rows_is_null(&rows, 2))
            w.node = orma_stacks_site_node(l, orma_query_int64(rows.q, 2));
        if (!orma_stacks_rows_is_null(&rows, 3)) {
            snprintf(tid, sizeof(tid), "%" PRId64, orma_query_int64(rows.q, 5));
            w.thread = orma_stacks_keep_text(
                l, *orma_stacks_rows_text(&rows, 4) ? orma_stacks_rows_text(&rows, 4) : tid);
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

bool orma_stacks_is_of_system(const struct orma_stacks *self,
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
static const char *own_function(const struct orma_stacks_loader *l, uint32_t node)
{
    const struct orma_stacks_node *n = orma_stacks_nodes(l->self);
    const struct orma_stacks_function *f = orma_stacks_functions(l->self);
    uint32_t own = node;

    while (own && orma_stacks_is_of_system(l->self, &f[n[own].function]))
        own = n[own].parent;
    own = own ? own : node;
    return own ? orma_stacks_text(l->self, f[n[own].function].name) : "";
}

/* "blocked  woken by main in server" */
static void add_pair(struct orma_stacks_loader *l, struct orma_map *known, uint32_t node,
                     uint32_t waker, const char *by, uint64_t weight)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf words = {0};
    struct orma_stacks_pair pair = {.weight = weight};

    orma_buf_printf(&words, "%s  woken by %s", own_function(l, node),
                    waker ? own_function(l, waker) : by);
    if (waker)
        orma_buf_printf(&words, " in %s", by);
    pair.text = orma_stacks_keep_text(l, orma_buf_cstr(&words));
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
static void add_ended_wait(struct orma_stacks_loader *l, struct orma_map *pairs, uint32_t node,
                           int64_t utid, const struct waker *w, uint64_t weight)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf marker = {0};
    const char *by = !w           ? "others: a timer, a device, another process"
                     : !w->thread ? "an interrupt: a timer, a device"
                                  : orma_stacks_text(l->self, w->thread);

    orma_buf_printf(&marker, ORMA_STACKS_WOKEN "%s]", by);
    add_pair(l, pairs, node, w ? w->node : 0, by, weight); /* may move the texts */
    uint32_t at = orma_stacks_child_named(l, node, orma_buf_cstr(&marker));
    for (uint32_t up = w ? w->node : 0; up && !l->err; up = orma_stacks_nodes(l->self)[up].parent)
        at = orma_stacks_child_of(l, at, orma_stacks_nodes(l->self)[up].function);
    orma_stacks_add_weight(l, at, utid, weight);
}

void orma_stacks_load_ended_waits(struct orma_stacks_loader *l)
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
    orma_stacks_put_choice(&sql, l->choice);
    orma_buf_put_str(&sql, " ORDER BY s.id");
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, orma_buf_cstr(&sql));
    while (orma_stacks_rows_next(&rows)) {
        int64_t away = (int64_t)orma_query_double(rows.q, 2), ts = orma_query_int64(rows.q, 3);
        int64_t end;

        if (__builtin_add_overflow(ts, away, &end))
            end = INT64_MAX;
        l->self->samples++;
        l->self->cut += (uint64_t)orma_query_int64(rows.q, 5);
        l->self->without_stack += orma_stacks_rows_is_null(&rows, 0);
        add_ended_wait(l, &pairs, wait_node(l, &rows, 0), orma_query_int64(rows.q, 1),
                       find_waker(&wakers, orma_query_int64(rows.q, 4), ts, end), (uint64_t)away);
    }
    orma_map_fini(&pairs);
    l->self->period_ns = 1;
}
