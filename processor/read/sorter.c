/*
 * A stream yields items in order. There are four sorts:
 *
 *   RUN      packets of a sequence: segments decoded again, one packet ahead
 *   BUNDLES  one list (events, compact switches, compact wakings) of the bundles of a cpu
 *   LOOSE    items stored one by one, put in order when merging begins
 *   SOURCE   what an importer of another format has put in order itself
 */
#include "processor/read/sorter_impl.h"

#include <string.h>

/* Less than this is merged sooner than a thread is made. */
#define THREAD_ITEMS 200000
/* Fewer are imported sooner than threads are told of them. */
#define BATCH_ITEMS 512

void orma_sorter_init(struct orma_sorter *self, orma_emit_fn *emit, void *data)
{
    *self = (struct orma_sorter){.emit = emit,
                                 .emit_data = data,
                                 .max_ts = INT64_MIN,
                                 .threads_from = THREAD_ITEMS,
                                 .batch_from = BATCH_ITEMS};
}

static void loose_free(struct loose_list *l)
{
    for (unsigned i = 0; i < l->runs_num; i++)
        for (uint32_t at = l->runs[i].at; at < l->runs[i].end; at++)
            orma_seq_gen_unref(l->items[at].gen);
    for (uint32_t at = l->sorted; at < l->num; at++)
        orma_seq_gen_unref(l->items[at].gen);
    free(l->items);
}

void orma_stream_free(struct orma_stream *s)
{
    switch (s->sort) {
    case STREAM_RUN:
        for (uint32_t i = s->run.at; i < s->run.num; i++)
            orma_seq_gen_unref(s->run.segments[i].gen);
        free(s->run.segments);
        break;
    case STREAM_BUNDLES:
        free(s->list.bundles);
        break;
    case STREAM_LOOSE:
        loose_free(&s->loose);
        break;
    case STREAM_SOURCE:
        break; /* belongs to its importer */
    }
    free(s);
}

void orma_sorter_fini(struct orma_sorter *self)
{
    for (struct orma_stream *s = self->streams, *next; s; s = next) {
        next = s->next;
        orma_stream_free(s);
    }
    for (uint32_t i = 0; i < self->bundles_num; i++)
        orma_seq_gen_unref(self->bundles[i].gen);
    free(self->bundles);
    for (uint32_t i = 0; i < self->queues_num; i++)
        free(self->queues[i].leaves);
    free(self->queues);
    free(self->tops);
    orma_map_fini(&self->cpu_streams);
    orma_arena_fini(&self->arena);
    *self = (struct orma_sorter){0};
}

static struct orma_stream *stream_new(struct orma_sorter *self, enum stream_sort sort,
                                      uint32_t queue)
{
    struct orma_stream *s = orma_lines_alloc(sizeof(*s));

    if (!s) {
        self->failed = true;
        return NULL;
    }
    s->sort = sort;
    s->queue = queue;
    s->next = self->streams;
    self->streams = s;
    return s;
}

/* ---- loose items ---- */

void orma_sorter_push(struct orma_sorter *self, const struct orma_item *item)
{
    const bool event =
        item->kind == ORMA_ITEM_PACKET && item->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT;
    struct orma_stream **loose = &self->loose[item->machine % ORMA_MACHINES_MAX][event];

    if (!*loose)
        *loose = stream_new(self, STREAM_LOOSE,
                            event ? ORMA_QUEUE_EVENTS(item->machine)
                                  : ORMA_QUEUE_PACKETS(item->machine));
    if (!*loose)
        return;
    struct loose_list *l = &(*loose)->loose;
    if (ORMA_GROW(&l->items, &l->cap, l->num + (size_t)1)) {
        self->failed = true;
        return;
    }
    if (l->num > l->sorted && item->ts < l->items[l->num - 1].ts)
        l->unsorted = true;
    l->items[l->num++] = (struct loose){
        .ts = item->ts,
        .order = item->order,
        .data = item->data,
        .gen = item->gen ? orma_seq_gen_ref(item->gen) : NULL,
        .extra = item->extra,
        .aux = item->aux,
        .len = item->len,
        .field = item->field,
        .before = item->before,
        .machine = item->machine,
        .kind = item->kind,
        .format = item->format,
    };
    self->max_ts = ORMA_MAX(self->max_ts, item->ts);
    self->waiting++;
}

