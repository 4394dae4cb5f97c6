/*
 *   frames ─► the functions of each (several, where calls were compiled in)
 *   callsites, by id: a parent comes first ─► node: the parent's node, and below it each function
 *   samples, by callsite and thread ─► weights
 *
 * Ids of these tables count up from 0 without gaps: a row's place is its id. A trace may be
 * hostile all the same, so parents that come later are roots.
 */
#include "processor/stacks/stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "processor/stacks/loader.h"
#include "sdk/base/map.h"

/* ---- what belongs to it ---- */

static void name_threads(struct orma_stacks_loader *l)
{
    struct orma_stacks *self = l->self;
    struct orma_map pids = {0};
    struct orma_stacks_rows rows =
        orma_stacks_rows_of(l, "SELECT t.utid, t.tid, p.pid, t.name, p.name FROM thread t "
                               "LEFT JOIN process p USING (upid)");

    while (orma_stacks_rows_next(&rows)) {
        uint64_t at = orma_map_get(&l->by_utid, (uint64_t)orma_query_int64(rows.q, 0) + 1);

        if (at == ORMA_MAP_NONE)
            continue;
        uint32_t name = orma_stacks_keep_text(l, orma_stacks_rows_text(&rows, 3)),
                 process = orma_stacks_keep_text(l, orma_stacks_rows_text(&rows, 4));
        struct orma_stacks_thread *t = &orma_stacks_threads(self)[at];
        t->tid = orma_query_int64(rows.q, 1);
        t->pid = orma_stacks_rows_is_null(&rows, 2) ? t->tid : orma_query_int64(rows.q, 2);
        t->name = name;
        t->process = process;
        (void)orma_map_put(&pids, (uint64_t)t->pid, 1); /* no memory: fewer are counted */
    }
    self->processes = pids.len;
    orma_map_fini(&pids);
}

/* What the chosen samples count, if that is not time. */
static bool load_event(struct orma_stacks_loader *l)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};

    orma_buf_put_str(&sql, "SELECT t.name FROM (SELECT DISTINCT s.session_id AS id FROM "
                           "__intrinsic_profiler_sample s LEFT JOIN __intrinsic_profiler_session n "
                           "ON n.id = s.session_id WHERE n.timebase_unit != 'ns'");
    orma_stacks_put_event(l, &sql);
    orma_buf_put_str(&sql, ") x JOIN perf_counter_track t ON t.perf_session_id = x.id WHERE "
                           "t.is_timebase ORDER BY t.id LIMIT 1");
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, orma_buf_cstr(&sql));
    while (orma_stacks_rows_next(&rows))
        l->self->event = orma_stacks_keep_text(l, orma_stacks_rows_text(&rows, 0));
    return l->self->event;
}

/* Why there is no time. */
static void load_taken_by(struct orma_stacks_loader *l)
{
    struct orma_stacks_rows rows = orma_stacks_rows_of(
        l, "SELECT group_concat(name, ', ') FROM (SELECT DISTINCT name FROM perf_counter_track "
           "WHERE is_timebase AND name IS NOT NULL ORDER BY name)");

    while (orma_stacks_rows_next(&rows))
        l->self->taken_by = orma_stacks_keep_text(l, orma_stacks_rows_text(&rows, 0));
}

static void load_period(struct orma_stacks_loader *l)
{
    struct orma_stacks_rows rows =
        orma_stacks_rows_of(l, "SELECT period_ns FROM _orma_sample_period");

    while (orma_stacks_rows_next(&rows))
        l->self->period_ns = (uint64_t)orma_query_int64(rows.q, 0);
    if (load_event(l))
        l->self->period_ns = 0;
    if (l->self->timed)
        l->self->period_ns = 1;
    if (!l->self->period_ns && !l->self->event)
        load_taken_by(l);
}

/* ---- CPU time that was counted ---- */

#define COUNTED_BY_THREAD                                                                          \
    "(SELECT utid, sum(cpu_time) AS ns FROM __intrinsic_profiler_cpu_time WHERE utid IS NOT NULL " \
    "GROUP BY utid)"

/* Beside the samples of a thread, what it used. */
static void load_counted_threads(struct orma_stacks_loader *l)
{
    struct orma_stacks_rows rows =
        orma_stacks_rows_of(l, "SELECT utid, ns FROM " COUNTED_BY_THREAD);

    while (orma_stacks_rows_next(&rows)) {
        uint64_t at = orma_map_get(&l->by_utid, (uint64_t)orma_query_int64(rows.q, 0) + 1);

        if (at != ORMA_MAP_NONE)
            orma_stacks_threads(l->self)[at].counted_ns = (uint64_t)orma_query_int64(rows.q, 1);
    }
}

/* Threads that ended without a sample, by the names of their processes. */
static void load_unseen(struct orma_stacks_loader *l)
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
    orma_stacks_put_who(&sql, l->choice);
    orma_buf_put_str(&sql, " GROUP BY 1 ORDER BY 3 DESC, 1");
    struct orma_stacks_rows rows = orma_stacks_rows_of(l, orma_buf_cstr(&sql));
    while (orma_stacks_rows_next(&rows)) {
        const struct orma_stacks_unseen row = {
            orma_stacks_keep_text(l, orma_stacks_rows_text(&rows, 0)),
            (uint64_t)orma_query_int64(rows.q, 1), (uint64_t)orma_query_int64(rows.q, 2)};

        orma_buf_put(&counted->unseen_names, &row, sizeof(row));
        counted->unseen += row.num;
        counted->unseen_ns += row.ns;
        counted->short_num += (uint64_t)orma_query_int64(rows.q, 3);
    }
    if (counted->unseen_names.failed)
        l->err = -ENOMEM;
}

/* Of an interval, nobody counted. */
static void load_counted(struct orma_stacks_loader *l)
{
    const struct orma_stacks_choice *c = l->choice;

    if (c->has_from || c->has_to || orma_stacks_is_given(c->slices) || !l->self->period_ns)
        return;
    load_counted_threads(l);
    load_unseen(l);
    if (!orma_stacks_is_of_all(c))
        return;
    struct orma_stacks_rows rows = orma_stacks_rows_of(
        l,
        "SELECT coalesce(sum(cpu_time), 0) FROM __intrinsic_profiler_cpu_time WHERE utid IS NULL");
    while (orma_stacks_rows_next(&rows))
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
    return self->kind == ORMA_STACKS_OFF_CPU && orma_stacks_is_of_system(self, function);
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
static void sum_up(struct orma_stacks_loader *l)
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
static void sum_functions(struct orma_stacks_loader *l)
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
    struct orma_stacks_loader l = {
        .self = self, .tp = tp, .choice = choice, .nodes_max = ORMA_STACKS_NODES_FREE};

    *self = (struct orma_stacks){.kind = choice->kind};
    orma_buf_put_byte(&self->texts, 0);
    orma_stacks_load_frames(&l);
    orma_stacks_load_tree(&l);
    if (choice->kind == ORMA_STACKS_SAMPLES) {
        orma_stacks_load_samples(&l);
        orma_stacks_load_sums(&l);
    } else if (choice->kind == ORMA_STACKS_OFF_CPU) {
        orma_stacks_load_waits(&l);
    } else if (choice->kind == ORMA_STACKS_WAKERS) {
        orma_stacks_load_ended_waits(&l);
    } else {
        orma_stacks_load_heap(&l);
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
