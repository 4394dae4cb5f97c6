/*
 * Keys are those of clock.h with machine and file in them. What is asked for each packet is in the
 * view: which number the clock of the trace has there, so that most times need no look-up.
 */
#include "processor/read/timeline.h"

#include <stdlib.h>

#include "sdk/base/vec.h"

#define SNAPSHOT_CLOCKS_MAX 256
/* By which a wall clock is put right while a machine runs, at most; a restart takes longer. */
#define WALL_CLOCK_STEP_NS INT64_C(60000000000)

void orma_timeline_init(struct orma_timeline *self, const struct orma_timeline_hooks *hooks)
{
    *self = (struct orma_timeline){
        .hooks = *hooks, .trace_clock = ORMA_CLOCK_BOOTTIME, .owner = ORMA_TIMELINE_NOBODY};
}

void orma_timeline_fini(struct orma_timeline *self)
{
    for (uint32_t i = 0; i < self->views_num; i++)
        free(self->views[i]);
    free(self->views);
    orma_map_fini(&self->by_file);
    orma_clocks_fini(&self->clocks);
}

/* Clocks of the file alone. */
static bool is_of_file(uint64_t clock)
{
    return clock == ORMA_CLOCK_TRACE_FILE || orma_clock_is_private(orma_clock_id(clock));
}

uint64_t orma_timeline_key(const struct orma_clock_view *view, uint64_t clock)
{
    if (clock == ORMA_CLOCK_TRACE_FILE)
        return orma_clock_in(clock, view->base, view->file);
    return orma_clock_in(clock, view->machine, view->own || is_of_file(clock) ? view->file : 0);
}

/* Which number the clock of the trace has in the view. */
static void find_same(const struct orma_timeline *self, struct orma_clock_view *v)
{
    uint32_t id = self->claimed ? orma_clock_id(self->trace_clock) : ORMA_CLOCK_TRACE_FILE;
    bool same = !self->claimed ||
                (!orma_clock_is_private(id) && orma_timeline_key(v, id) == self->trace_clock);

    v->same_id = same ? id : 0;
    if (same && id == ORMA_CLOCK_TRACE_FILE && v->synced) /* it has a clock, the trace has none */
        same = false;
    v->default_id = v->primary                            ? v->primary
                    : same && id == ORMA_CLOCK_TRACE_FILE ? id
                                                          : ORMA_CLOCK_BOOTTIME;
}

/* The machine that a file begins with. */
static uint16_t base_of(const struct orma_timeline *self, uint32_t file, uint16_t machine)
{
    for (uint32_t i = self->views_num; i-- > 0 && self->views_num - i <= ORMA_MACHINES_MAX;)
        if (self->views[i]->file == file)
            return self->views[i]->base;
    return machine;
}

struct orma_clock_view *orma_timeline_view(struct orma_timeline *self, uint32_t file,
                                           uint16_t machine)
{
    uint64_t key = (uint64_t)file << 8 | machine;
    struct orma_clock_view *v = orma_map_get_ptr(&self->by_file, key);

    if (v)
        return v;
    v = calloc(1, sizeof(*v));
    if (!v || ORMA_GROW(&self->views, &self->views_cap, self->views_num + (size_t)1) ||
        orma_map_put_ptr(&self->by_file, key, v)) {
        self->failed = true;
        free(v);
        return NULL;
    }
    *v = (struct orma_clock_view){.file = file,
                                  .machine = machine,
                                  .base = base_of(self, file, machine),
                                  .source = ORMA_CLOCK_BOOTTIME,
                                  .first = !self->machine_seen[machine]};
    self->machine_seen[machine] = true;
    self->views[self->views_num++] = v;
    find_same(self, v);
    return v;
}

static void assume(struct orma_timeline *self, const struct orma_clock_view *view)
{
    if (self->hooks.assumed && view->file != self->owner)
        self->hooks.assumed(self->hooks.data, view->machine, view->source);
}

/* Times of other files were taken as they are, which this file's clock is now said to count. */
static void settle_earlier(struct orma_timeline *self, uint32_t file)
{
    for (uint32_t i = 0; self->used_plain && i < self->views_num; i++)
        if (self->views[i]->file != file) /* nobody owns it yet */
            assume(self, self->views[i]);
    self->used_plain = false;
}