static int by_time(const void *a, const void *b)
{
    const struct loose *x = a, *y = b;

    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The run whose next item comes first; runs_num if all are done. */
static unsigned first_run(const struct loose_list *l)
{
    unsigned ret = l->runs_num;

    for (unsigned i = 0; i < l->runs_num; i++) {
        if (l->runs[i].at == l->runs[i].end)
            continue;
        if (ret == l->runs_num || by_time(&l->items[l->runs[i].at], &l->items[l->runs[ret].at]) < 0)
            ret = i;
    }
    return ret;
}

static bool loose_next(struct orma_stream *s)
{
    struct loose_list *l = &s->loose;
    unsigned run = first_run(l);

    if (run == l->runs_num)
        return false;
    l->current = (uint8_t)run;
    const struct loose *i = &l->items[l->runs[run].at];
    s->head = (struct orma_item){
        .ts = i->ts,
        .order = i->order,
        .data = i->data,
        .len = i->len,
        .field = i->field,
        .before = i->before,
        .kind = i->kind,
        .format = i->format,
        .machine = i->machine,
        .gen = i->gen,
        .extra = i->extra,
        .aux = i->aux,
    };
    return true;
}

static struct orma_seq_gen *loose_done(struct orma_stream *s)
{
    struct loose_list *l = &s->loose;
    struct orma_seq_gen *gen = l->items[l->runs[l->current].at++].gen;

    while (l->runs_num && l->runs[l->runs_num - 1].at == l->runs[l->runs_num - 1].end)
        l->runs_num--;
    if (!l->runs_num && l->sorted == l->num)
        l->sorted = l->num = 0;
    return gen;
}

/* Merges the last two runs. Without memory for it they are sorted in place. */
static void merge_runs(struct loose_list *l)
{
    struct loose_run *a = &l->runs[l->runs_num - 2], *b = a + 1;
    uint32_t a_num = a->end - a->at, b_num = b->end - b->at;
    struct loose *copy = malloc((size_t)a_num * sizeof(*copy));
    struct loose *to = &l->items[b->at - a_num];

    if (copy) {
        const struct loose *x = copy, *x_end = copy + a_num;
        const struct loose *y = &l->items[b->at], *y_end = y + b_num;

        memcpy(copy, &l->items[a->at], a_num * sizeof(*copy));
        while (x < x_end)
            *to++ = y < y_end && by_time(y, x) < 0 ? *y++ : *x++;
    } else {
        memmove(to, &l->items[a->at], a_num * sizeof(*to));
        qsort(to, (size_t)a_num + b_num, sizeof(*to), by_time);
    }
    free(copy);
    *a = (struct loose_run){b->at - a_num, b->end};
    l->runs_num--;
}

/*
 * What is new becomes a run, and runs are merged while the last is at least half as long as the one
 * below: so there are few of them, and an item takes part in a number of merges that is
 * logarithmic, however often items come late between two windows.
 */
void orma_loose_sort(struct orma_stream *s)
{
    struct loose_list *l = &s->loose;
    struct loose_run *last = l->runs_num ? &l->runs[l->runs_num - 1] : NULL;

    if (l->sorted == l->num)
        return;
    if (l->unsorted)
        qsort(l->items + l->sorted, l->num - l->sorted, sizeof(*l->items), by_time);
    if (last && last->end == l->sorted &&
        by_time(&l->items[last->end - 1], &l->items[l->sorted]) <= 0)
        last->end = l->num;
    else
        l->runs[l->runs_num++] = (struct loose_run){l->sorted, l->num};
    l->sorted = l->num;
    l->unsorted = false;
    s->has_head = false;
    while (l->runs_num >= 2) {
        struct loose_run *b = &l->runs[l->runs_num - 1], *a = b - 1;

        if (2 * (uint64_t)(b->end - b->at) < a->end - a->at && l->runs_num < LOOSE_RUNS_MAX)
            break;
        merge_runs(l);
    }
}

/* ---- runs of packets ---- */

static bool run_extend(struct orma_sorter *self, struct orma_run *run, const struct orma_seq *seq,
                       const struct orma_packet_time *time, struct orma_str record, uint64_t order,
                       bool once)
{
    const uint8_t *begin = (const uint8_t *)record.data, *end = begin + record.len;
    struct segment *last = run->num > run->at ? &run->segments[run->num - 1] : NULL;

    if (last && run->tail == begin && last->gen == seq->gen && last->once == once &&
        last->incremental == time->incremental && last->unit == time->unit &&
        last->offset == time->offset && last->count < UINT32_MAX) {
        last->count++;
        last->end = end;
        return true;
    }
    if (ORMA_GROW(&run->segments, &run->cap, run->num + (size_t)1)) {
        self->failed = true;
        return false;
    }
    run->segments[run->num++] = (struct segment){
        .record = begin,
        .end = end,
        .count = 1,
        .incremental = time->incremental,
        .order = order,
        .gen = orma_seq_gen_ref(seq->gen),
        .raw = time->raw,
        .unit = time->unit,
        .offset = time->offset,
        .machine = (uint16_t)seq->machine,
        .once = once,
    };
    return true;
}

static void push_loose_packet(struct orma_sorter *self, const struct orma_seq *seq,
                              const struct orma_read_packet *p, int64_t ts, uint64_t order)
{
    struct orma_item item = {
        .ts = ts,
        .order = order,
        .data = (const uint8_t *)p->payload.data,
        .len = (uint32_t)p->payload.len,
        .field = p->field,
        .before = p->payload.data ? (uint32_t)(p->payload.data - p->bytes.data) : 0,
        .kind = ORMA_ITEM_PACKET,
        .machine = (uint16_t)seq->machine,
        .gen = seq->gen,
    };

    orma_sorter_push(self, &item);
}

/* The run of the sequence for track events, or for its other packets; NULL when memory is out. */
static struct orma_run *run_of(struct orma_sorter *self, struct orma_seq *seq, bool event)
{
    struct orma_run **run = event ? &seq->events : &seq->others;

    if (*run)
        return *run;
    struct orma_stream *s =
        stream_new(self, STREAM_RUN,
                   event ? ORMA_QUEUE_EVENTS(seq->machine) : ORMA_QUEUE_PACKETS(seq->machine));
    if (s) {
        *run = &s->run;
        s->run.last_ts = INT64_MIN;
    }
    return *run;
}

void orma_sorter_push_packet(struct orma_sorter *self, struct orma_seq *seq,
                             const struct orma_read_packet *p, const uint8_t *record,
                             const struct orma_packet_time *time, uint64_t order)
{
    const bool event = p->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT;
    struct orma_run *run = run_of(self, seq, event);

    if (!run)
        return;
    if (time->ts < run->last_ts) {
        push_loose_packet(self, seq, p, time->ts, order);
        return;
    }
    const uint8_t *end = (const uint8_t *)p->bytes.data + p->bytes.len;
    const struct orma_str whole = {(const char *)record, (size_t)(end - record)};
    if (!run_extend(self, run, seq, time, whole, order, p->timestamps == 1 && p->payloads == 1))
        return;
    run->tail = end;
    run->last_ts = time->ts;
    self->max_ts = ORMA_MAX(self->max_ts, time->ts);
    self->waiting++;
}

/* Decodes the packet at *pos again, for its time and payload; moves behind it. The tag was looked
 * at in the first walk, and so was the rest. Where it is not what it was, the file has changed: the
 * item is empty then, and so are those that follow it in the segment. */
static uint64_t read_record(const uint8_t **pos, const uint8_t *limit, bool once,
                            struct orma_item *ret)
{
    const uint8_t *at = *pos == limit ? limit : *pos + 1;
    uint64_t len = 0, time = 0;
    unsigned found = 0;

    ret->len = ret->field = 0;
    if (!orma_pb_varint_at(&at, limit, &len) || len > (uint64_t)(limit - at)) {
        *pos = limit;
        return 0;
    }
    struct orma_pb_reader r = orma_pb_reader(at, len);
    struct orma_pb_field f;
    *pos = at + len;
    while (r.pos != r.end) {
        if (*r.pos == ORMA_PB_TRACE_PACKET_TIMESTAMP << 3) {
            r.pos++;
            time = orma_pb_varint(&r);
            found |= 1;
        } else if (!orma_pb_next(&r, &f)) {
            break;
        } else if (f.id == ORMA_PB_TRACE_PACKET_TIMESTAMP) {
            time = orma_pb_u64(&f);
            found |= 1;
        } else if (f.wire == ORMA_PB_LEN && f.id != ORMA_PB_TRACE_PACKET_INTERNED_DATA &&
                   f.id != ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS) {
            ret->data = f.data;
            ret->len = (uint32_t)f.len;
            ret->field = f.id;
            ret->before = (uint32_t)(f.data - at);
            found |= 2;
        }
        if (found == 3 && once)
            break;
    }
    return time;
}

bool orma_run_next_slow(struct orma_stream *s)
{
    struct orma_run *run = &s->run;

    if (run->at == run->num)
        return false;
    const struct segment *seg = &run->segments[run->at];
    if (!run->read) {
        run->pos = seg->record;
        run->raw = seg->raw;
        for (unsigned i = 0; i < ORMA_RUN_AHEAD && run->at + 1 < run->num; i += ORMA_CACHE_LINE)
            __builtin_prefetch(run->segments[run->at + 1].record + i);
        s->head = (struct orma_item){
            .order = seg->order,
            .kind = ORMA_ITEM_PACKET,
            .machine = seg->machine,
            .gen = seg->gen,
        };
    } else {
        s->head.order += ORMA_ORDER_STEP;
    }
    orma_run_set_time(s, seg, read_record(&run->pos, seg->end, seg->once, &s->head));
    return true;
}

struct orma_seq_gen *orma_run_done_slow(struct orma_stream *s)
{
    struct orma_run *run = &s->run;
    struct orma_seq_gen *gen = run->segments[run->at].gen;

    run->read = 0;
    if (++run->at == run->num)
        run->at = run->num = 0;
    return gen;
}

bool orma_sorter_is_late(const struct orma_seq *seq, int64_t ts)
{
    return seq->events && ts < seq->events->last_ts;
}

void orma_sorter_walk_run(const struct orma_seq *seq,
                          void (*each)(void *data, const struct orma_item *item), void *data)
{
    if (!seq->events)
        return;
    const char *run = (const char *)seq->events;
    struct orma_stream s; /* walks over the same segments, from a place of its own */

    memcpy(&s, run - offsetof(struct orma_stream, run), sizeof(s));
    for (bool any = s.has_head || orma_run_next(&s); any; any = orma_run_next(&s)) {
        each(data, &s.head);
        (void)orma_run_done(&s); /* the run itself still needs it */
    }
}

/* ---- bundles of a cpu ---- */

uint32_t orma_sorter_add_bundle(struct orma_sorter *self, const struct orma_kernel_bundle *bundle)
{
    if (ORMA_GROW(&self->bundles, &self->bundles_cap, self->bundles_num + (size_t)1)) {
        self->failed = true;
        return UINT32_MAX;
    }
    self->bundles[self->bundles_num] = *bundle;
    if (bundle->gen)
        orma_seq_gen_ref(bundle->gen);
    return self->bundles_num++;
}

uint32_t orma_sorter_queue_of_cpu(uint32_t machine, uint32_t cpu, enum orma_item_kind kind)
{
    uint32_t place = kind == ORMA_ITEM_SCHED_SWITCH ? 1 : kind == ORMA_ITEM_SCHED_WAKING ? 2 : 3;

    return ORMA_QUEUE_EVENTS(machine) + cpu * 3 + place;
}

static struct orma_stream *bundle_stream(struct orma_sorter *self,
                                         const struct orma_kernel_bundle *b,
                                         enum orma_item_kind kind, int64_t first)
{
    uint64_t key = (uint64_t)b->machine << 40 | (uint64_t)kind << 32 | b->cpu;
    struct orma_stream *s = orma_map_get_ptr(&self->cpu_streams, key);

    if (s && first >= s->list.last_ts)
        return s;
    /* The first of the cpu, or one that begins before the last ended: a stream of its own. */
    struct orma_stream *late = s;
    s = stream_new(self, STREAM_BUNDLES, orma_sorter_queue_of_cpu(b->machine, b->cpu, kind));
    if (!s)
        return NULL;
    s->current = true;
    s->list.kind = kind;
    if (orma_map_put_ptr(&self->cpu_streams, key, s))
        self->failed = true;
    else if (late)
        late->current = false;
    return s;
}

void orma_sorter_push_bundle(struct orma_sorter *self, uint32_t bundle, enum orma_item_kind kind,
                             int64_t first, int64_t last)
{
    struct orma_stream *s = bundle_stream(self, &self->bundles[bundle], kind, first);

    if (!s)
        return;
    if (ORMA_GROW(&s->list.bundles, &s->list.cap, s->list.num + (size_t)1)) {
        self->failed = true;
        return;
    }
    s->list.bundles[s->list.num++] = bundle;
    s->list.last_ts = last;
    self->max_ts = ORMA_MAX(self->max_ts, last);
    self->waiting += 64; /* a bundle has about so many events */
}

static bool bundles_next(struct orma_sorter *self, struct orma_stream *s)
{
    struct bundle_list *l = &s->list;

    while (l->at < l->num) {
        const struct orma_kernel_bundle *b = &self->bundles[l->bundles[l->at]];

        if (!l->open) {
            orma_bundle_cursor_init(&l->cursor, b, l->kind);
            l->open = true;
        }
        if (orma_bundle_cursor_next(&l->cursor, b, &s->head)) {
            s->head.bundle = l->bundles[l->at];
            return true;
        }
        l->open = false;
        l->at++;
    }
    l->at = l->num = 0;
    return false;
}

void orma_sorter_push_source(struct orma_sorter *self,
                             bool (*next)(void *data, struct orma_item *ret), void *data)
{
    struct orma_stream *s = stream_new(self, STREAM_SOURCE, 0);

    self->has_sources = true;
    if (s)
        s->source = (struct source){next, data};
}

/* ---- any stream ---- */

bool orma_stream_next(struct orma_sorter *self, struct orma_stream *s)
{
    switch (s->sort) {
    case STREAM_RUN:
        return orma_run_next(s);
    case STREAM_BUNDLES:
        return bundles_next(self, s);
    case STREAM_LOOSE:
        return loose_next(s);
    case STREAM_SOURCE:
        return s->source.next(s->source.data, &s->head);
    }
    return false;
}

struct orma_seq_gen *orma_stream_done(struct orma_stream *s)
{
    switch (s->sort) {
    case STREAM_RUN:
        return orma_run_done(s);
    case STREAM_LOOSE:
        return loose_done(s);
    case STREAM_BUNDLES:
    case STREAM_SOURCE:
        break;
    }
    return NULL;
}
