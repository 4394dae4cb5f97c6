/*
 * Begins wait on a stack per track for their ends. Sequences stand in the file in chunks, not by
 * time: where several write to one track (slices that begin on one thread and end on another), or
 * one does so in another order, begins and ends are collected, and matched by their times.
 */
#include "tools/pieces/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/hash.h"
#include "sdk/base/search.h"
#include "sdk/base/vec.h"
#include "tools/pieces/bundle.h"

/* So many begins and ends of tracks of several sequences are kept, and as many again as stayed the
 * last time; then the older half is matched. So each is looked at a few times, however many stay
 * open. */
#define LEFTOVERS ((uint32_t)1 << 20)

bool orma_pieces_is_timeless(uint32_t field)
{
    switch (field) {
    case ORMA_PB_TRACE_PACKET_PROCESS_TREE:
    case ORMA_PB_TRACE_PACKET_INODE_FILE_MAP:
    case ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT:
    case ORMA_PB_TRACE_PACKET_TRACE_CONFIG:
    case ORMA_PB_TRACE_PACKET_FTRACE_STATS:
    case ORMA_PB_TRACE_PACKET_TRACE_STATS:
    case ORMA_PB_TRACE_PACKET_SYNCHRONIZATION_MARKER:
    case ORMA_PB_TRACE_PACKET_PROCESS_DESCRIPTOR:
    case ORMA_PB_TRACE_PACKET_THREAD_DESCRIPTOR:
    case ORMA_PB_TRACE_PACKET_SYSTEM_INFO:
    case ORMA_PB_TRACE_PACKET_PACKAGES_LIST:
    case ORMA_PB_TRACE_PACKET_CHROME_BENCHMARK_METADATA:
    case ORMA_PB_TRACE_PACKET_CHROME_METADATA:
    case ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR:
    case ORMA_PB_TRACE_PACKET_MODULE_SYMBOLS:
    case ORMA_PB_TRACE_PACKET_DEOBFUSCATION_MAPPING:
    case ORMA_PB_TRACE_PACKET_CPU_INFO:
    case ORMA_PB_TRACE_PACKET_SERVICE_EVENT:
    case ORMA_PB_TRACE_PACKET_EXTENSION_DESCRIPTOR:
    case ORMA_PB_TRACE_PACKET_UI_STATE:
    case ORMA_PB_TRACE_PACKET_TRANSLATION_TABLE:
    case ORMA_PB_TRACE_PACKET_ANDROID_GAME_INTERVENTION_LIST:
    case ORMA_PB_TRACE_PACKET_TRACE_UUID:
    case ORMA_PB_TRACE_PACKET_TRACK_EVENT_RANGE_OF_INTEREST:
    case ORMA_PB_TRACE_PACKET_SHELL_HANDLER_MAPPINGS:
    case ORMA_PB_TRACE_PACKET_PROTOLOG_VIEWER_CONFIG:
    case ORMA_PB_TRACE_PACKET_V8_JS_CODE:
    case ORMA_PB_TRACE_PACKET_V8_INTERNAL_CODE:
    case ORMA_PB_TRACE_PACKET_V8_WASM_CODE:
    case ORMA_PB_TRACE_PACKET_V8_REG_EXP_CODE:
    case ORMA_PB_TRACE_PACKET_V8_CODE_MOVE:
    case ORMA_PB_TRACE_PACKET_REMOTE_CLOCK_SYNC:
    case ORMA_PB_TRACE_PACKET_PIXEL_MODEM_TOKEN_DATABASE:
    case ORMA_PB_TRACE_PACKET_GENERIC_KERNEL_TASK_RENAME_EVENT:
    case ORMA_PB_TRACE_PACKET_GENERIC_KERNEL_PROCESS_TREE:
    case ORMA_PB_TRACE_PACKET_USER_LIST:
    case ORMA_PB_TRACE_PACKET_TRACE_PROVENANCE:
    case ORMA_PB_TRACE_PACKET_PROTOVMS:
    case ORMA_PB_TRACE_PACKET_TRACE_ATTRIBUTES:
    case ORMA_PB_TRACE_PACKET_ANDROID_AFLAGS:
    case ORMA_PB_TRACE_PACKET_GPU_INFO:
    case ORMA_PB_TRACE_PACKET_INTERRUPT_INFO:
    case ORMA_PB_TRACE_PACKET_ART_PROCESS_METADATA:
        return true;
    }
    return false;
}