bool orma_timeline_claim(struct orma_timeline *self, uint32_t file, uint64_t key)
{
    if (self->claimed && (self->owner != file || self->used))
        return false;
    settle_earlier(self, file);
    self->claimed = true;
    self->owner = file;
    self->trace_clock = key;
    self->epoch++;
    for (uint32_t i = 0; i < self->views_num; i++)
        find_same(self, self->views[i]);
    self->hooks.settled(self->hooks.data, orma_clock_id(key));
    return true;
}

void orma_timeline_tell(struct orma_timeline *self, struct orma_clock_view *view, uint32_t clock)
{
    view->primary = clock;
    find_same(self, view);
}

/* ---- ties ---- */

void orma_timeline_tie(struct orma_timeline *self, uint64_t a, int64_t a_ns, uint64_t b,
                       int64_t b_ns)
{
    const struct orma_clock_value v[] = {{a, a_ns, 1, false}, {b, b_ns, 1, false}};

    if (!orma_clocks_add(&self->clocks, v, 2, self->trace_clock)) {
        self->failed |= self->clocks.failed;
        return;
    }
    self->epoch++;
    self->hooks.tied(self->hooks.data, v, 2);
}

void orma_timeline_tie_evenly(struct orma_timeline *self, uint64_t a, const int64_t a_ns[2],
                              uint64_t b, const int64_t b_ns[2])
{
    const struct orma_clock_value v[] = {{a, 0, 1, false}, {b, 0, 1, false}};

    orma_timeline_tie(self, a, a_ns[0], b, b_ns[0]);
    orma_clocks_go_evenly(&self->clocks, v, 2);
    orma_timeline_tie(self, a, a_ns[1], b, b_ns[1]);
}

static bool is_wall_clock(uint64_t clock)
{
    return clock == ORMA_CLOCK_REALTIME || clock == ORMA_CLOCK_REALTIME_COARSE;
}

/* A file whose clocks are its own, on another machine than the trace's: the wall clock is still
 * that of the machine. */
static void tie_wall_clocks(struct orma_timeline *self, const struct orma_clock_view *view,
                            const struct orma_clock_value *values, uint32_t num)
{
    if (!view->own || view->machine == orma_clock_machine(self->trace_clock))
        return;
    for (uint32_t i = 0; i < num; i++)
        if (is_wall_clock(values[i].key))
            orma_timeline_tie(self, orma_timeline_key(view, values[i].key), values[i].raw,
                              orma_clock_in(values[i].key, view->machine, 0), values[i].raw);
}

/* From here on the clocks of the view are those of its file. */
static void part(struct orma_timeline *self, struct orma_clock_view *view)
{
    if (view->shared)
        self->hooks.mixed(self->hooks.data, view->machine, view->shared);
    view->own = true;
    view->connected = false;
    find_same(self, view);
}

bool orma_timeline_add(struct orma_timeline *self, struct orma_clock_view *view,
                       const struct orma_clock_value *values, uint32_t num)
{
    struct orma_clock_value v[SNAPSHOT_CLOCKS_MAX];

    if (num > SNAPSHOT_CLOCKS_MAX)
        return false;
    if (!view->first && !view->own)
        part(self, view);
    for (uint32_t i = 0; i < num; i++) {
        v[i] = values[i];
        v[i].key = orma_timeline_key(view, values[i].key);
    }
    /* A file whose clocks are its own is read as it would be alone: what its own time goes back to
     * is refused, and not taken for a clock that goes back. */
    const uint64_t told_by =
        view->own && view->primary ? orma_timeline_key(view, view->primary) : self->trace_clock;
    if (!orma_clocks_add(&self->clocks, v, num, told_by)) {
        self->failed |= self->clocks.failed;
        return false;
    }
    self->epoch++;
    tie_wall_clocks(self, view, values, num);
    return true;
}

/* ---- conversion ---- */

void orma_timeline_sync(struct orma_timeline *self, struct orma_clock_view *view)
{
    view->synced = true;
    find_same(self, view);
}

static bool related(struct orma_timeline *self, uint64_t a, uint64_t b)
{
    return a == b || orma_clocks_related(&self->clocks, a, b);
}

