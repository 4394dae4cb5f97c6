/*
 * Merging of streams: a tree of losers per queue, a heap of queues.
 *
 *   streams ──► queue: tree by (time, order) ──► heap of queues by (time, number) ──► emit()
 *
 * The leaves of a tree are the streams. Each inner node holds who lost there, the
 * root of all who won; when the winner has its next item it plays again on its way up. How
 * many matches that takes does not depend on who wins, and a match is two
 * comparisons without a branch: with events of several threads in turns
 * nobody could guess it.
 *
 *              winner: 2
 *                 1
 *              /     \
 *            0         3          losers
 *          /   \     /   \
 *         0     1   2     3       streams
 *
 * A queue that is first stays so while no other has an earlier time: mostly many
 * items in a row come from one queue.
 */
#include <stdlib.h>
#include <string.h>

#include "processor/read/forwarded.h"
#include "processor/read/sorter_impl.h"
#include "processor/threads/crew.h"
#include "sdk/base/clock.h"
#include "sdk/base/mapped.h"

/* Packets of a segment between looks at how far it was read, and so much is worth a call. */
#define LET_GO_EVERY 16384
#define LET_GO_BYTES (2 << 20)

static inline bool before(struct orma_merge_key a, struct orma_merge_key b)
{
    return (a.ts < b.ts) | ((a.ts == b.ts) & (a.order < b.order));
}

/* A stream at its end comes after all others; nothing has that order. */
static inline struct orma_merge_key key_of(const struct orma_stream *s)
{
    return s->has_head ? (struct orma_merge_key){s->head.ts, s->head.order}
                       : (struct orma_merge_key){INT64_MAX, UINT64_MAX};
}

/* The key of the winner has changed. */
static inline void replay(struct orma_queue *q)
{
    struct orma_merge_key key = key_of(q->leaves[q->winner].stream);
    uint32_t winner = q->winner;

    q->leaves[winner].key = key;
    for (uint32_t node = (winner + q->len) / 2; node; node /= 2) {
        uint32_t other = q->leaves[node].loser;
        struct orma_merge_key other_key = q->leaves[other].key;
        bool lost = before(other_key, key);

        q->leaves[node].loser = lost ? winner : other;
        winner = lost ? other : winner;
        key.ts = lost ? other_key.ts : key.ts;
        key.order = lost ? other_key.order : key.order;
    }
    q->winner = winner;
}

/* Plays all matches below a node. */
static uint32_t play(struct orma_queue *q, uint32_t node)
{
    if (node >= q->len)
        return node - q->len;
    uint32_t a = play(q, node * 2), b = play(q, node * 2 + 1);
    bool lost = before(q->leaves[b].key, q->leaves[a].key);

    q->leaves[node].loser = lost ? a : b;
    return lost ? b : a;
}

static inline struct orma_stream *first_of(const struct orma_queue *q)
{
    return q->leaves[q->winner].stream;
}

static inline int64_t time_of(const struct orma_queue *q)
{
    return first_of(q)->head.ts;
}

static bool queue_before(const struct orma_queue *a, const struct orma_queue *b)
{
    return time_of(a) != time_of(b) ? time_of(a) < time_of(b) : a->key < b->key;
}