int32_t orma_pieces_of(const struct orma_pieces_edges *edges, int64_t ts)
{
    const int64_t end = edges->times[edges->num - 1];

    if (ts < edges->times[0] || (ts >= end && end < INT64_MAX))
        return ORMA_PIECES_NONE;
    if (ts == INT64_MAX) /* that edge is none: there is nothing behind it */
        return (int32_t)edges->num - 2;
    return (int32_t)ORMA_UPPER_BOUND(edges->times, edges->num, , ts) - 1;
}

enum orma_pieces_side orma_pieces_side_of(const struct orma_pieces_edges *edges, int64_t ts)
{
    if (orma_pieces_of(edges, ts) != ORMA_PIECES_NONE)
        return ORMA_PIECES_WITHIN;
    return ts < edges->times[0] ? ORMA_PIECES_BEFORE : ORMA_PIECES_BEHIND;
}

/* ---- slices ---- */

struct edge {
    int64_t ts;
    uint64_t number;
};

/* Begins without an end so far, of one track. */
struct stack {
    uint64_t key;
    ORMA_VEC(struct edge) begins;
};

struct leftover {
    uint64_t track;
    struct edge edge;
    bool is_end;
};

struct run {
    struct orma_pieces_survey *self;
    struct orma_pieces_source *source;
    const struct orma_pieces_edges *edges;
    struct orma_pieces_sizes *sizes;
    struct orma_map stacks; /* key → index + 1 */
    ORMA_VEC(struct stack *) all;
    ORMA_VEC(uint32_t) idle; /* places in `all` */
    ORMA_VEC(struct leftover) leftovers;
    uint32_t stayed; /* leftovers when they were matched last */
    struct stack *last;
    uint64_t last_track; /* of the first look: known to be of `last_seq` */
    uint32_t last_seq;
};

static void move(struct run *run, uint64_t number, int32_t piece)
{
    run->self->failed |= orma_map_put(&run->self->moved, number, (uint64_t)(piece + 1)) < 0;
}

static void pair(struct run *run, const struct edge *begin, const struct edge *end)
{
    const struct orma_pieces_edges *edges = run->edges;
    const int32_t of_begin = orma_pieces_of(edges, begin->ts);
    const int32_t of_end = orma_pieces_of(edges, end->ts);

    if (!edges->overlap) {
        if (of_begin != of_end)
            move(run, end->number, of_begin);
        return;
    }
    const bool overlaps =
        of_begin >= 0 || (begin->ts < edges->times[0] && end->ts > edges->times[0]);
    if (overlaps && of_begin < 0)
        move(run, begin->number, 0);
    if (overlaps != (of_end >= 0))
        move(run, end->number, overlaps ? 0 : ORMA_PIECES_NONE);
}

/* It never ends. */
static void leave_open(struct run *run, const struct edge *begin)
{
    if (run->edges->overlap && begin->ts < run->edges->times[0])
        move(run, begin->number, 0);
}

static struct stack *stack_of(struct run *run, uint64_t key, bool make)
{
    if (ORMA_LIKELY(run->last && run->last->key == key && run->last->begins.len))
        return run->last;
    const uint64_t found = orma_map_get(&run->stacks, key);

    if (found != ORMA_MAP_NONE)
        return run->last = run->all.data[found];
    if (!make)
        return NULL;
    uint32_t at = run->all.len;
    if (run->idle.len) {
        at = run->idle.data[--run->idle.len];
    } else {
        struct stack *s = calloc(1, sizeof(*s));

        if (!s || ORMA_VEC_PUSH(&run->all, s)) {
            free(s);
            run->self->failed = true;
            return NULL;
        }
    }
    struct stack *s = run->all.data[at];
    s->key = key;
    run->self->failed |= orma_map_put(&run->stacks, key, at) < 0;
    return run->last = s;
}