/* When the machine was started, by its wall clock. */
static bool start_of(struct orma_timeline *self, uint64_t boot, uint64_t wall, int64_t *ret)
{
    return related(self, boot, wall) &&
           orma_clocks_convert(&self->clocks, boot, 0, wall, ret, NULL) == ORMA_CLOCK_OK;
}

/* A later file of a machine is taken to be of the same time of BOOTTIME: tells if its wall clock
 * says that it cannot be, for BOOTTIME begins again with each start of a machine. */
static void look_at_start(struct orma_timeline *self, const struct orma_clock_view *view)
{
    int64_t first, later, diff;

    if (self->hooks.restarted && view->own &&
        start_of(self, orma_clock_in(ORMA_CLOCK_BOOTTIME, view->machine, 0),
                 orma_clock_in(ORMA_CLOCK_REALTIME, view->machine, 0), &first) &&
        start_of(self, orma_timeline_key(view, ORMA_CLOCK_BOOTTIME),
                 orma_timeline_key(view, ORMA_CLOCK_REALTIME), &later) &&
        !__builtin_sub_overflow(later, first, &diff) &&
        (diff > WALL_CLOCK_STEP_NS || diff < -WALL_CLOCK_STEP_NS))
        self->hooks.restarted(self->hooks.data, view->machine, diff);
}

/* Ties the source clock of a view to the clock of the trace, see timeline.h. */
static void connect(struct orma_timeline *self, struct orma_clock_view *view)
{
    uint64_t own = orma_timeline_key(view, view->source), trace = self->trace_clock;
    uint64_t clock = is_of_file(view->source) ? own : orma_clock_in(view->source, view->machine, 0);
    uint64_t wall = orma_clock_in(ORMA_CLOCK_REALTIME, view->machine, 0);
    uint64_t trace_wall = orma_clock_in(ORMA_CLOCK_REALTIME, orma_clock_machine(trace), 0);

    view->connected = true;
    if (!related(self, own, clock)) {
        look_at_start(self, view);
        orma_timeline_tie(self, own, 0, clock, 0);
    }
    if (clock == trace)
        return;
    self->clocks.cache_misses++; /* what other readers had to look up */
    if (related(self, clock, trace))
        return;
    if (wall != trace_wall && related(self, clock, wall) && related(self, trace_wall, trace)) {
        orma_timeline_tie(self, wall, 0, trace_wall, 0);
    } else if (orma_clock_id(clock) == ORMA_CLOCK_TRACE_FILE ||
               orma_clock_id(trace) == ORMA_CLOCK_TRACE_FILE ||
               orma_clock_id(clock) == orma_clock_id(trace)) {
        orma_timeline_tie(self, clock, 0, trace, 0);
        assume(self, view);
    } else if (!view->warned) {
        view->warned = true;
        self->hooks.unrelatable(self->hooks.data, view->machine, view->source,
                                orma_clock_id(trace));
    }
}

void orma_timeline_use(struct orma_timeline *self, struct orma_clock_view *view)
{
    if (!self->claimed) { /* nobody has said what the times are of */
        settle_earlier(self, view->file);
        self->claimed = true;
        self->owner = view->file;
        self->trace_clock = orma_timeline_key(view, ORMA_CLOCK_TRACE_FILE);
        self->epoch++;
        for (uint32_t i = 0; i < self->views_num; i++)
            find_same(self, self->views[i]);
    }
    self->used = true;
    if (!view->connected && view->source)
        connect(self, view);
    view->shared += !view->first && !view->own;
}

enum orma_clock_result orma_timeline_peek(struct orma_timeline *self, uint64_t key, int64_t ns,
                                          int64_t *ret)
{
    return orma_clocks_convert(&self->clocks, key, ns, self->trace_clock, ret, NULL);
}

enum orma_clock_result orma_timeline_convert(struct orma_timeline *self,
                                             struct orma_clock_view *view, uint64_t clock,
                                             int64_t ns, int64_t *ret,
                                             struct orma_clock_span *ret_span)
{
    orma_timeline_use(self, view);
    return orma_clocks_convert(&self->clocks, orma_timeline_key(view, clock), ns, self->trace_clock,
                               ret, ret_span);
}