static void sift_queue(struct orma_sorter *self, uint32_t at)
{
    struct orma_queue **heap = self->tops;
    struct orma_queue *q = heap[at];

    for (;;) {
        uint32_t child = at * 2 + 1;

        if (child >= self->tops_len)
            break;
        if (child + 1 < self->tops_len && queue_before(heap[child + 1], heap[child]))
            child++;
        if (!queue_before(heap[child], q))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = q;
}

/* Only lists of bundles that came late are many, and nobody adds to them. */
static void free_done_streams(struct orma_sorter *self)
{
    for (struct orma_stream **at = &self->streams; *at;) {
        struct orma_stream *s = *at;

        if (s->sort == STREAM_BUNDLES && !s->current && !s->has_head && !s->list.num) {
            *at = s->next;
            orma_stream_free(s);
        } else {
            at = &s->next;
        }
    }
}

/* The queue of a key, made if it is new. Few: one per cpu and machine. */
static struct orma_queue *queue_of(struct orma_sorter *self, uint32_t key)
{
    void *mem = self->queues;

    for (uint32_t i = 0; i < self->queues_num; i++)
        if (self->queues[i].key == key)
            return &self->queues[i];
    bool ok = orma_lines_grow(&mem, &self->queues_cap, self->queues_num, sizeof(*self->queues));
    self->queues = mem;
    if (!ok)
        return NULL;
    self->queues[self->queues_num] = (struct orma_queue){.key = key};
    return &self->queues[self->queues_num++];
}

static bool queue_add(struct orma_queue *q, struct orma_stream *s)
{
    void *mem = q->leaves;
    bool ok = orma_lines_grow(&mem, &q->cap, q->len, sizeof(*q->leaves));

    q->leaves = mem;
    if (ok)
        q->leaves[q->len++] = (struct orma_leaf){.stream = s, .key = key_of(s)};
    return ok;
}

/* All streams that have something, in their queues, and those in a heap. */
static bool queues_build(struct orma_sorter *self)
{
    for (uint32_t i = 0; i < self->queues_num; i++)
        self->queues[i].len = 0;
    for (struct orma_stream *s = self->streams; s; s = s->next)
        if (s->sort == STREAM_LOOSE)
            orma_loose_sort(s);
    for (struct orma_stream *s = self->streams; s; s = s->next) {
        if (!s->has_head)
            s->has_head = orma_stream_next(self, s);
        if (!s->has_head)
            continue;
        struct orma_queue *q = queue_of(self, s->queue);
        if (!q || !queue_add(q, s))
            return false;
    }
    free(self->tops);
    self->tops = orma_lines_alloc(ORMA_MAX(self->queues_num, 1u) * sizeof(struct orma_queue *));
    if (!self->tops)
        return false;
    self->tops_len = 0;
    for (uint32_t i = 0; i < self->queues_num; i++) {
        struct orma_queue *q = &self->queues[i];

        if (!q->len)
            continue;
        q->winner = play(q, 1);
        self->tops[self->tops_len++] = q;
    }
    for (uint32_t at = self->tops_len / 2; at-- > 0;)
        sift_queue(self, at);
    return true;
}

/* The earliest time of all queues but the first one. */
static int64_t second_time(const struct orma_sorter *self)
{
    int64_t ret = INT64_MAX;

    for (uint32_t i = 1; i < self->tops_len && i < 3; i++)
        ret = ORMA_MIN(ret, time_of(self->tops[i]));
    return ret;
}

/* `gen`, if it is not NULL, was the item's and is needed no more. */
static inline void emit(struct orma_sorter *self, const struct orma_item *item,
                        struct orma_seq_gen *gen)
{
    self->last_emitted = item->ts;
    self->emitted_any = true;
    self->emit(self->emit_data, item);
    if (ORMA_UNLIKELY(gen != NULL))
        orma_seq_gen_unref(gen);
}

/* Worker. False: the caller wants no more. */
static inline bool pass(struct orma_sorter *self, struct orma_pipe *pipe,
                        const struct orma_item *item, struct orma_seq_gen *gen)
{
    struct orma_forwarded *p = orma_pipe_put(pipe);

    if (!p)
        return false;
    if (item->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT &&
        orma_forwarded_pack(p, item, self->read_plain)) {
        p->retired = gen != NULL;
        return true;
    }
    if (orma_forwarded_pack_kernel(p, item)) {
        struct orma_forwarded_kernel *rest = orma_pipe_put(pipe);

        if (rest)
            orma_forwarded_read_kernel(rest, item);
        return rest != NULL;
    }
    *p = (struct orma_forwarded){.whole = true, .retired = gen != NULL, .gen = gen};
    for (unsigned i = 0; i < ORMA_FORWARDED_PIECES; i++) {
        void *piece = orma_pipe_put(pipe);

        if (!piece)
            return false;
        memcpy(piece, (const char *)item + i * sizeof(*p), ORMA_FORWARDED_PIECE(i));
    }
    return true;
}

/* Where a run reads next; NULL: nowhere. */
static const uint8_t *place_of(const struct orma_stream *s)
{
    const struct orma_run *run = &s->run;

    if (s->sort != STREAM_RUN || run->at == run->num)
        return NULL;
    return run->read ? run->pos : run->segments[run->at].record;
}

/* What all runs have behind them. */
static void let_go_behind_all(struct orma_sorter *self, const uint8_t *first)
{
    self->let_go_from = first + LET_GO_BYTES; /* some run may stay where it is */
    for (const struct orma_stream *s = self->streams; s; s = s->next) {
        const uint8_t *at = place_of(s);

        if (at && at < first)
            first = at;
    }
    if (!self->behind)
        self->behind = orma_mapped_data(self->mapped);
    if (first - self->behind < LET_GO_BYTES)
        return;
    orma_mapped_let_go(self->mapped, self->behind, first);
    self->behind = first;
}

/* Behind a segment, or in a long one, of which what the run has read is read by nobody else. */
ORMA_COLD static void let_go(struct orma_sorter *self, struct orma_stream *s)
{
    struct orma_run *run = &s->run;
    const uint8_t *at = place_of(s);

    if (at && at >= self->let_go_from)
        let_go_behind_all(self, at);
    if (!run->read)
        return;
    const uint8_t *begin = run->segments[run->at].record;
    if (run->behind < begin || run->behind > run->pos)
        run->behind = begin;
    if (run->pos - run->behind < LET_GO_BYTES)
        return;
    orma_mapped_let_go(self->mapped, run->behind, run->pos);
    run->behind = run->pos;
}

/* Emits the head of a stream, or passes it on, and fetches the next one. False: it shall stop. */
static inline bool drain_one(struct orma_sorter *self, struct orma_stream *s,
                             struct orma_pipe *pipe)
{
    bool run = s->sort == STREAM_RUN;

    if (pipe ? orma_pipe_is_left(pipe) : self->failed || !self->budget)
        return false;
    struct orma_seq_gen *gen = run ? orma_run_done(s) : orma_stream_done(s);
    if (ORMA_UNLIKELY(run && s->run.read % LET_GO_EVERY == 0 && self->mapped))
        let_go(self, s);
    if (!pipe) {
        self->budget--;
        emit(self, &s->head, gen);
    } else if (!pass(self, pipe, &s->head, gen)) {
        return false;
    }
    s->has_head = run ? orma_run_next(s) : orma_stream_next(self, s);
    return true;
}

/* Emits from one queue, or passes on to `pipe`. False: it shall stop, perhaps to go on later. */
static bool drain(struct orma_sorter *self, struct orma_queue *q, int64_t until, uint64_t limit,
                  struct orma_pipe *pipe)
{
    for (struct orma_stream *s = first_of(q); s->has_head; s = first_of(q)) {
        if (s->head.ts > until)
            break;
        if (s->head.order >= limit)
            return false;
        if (!drain_one(self, s, pipe))
            return false;
        replay(q);
    }
    return true;
}

static void merge(struct orma_sorter *self, uint64_t limit, struct orma_pipe *pipe)
{
    while (self->tops_len) {
        struct orma_queue *q = self->tops[0];

        bool more = drain(self, q, second_time(self), limit, pipe);

        if (!first_of(q)->has_head)
            self->tops[0] = self->tops[--self->tops_len];
        if (self->tops_len > 1)
            sift_queue(self, 0);
        if (!more)
            break;
    }
}

struct merge_work {
    struct orma_sorter *sorter;
    uint64_t limit;
};

/* On the second thread: touches streams, queues and bytes of the trace, nothing else. */
static void merge_worker(struct orma_pipe *pipe, void *data)
{
    struct merge_work *work = data;

    merge(work->sorter, work->limit, pipe);
}

/* False: there was none. */
static bool get_whole(struct orma_pipe *pipe, struct orma_item *ret)
{
    for (unsigned i = 0; i < ORMA_FORWARDED_PIECES; i++) {
        const void *piece = orma_pipe_get(pipe);

        if (!piece)
            return false;
        memcpy((char *)ret + i * sizeof(struct orma_forwarded), piece, ORMA_FORWARDED_PIECE(i));
    }
    return true;
}

static inline void take_plain(struct orma_sorter *self, const struct orma_forwarded *p)
{
    const struct orma_plain plain = orma_forwarded_plain(p);
    const struct orma_str bytes = {(const char *)p->data, p->len};
    struct orma_item item;

    self->last_emitted = p->ts;
    self->emitted_any = true;
    if (!self->failed && !self->use_plain(self->plain_data, p->ts, p->gen, &plain, bytes)) {
        item = orma_forwarded_item(p);
        self->emit(self->emit_data, &item);
    }
    if (ORMA_UNLIKELY(p->retired))
        orma_seq_gen_unref(p->gen);
}

/*
 * Whether two threads are faster is not known before: another program may hold the second core, or
 * the cores may be far apart. So the first items are merged alone, with an eye on the clock,
 * and the worker is sent home when items have taken as long with it, some times in a row.
 */
struct pace {
    uint64_t every;    /* how many items make a measurement; 0: none is made */
    uint64_t alone_ns; /* what as many took alone */
    uint64_t since, items;
    unsigned slow; /* measurements in a row */
};

#define SLOW_MAX 3

static struct pace measure_alone(struct orma_sorter *self, uint64_t limit)
{
    struct pace pace = {.every = self->threads_from / 4};
    uint64_t begun = orma_clock_monotonic();

    self->budget = pace.every;
    merge(self, limit, NULL);
    pace.alone_ns = orma_clock_monotonic() - begun;
    return pace;
}

/* Before each item. False: two threads are not worth it. */
static inline bool keeps_pace(struct pace *pace)
{
    if (ORMA_LIKELY(pace->items++ != 0) && pace->items <= pace->every)
        return true;
    uint64_t now = orma_clock_monotonic(); /* of the first item, and then of each round */
    bool slow = pace->since && now - pace->since >= pace->alone_ns;

    pace->since = now;
    pace->items = 1;
    pace->slow = slow ? pace->slow + 1 : 0;
    return pace->slow < SLOW_MAX;
}

/* ---- batches ---- */

/*
 * Plain events that were taken and not imported yet: a batch for several threads, if nothing else
 * comes in between. Where events that are not for batches come often, those behind them are
 * imported one by one, and more of them each time.
 */
#define GATHERED_MAX 8192u
/* Two are busy with merging and importing. */
#define BATCH_THREADS 3
#define ALONE_MAX 1024u

struct gathered {
    struct orma_forwarded *items; /* NULL: each is imported as it comes */
    size_t num;
    size_t alone;   /* behind one that is not for batches */
    int64_t latest; /* of the items that were imported before them */
};

/* They are imported. */
static void retire(struct orma_sorter *self, const struct orma_forwarded *items, size_t num)
{
    self->last_emitted = items[num - 1].ts;
    self->emitted_any = true;
    for (size_t i = 0; i < num; i++) {
        if (ORMA_UNLIKELY(items[i].retired))
            orma_seq_gen_unref(items[i].gen);
    }
}

static void import_gathered(struct orma_sorter *self, struct gathered *g)
{
    size_t at = 0;

    while (at < g->num) {
        const size_t left = g->num - at;
        const size_t used = left >= self->batch_from && !self->failed
                                ? self->use_batch(self->plain_data, self->crew, &g->items[at], left)
                                : 0;

        if (used)
            retire(self, &g->items[at], used);
        at += used;
        g->alone = used < self->batch_from ? ORMA_MIN(g->alone * 2 + 1, ALONE_MAX) : 0;
        for (size_t i = 0; i <= g->alone && at < g->num; i++)
            take_plain(self, &g->items[at++]);
    }
    if (g->num)
        self->last_emitted = ORMA_MAX(self->last_emitted, g->latest);
    g->num = 0;
    g->latest = INT64_MIN;
}

static inline void gather_plain(struct orma_sorter *self, struct gathered *g,
                                const struct orma_forwarded *p)
{
    g->items[g->num++] = *p;
    if (ORMA_UNLIKELY(g->num == GATHERED_MAX))
        import_gathered(self, g);
}

static void take_whole(struct orma_sorter *self, struct orma_pipe *pipe, struct gathered *g,
                       struct orma_forwarded first)
{
    struct orma_item item;

    if (!get_whole(pipe, &item))
        return;
    /* What is gathered may still need the generation. */
    if (g->num && !first.gen && !self->failed && self->use_aside(self->plain_data, &item)) {
        g->latest = item.ts;
        return;
    }
    import_gathered(self, g);
    if (self->failed)
        orma_seq_gen_unref(first.gen);
    else
        emit(self, &item, first.gen);
}

/* `item` is zeroed, or of the kernel event before. */
static inline void take_kernel(struct orma_sorter *self, struct orma_pipe *pipe, struct gathered *g,
                               const struct orma_forwarded *p, struct orma_item *item)
{
    /* In the batch behind it the second half may take the place of the first. */
    const struct orma_forwarded first = *p;
    const struct orma_forwarded_kernel *rest = orma_pipe_get(pipe);

    if (!rest)
        return;
    ORMA_ASSERT_HOT(first.bundle < self->bundles_num);
    orma_forwarded_kernel_item(&first, rest, &self->bundles[first.bundle], item);
    if (g->num)
        import_gathered(self, g);
    if (!self->failed)
        emit(self, item, NULL);
}

static void take_all(struct orma_sorter *self, struct orma_pipe *pipe, struct pace *pace,
                     struct gathered *g)
{
    const struct orma_forwarded *p;
    struct orma_item kernel = {0};

    /* Also after a failure: what was passed has generations to give back. */
    while ((p = orma_pipe_get(pipe))) {
        if (pace->every && !keeps_pace(pace)) {
            orma_pipe_leave(pipe);
            self->threads = false;
        }
        if (p->kernel)
            take_kernel(self, pipe, g, p, &kernel);
        else if (p->whole)
            take_whole(self, pipe, g, *p);
        else if (g->items)
            gather_plain(self, g, p);
        else
            take_plain(self, p);
    }
    import_gathered(self, g);
}

static void merge_beside(struct orma_sorter *self, uint64_t limit)
{
    const bool batches =
        orma_crew_threads(self->crew) >= BATCH_THREADS && self->use_batch && self->use_aside;
    struct pace pace = measure_alone(self, limit);
    struct merge_work work = {self, limit};
    struct orma_pipe *pipe = orma_pipe_start(sizeof(struct orma_forwarded), merge_worker, &work);
    struct gathered g = {.latest = INT64_MIN};

    if (!pipe)
        return;
    if (batches) /* without memory for it, they are imported as they come */
        g.items = malloc(GATHERED_MAX * sizeof(*g.items));
    take_all(self, pipe, &pace, &g);
    free(g.items);
    orma_pipe_stop(pipe);
}

void orma_sorter_extract(struct orma_sorter *self, uint64_t limit)
{
    bool beside = self->threads && !self->has_sources && self->waiting >= self->threads_from;

    self->waiting = 0;
    if (!queues_build(self)) {
        self->failed = true;
        return;
    }
    if (beside)
        merge_beside(self, limit);
    self->budget = UINT64_MAX;
    merge(self, limit, NULL);
    free_done_streams(self);
}