static void drop_if_empty(struct run *run, struct stack *s)
{
    if (s->begins.len)
        return;
    const uint64_t at = orma_map_take(&run->stacks, s->key);

    if (at != ORMA_MAP_NONE)
        run->self->failed |= ORMA_VEC_PUSH(&run->idle, (uint32_t)at) < 0;
}

static int by_track(const void *a, const void *b)
{
    const struct leftover *x = a, *y = b;

    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->edge.ts != y->edge.ts)
        return x->edge.ts < y->edge.ts ? -1 : 1;
    return x->edge.number < y->edge.number ? -1 : x->edge.number > y->edge.number;
}

static int by_time(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* Before the end: only what is older than the newer half, which others may still lie between. */
static int64_t choose_limit(struct run *run, bool at_end)
{
    int64_t *times = at_end ? NULL : calloc(run->leftovers.len, sizeof(*times));

    if (at_end)
        return INT64_MAX;
    if (!times) {
        run->self->failed = true;
        return INT64_MAX;
    }
    for (uint32_t i = 0; i < run->leftovers.len; i++)
        times[i] = run->leftovers.data[i].edge.ts;
    qsort(times, run->leftovers.len, sizeof(*times), by_time);
    const int64_t limit = times[run->leftovers.len / 2];
    free(times);
    return limit;
}

/* Matches what was collected, track by track. What stays is what is newer, and begins without an
 * end so far. */
static void settle(struct run *run, bool at_end)
{
    ORMA_VEC(struct edge) open = {0};
    const int64_t limit = run->leftovers.len ? choose_limit(run, at_end) : 0;
    struct leftover *all = run->leftovers.data;
    uint32_t kept = 0;

    if (run->leftovers.len)
        qsort(all, run->leftovers.len, sizeof(*all), by_track);
    for (uint32_t i = 0; i < run->leftovers.len; i++) {
        const struct leftover l = all[i];

        if (l.edge.ts > limit)
            all[kept++] = l;
        else if (!l.is_end)
            run->self->failed |= ORMA_VEC_PUSH(&open, l.edge) < 0;
        else if (open.len)
            pair(run, &open.data[--open.len], &l.edge);
        if (i + 1 < run->leftovers.len && all[i + 1].track == l.track)
            continue;
        for (uint32_t n = 0; n < open.len; n++) {
            if (at_end)
                leave_open(run, &open.data[n]);
            else if (kept <= i) /* no more than were read */
                all[kept++] = (struct leftover){l.track, open.data[n], false};
        }
        open.len = 0;
    }
    run->leftovers.len = run->stayed = kept;
    ORMA_VEC_FINI(&open);
    for (uint32_t i = 0; at_end && i < run->all.len; i++)
        for (uint32_t n = 0; n < run->all.data[i]->begins.len; n++)
            leave_open(run, &run->all.data[i]->begins.data[n]);
}

/* The first look only finds out which sequences write to which tracks, and in which order. */
static void note_track(struct run *run, struct orma_pieces_seq *seq, uint64_t track, int64_t ts)
{
    struct orma_map *tracks = &run->self->tracks;

    if (ORMA_UNLIKELY(orma_pieces_known_edge(seq, ts)))
        run->self->failed |= orma_map_put(tracks, track, 0) < 0;
    if (ORMA_LIKELY(run->last_track == track && run->last_seq == seq->index + 1))
        return;
    const uint64_t of = orma_map_get(tracks, track);

    run->last_track = track;
    run->last_seq = seq->index + 1;
    if (of == ORMA_MAP_NONE)
        run->self->failed |= orma_map_put(tracks, track, seq->index + (uint64_t)1) < 0;
    else if (of && of != seq->index + (uint64_t)1)
        run->self->failed |= orma_map_put(tracks, track, 0) < 0;
}

static void take_edge(struct run *run, struct orma_pieces_seq *seq,
                      const struct orma_pieces_event *e, int64_t ts, uint64_t number)
{
    const bool begins = e->edge == ORMA_PIECES_BEGIN;
    const struct edge edge = {ts, number};

    if (!run->edges) {
        note_track(run, seq, e->key, ts);
        return;
    }
    if (orma_map_get(&run->self->tracks, e->key) == 0) {
        const struct leftover l = {e->key, edge, !begins};

        run->self->failed |= ORMA_VEC_PUSH(&run->leftovers, l) < 0;
        if (run->leftovers.len >= LEFTOVERS && run->leftovers.len / 2 >= run->stayed)
            settle(run, false);
        return;
    }
    struct stack *s = stack_of(run, e->key, begins);

    if (begins) {
        run->self->failed |= !s || ORMA_VEC_PUSH(&s->begins, edge) < 0;
    } else if (s && s->begins.len) {
        pair(run, &s->begins.data[--s->begins.len], &edge);
        drop_if_empty(run, s);
    }
}

static void run_fini(struct run *run)
{
    for (uint32_t i = 0; i < run->all.len; i++) {
        ORMA_VEC_FINI(&run->all.data[i]->begins);
        free(run->all.data[i]);
    }
    ORMA_VEC_FINI(&run->all);
    ORMA_VEC_FINI(&run->idle);
    ORMA_VEC_FINI(&run->leftovers);
    orma_map_fini(&run->stacks);
}

/* ---- times and sizes ---- */

static void widen(struct orma_pieces_sizes *s)
{
    for (uint32_t i = 0; i < ORMA_PIECES_STEPS / 2; i++)
        s->steps[i] = s->steps[2 * i] + s->steps[2 * i + 1];
    memset(s->steps + ORMA_PIECES_STEPS / 2, 0, sizeof(s->steps) / 2);
    s->width *= 2;
}

static uint64_t step_of(const struct orma_pieces_sizes *s, int64_t ts)
{
    return ts < s->from ? 0 : ((uint64_t)ts - (uint64_t)s->from) / (uint64_t)s->width;
}

/* Steps may have to begin earlier: they move by whole spans. */
static void begin_earlier(struct orma_pieces_sizes *s, int64_t ts)
{
    while (ts < s->from && s->width < INT64_MAX / ORMA_PIECES_STEPS / 4) {
        const int64_t span = s->width * (ORMA_PIECES_STEPS / 2);

        widen(s);
        memmove(s->steps + ORMA_PIECES_STEPS / 2, s->steps, sizeof(s->steps) / 2);
        memset(s->steps, 0, sizeof(s->steps) / 2);
        s->from -= 2 * span;
    }
}

/* Times before zero, which readers refuse, count as zero: so differences are no more than 63 bits.
 */
static void add_size(struct orma_pieces_sizes *s, int64_t ts, uint64_t bytes)
{
    ts = ORMA_MAX(ts, INT64_C(0));
    if (!s->begun) {
        s->begun = true;
        s->from = ts;
        s->width = 1000000;
    }
    begin_earlier(s, ts);
    while (step_of(s, ts) >= ORMA_PIECES_STEPS && s->width < INT64_MAX / ORMA_PIECES_STEPS / 4)
        widen(s);
    s->steps[ORMA_MIN(step_of(s, ts), (uint64_t)ORMA_PIECES_STEPS - 1)] += bytes;
}

static void note(struct run *run, int64_t first, int64_t last)
{
    struct orma_pieces_survey *self = run->self;

    self->first = self->any ? ORMA_MIN(self->first, first) : first;
    self->last = self->any ? ORMA_MAX(self->last, last) : last;
    self->any = true;
}

/* A list of switches says who runs next, and so who ran before only by the one in front of it. */
static void note_switch(struct run *run, const struct orma_pieces_bundle *b)
{
    const uint64_t key = orma_pieces_cpu_key(b->seq, b->cpu);
    const uint64_t known = orma_map_get(&run->self->switches, key);

    if (known == ORMA_MAP_NONE || (int64_t)known < b->switch_before)
        run->self->failed |=
            orma_map_put(&run->self->switches, key, (uint64_t)b->switch_before) < 0;
}

static void take_bundle(struct run *run, struct orma_pieces_seq *seq,
                        const struct orma_read_packet *p)
{
    struct orma_pieces_bundle b;
    const int64_t edge = run->edges && run->edges->overlap ? run->edges->times[0] : INT64_MIN;

    orma_pieces_bundle_read(&b, &run->self->known, seq, p->payload, edge);
    if (!b.events)
        return;
    if (b.switch_before > INT64_MIN)
        note_switch(run, &b);
    note(run, b.first, b.last);
    if (run->sizes)
        add_size(run->sizes, b.first / 2 + b.last / 2, p->bytes.len);
}

static bool has_failed(const struct orma_pieces_survey *self)
{
    return self->failed || orma_pieces_known_failed(&self->known) || self->counters.failed ||
           self->trees.failed;
}

static int take_packet(void *ctx, const struct orma_pieces_packet *packet)
{
    struct run *run = ctx;
    struct orma_pieces_survey *self = run->self;
    const struct orma_read_packet *p = &packet->p;
    struct orma_pieces_seq *seq;
    int64_t ts = 0;
    bool timed = orma_pieces_known_take(&self->known, p, &seq, &ts);
    struct orma_pieces_event e = {0};

    if (!seq || has_failed(self))
        return -ENOMEM;
    if (p->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT) {
        timed = orma_pieces_event_read(&self->known, seq, p, timed, &ts, &e);
        if (!seq->seq->valid && p->flags & ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE)
            timed = false; /* nobody can read it */
        if (timed && e.edge != ORMA_PIECES_NEITHER)
            take_edge(run, seq, &e, ts, packet->number);
    } else if (p->field == ORMA_PB_TRACE_PACKET_FTRACE_EVENTS) {
        take_bundle(run, seq, p);
        return 0;
    } else if (p->field == ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR) {
        orma_pieces_counters_describe(&self->counters, p->payload);
    } else if (p->field == ORMA_PB_TRACE_PACKET_PROCESS_TREE && timed && run->edges &&
               run->edges->overlap) {
        orma_pieces_trees_note(&self->trees, seq, packet, orma_pieces_side_of(run->edges, ts));
    }
    if (orma_pieces_is_timeless(p->field)) {
        if (run->sizes)
            run->sizes->always += p->bytes.len;
        return 0;
    }
    if (timed && p->field) {
        int64_t end;

        note(run, ts, __builtin_add_overflow(ts, e.dur, &end) ? INT64_MAX : end);
        if (run->sizes)
            add_size(run->sizes, ts, p->bytes.len);
    }
    return 0;
}

static int look(struct run *run)
{
    struct orma_pieces_survey *self = run->self;

    struct orma_map tracks = self->tracks;
    self->tracks = (struct orma_map){0};
    orma_pieces_survey_fini(self);
    self->begun = true;
    self->tracks = tracks;
    int r = orma_pieces_known_init(&self->known, false);
    if (r == 0)
        r = orma_pieces_source_walk(run->source, take_packet, NULL, run);
    if (r == 0 && run->edges)
        settle(run, true);
    if (r == 0 && has_failed(self))
        r = -ENOMEM;
    run_fini(run);
    return r;
}

int orma_pieces_survey_times(struct orma_pieces_survey *self, struct orma_pieces_source *source,
                             struct orma_pieces_sizes *sizes)
{
    struct run run = {.self = self, .source = source, .sizes = sizes};

    return look(&run);
}

int orma_pieces_survey_slices(struct orma_pieces_survey *self, struct orma_pieces_source *source,
                              const struct orma_pieces_edges *edges)
{
    struct run run = {.self = self, .source = source, .edges = edges};

    return look(&run);
}

void orma_pieces_survey_fini(struct orma_pieces_survey *self)
{
    if (self->begun) {
        orma_pieces_known_fini(&self->known);
        orma_pieces_counters_fini(&self->counters);
        orma_map_fini(&self->moved);
        orma_map_fini(&self->switches);
        orma_map_fini(&self->tracks);
        orma_pieces_trees_fini(&self->trees);
    }
    *self = (struct orma_pieces_survey){0};
}
