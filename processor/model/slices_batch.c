/*
 * Threads write nothing that lies among what others write: lines of the cache that go to and fro
 * would take longer than all the work. So what comes of ops lies in lists of their tracks.
 */
#include "processor/model/slices_batch.h"

#include <stdlib.h>

#include "processor/model/nesting.h"

#define NONE UINT32_MAX

struct orma_slices_batch_op {
    uint32_t place; /* of its track, in `tracks` */
    uint32_t at;    /* what came of it, in `results` of the track */
    uint32_t next;  /* op of that track; NONE: it was the last */
    uint32_t row;   /* in the batch; of an end: none */
};

/* What came of an op. */
struct result {
    int64_t dur;
    uint32_t depth, parent; /* ORMA_ROW_NONE: none */
    uint32_t first, num;    /* in `done`: what it ended for good */
    bool alone;             /* an end of nothing */
};

/* A slice whose args are complete. */
struct done {
    uint32_t row;
    uint32_t op; /* that had its args, + 1; 0: they lie in the stack, */
    uint32_t at; /* there */
};

/* A row from before the batch, and how long it takes. */
struct length {
    uint32_t row;
    int64_t dur;
};

/* A track and its stack on the way through the batch. Memory is used again by other tracks. */
struct orma_slices_batch_track {
    struct orma_slices_batch *batch;
    uint32_t track, first, last; /* ops */
    uint32_t ops_num, op;        /* the one under way */
    uint32_t misplaced;
    bool failed;
    struct orma_slice_stack stack; /* a copy, without args */
    ORMA_VEC(struct result) results;
    ORMA_VEC(struct done) done;
    ORMA_VEC(struct length) lengths;
};

bool orma_slices_batch_may(const struct orma_slices *slices)
{
    return !slices->translations && !slices->begun && !slices->storage->failed;
}

bool orma_slices_batch_init(struct orma_slices_batch *self, struct orma_slices *slices)
{
    const size_t num = ORMA_SLICES_BATCH_MAX;

    *self = (struct orma_slices_batch){.slices = slices,
                                       .ops = calloc(num, sizeof(*self->ops)),
                                       .sets = calloc(num, sizeof(*self->sets)),
                                       .of_ops = calloc(num, sizeof(*self->of_ops)),
                                       .op_of_row = calloc(num, sizeof(*self->op_of_row))};
    if (self->ops && self->sets && self->of_ops && self->op_of_row)
        return true;
    orma_slices_batch_fini(self);
    return false;
}

void orma_slices_batch_fini(struct orma_slices_batch *self)
{
    for (uint32_t i = 0; i < self->tracks_cap; i++) {
        free(self->tracks[i].stack.entries);
        ORMA_VEC_FINI(&self->tracks[i].results);
        ORMA_VEC_FINI(&self->tracks[i].done);
        ORMA_VEC_FINI(&self->tracks[i].lengths);
    }
    free(self->tracks);
    free(self->place_of_track);
    free(self->ops);
    free(self->sets);
    free(self->of_ops);
    free(self->op_of_row);
    ORMA_VEC_FINI(&self->args);
    *self = (struct orma_slices_batch){0};
}

/* ---- what comes of nesting goes to lists ---- */

static inline void ended(void *data, const struct orma_slice_entry *e)
{
    struct orma_slices_batch_track *t = data;

    if (e->op)
        t->results.data[t->batch->of_ops[e->op - 1].at].dur = e->dur;
    else
        t->failed |= ORMA_VEC_PUSH(&t->lengths, (struct length){e->row, e->dur}) < 0;
}

static inline void done(void *data, struct orma_slice_stack *s, uint32_t at)
{
    struct orma_slices_batch_track *t = data;
    struct orma_slice_entry *e = &s->entries[at];

    e->pending = false;
    t->results.data[t->results.len - 1].num++; /* of the op under way */
    t->failed |= ORMA_VEC_PUSH(&t->done, (struct done){e->row, e->op, at}) < 0;
}

static void misplaced(void *data)
{
    struct orma_slices_batch_track *t = data;

    t->misplaced++;
}

static const struct orma_nesting to_lists = {ended, done, misplaced};

static void trim_all(void *data, struct orma_slice_stack *s, int64_t ts, bool instant)
{
    orma_nesting_trim_all(&to_lists, data, s, ts, instant);
}

static bool copy_stack(struct orma_slices_batch_track *t, const struct orma_slice_stack *from)
{
    struct orma_slice_stack *s = &t->stack;

    if (ORMA_GROW(&s->entries, &s->cap, (size_t)from->num + 1))
        return false;
    if (from->num)
        memcpy(s->entries, from->entries, from->num * sizeof(*s->entries));
    s->num = from->num;
    s->closed = from->closed;
    return true;
}

static bool push(struct orma_slices_batch_track *t, const struct orma_slices_op *op, uint32_t row,
                 int64_t dur)
{
    struct orma_slice_stack *s = &t->stack;
    struct result *result = &t->results.data[t->results.len - 1];
    const uint32_t at = s->num;

    if (at >= ORMA_SLICE_DEPTH_MAX || ORMA_GROW(&s->entries, &s->cap, (size_t)at + 1))
        return false;
    result->dur = dur;
    result->depth = at;
    result->parent = at ? s->entries[at - 1].row : ORMA_ROW_NONE;
    struct orma_slice_entry *e =
        orma_nesting_push(s, t->batch->base + row, op->ts, dur, op->category, op->name);
    e->pending = op->has_args;
    e->op = t->op + 1;
    return true;
}

static bool nest_op(struct orma_slices_batch_track *t, const struct orma_slices_op *op,
                    uint32_t row)
{
    struct orma_slice_stack *s = &t->stack;

    orma_nesting_trim(&to_lists, t, s, op->ts, op->kind == ORMA_SLICES_INSTANT, trim_all);
    if (op->kind != ORMA_SLICES_END)
        return push(t, op, row, op->kind == ORMA_SLICES_INSTANT ? 0 : -1);
    const uint32_t at = orma_nesting_end(&to_lists, t, s, op->ts, op->category, op->name);
    if (at == ORMA_SLICE_NONE)
        t->results.data[t->results.len - 1].alone = true;
    else
        orma_nesting_leave(&to_lists, t, s, at);
    return true;
}

static bool nest_track(void *data, size_t piece, unsigned thread)
{
    struct orma_slices_batch *self = data;
    struct orma_slices_batch_track *t = &self->tracks[piece];

    (void)thread;
    if (!copy_stack(t, self->slices->stacks[t->track]) || ORMA_VEC_RESERVE(&t->results, t->ops_num))
        return false;
    for (t->op = t->first; t->op != NONE; t->op = self->of_ops[t->op].next) {
        t->results.data[t->results.len++] = (struct result){.first = t->done.len};
        if (!nest_op(t, &self->ops[t->op], self->of_ops[t->op].row))
            return false;
    }
    return !t->failed;
}

/* ---- ops by tracks ---- */

/* False: memory is out. What has grown is zeroed in any case: later batches look at it. */
static bool room_for(struct orma_slices_batch *self, uint32_t track)
{
    const uint32_t places = self->places_cap, tracks = self->tracks_cap;
    const bool ok = !ORMA_GROW(&self->place_of_track, &self->places_cap, (size_t)track + 1) &&
                    !ORMA_GROW(&self->tracks, &self->tracks_cap, (size_t)self->tracks_num + 1);

    if (self->places_cap > places)
        memset(self->place_of_track + places, 0,
               (self->places_cap - places) * sizeof(*self->place_of_track));
    if (self->tracks_cap > tracks)
        memset(self->tracks + tracks, 0, (self->tracks_cap - tracks) * sizeof(*self->tracks));
    return ok;
}

/* The place of a track, made if it has none; NONE: it is not for batches, or memory is out. */
static uint32_t place_of(struct orma_slices_batch *self, uint32_t track)
{
    if (ORMA_LIKELY(track < self->places_cap && self->place_of_track[track]))
        return self->place_of_track[track] - 1;
    struct orma_slice_stack *s = orma_slices_stack(self->slices, track);
    if (!s || s->unnestable)
        return NONE;
    if (!room_for(self, track))
        return NONE;
    struct orma_slices_batch_track *t = &self->tracks[self->tracks_num++];
    t->batch = self;
    t->track = track;
    t->first = t->last = NONE;
    t->ops_num = t->misplaced = 0;
    t->failed = false;
    t->results.len = t->done.len = t->lengths.len = 0;
    self->place_of_track[track] = self->tracks_num;
    return self->tracks_num - 1;
}

/* Lists the ops of each track, and numbers the rows. False: one of them is not for batches. */
static bool arrange(struct orma_slices_batch *self)
{
    self->base = self->slices->storage->tables[ORMA_TABLE_SLICE].rows;
    self->rows = self->tracks_num = 0;
    for (uint32_t i = 0; i < self->num; i++) {
        const uint32_t place = place_of(self, self->ops[i].track);
        struct orma_slices_batch_op *of = &self->of_ops[i];

        if (place == NONE)
            return false;
        struct orma_slices_batch_track *t = &self->tracks[place];
        *of = (struct orma_slices_batch_op){
            .place = place, .at = t->ops_num++, .next = NONE, .row = self->rows};
        if (t->last == NONE)
            t->first = i;
        else
            self->of_ops[t->last].next = i;
        t->last = i;
        if (self->ops[i].kind != ORMA_SLICES_END)
            self->op_of_row[self->rows++] = i;
    }
    return true;
}

bool orma_slices_batch_nest(struct orma_slices_batch *self, struct orma_crew *crew)
{
    bool ok = arrange(self);
    const struct orma_crew_job job = {.work = nest_track, .data = self, .pieces = self->tracks_num};

    ok = ok && orma_crew_run(crew, &job);
    for (uint32_t i = 0; i < self->tracks_num; i++)
        self->place_of_track[self->tracks[i].track] = 0;
    self->args.len = 0;
    return ok;
}

/* ---- columns ---- */

static struct orma_table *table_of(const struct orma_slices_batch *self)
{
    return &self->slices->storage->tables[ORMA_TABLE_SLICE];
}

static const struct result *result_of(const struct orma_slices_batch *self, uint32_t op)
{
    const struct orma_slices_batch_op *of = &self->of_ops[op];

    return &self->tracks[of->place].results.data[of->at];
}

/* As orma_table_set_time(), but what is noted of the column lies beside other columns. */
static void store_times(struct orma_slices_batch *self)
{
    struct orma_column *col = &table_of(self)->columns[ORMA_SLICE_TS];
    int64_t last = self->base ? col->last : INT64_MIN;
    bool unsorted = false;

    for (uint32_t i = 0; i < self->rows; i++) {
        const int64_t ts = self->ops[self->op_of_row[i]].ts;

        unsorted |= ts < last;
        last = ts;
        orma_table_set(table_of(self), ORMA_SLICE_TS, self->base + i, ts);
    }
    col->unsorted |= unsorted;
    col->last = self->rows ? last : col->last;
}

static void store_durs(struct orma_slices_batch *self)
{
    struct orma_table *table = table_of(self);

    for (uint32_t i = 0; i < self->rows; i++)
        orma_table_set(table, ORMA_SLICE_DUR, self->base + i,
                       result_of(self, self->op_of_row[i])->dur);
    for (uint32_t i = 0; i < self->tracks_num; i++) {
        const struct orma_slices_batch_track *t = &self->tracks[i];

        for (uint32_t k = 0; k < t->lengths.len; k++)
            orma_table_set(table, ORMA_SLICE_DUR, t->lengths.data[k].row, t->lengths.data[k].dur);
    }
}

static void store_tracks(struct orma_slices_batch *self)
{
    for (uint32_t i = 0; i < self->rows; i++)
        orma_table_set(table_of(self), ORMA_SLICE_TRACK_ID, self->base + i,
                       self->ops[self->op_of_row[i]].track);
}

static void store_categories(struct orma_slices_batch *self)
{
    for (uint32_t i = 0; i < self->rows; i++)
        orma_table_set(table_of(self), ORMA_SLICE_CATEGORY, self->base + i,
                       self->ops[self->op_of_row[i]].category);
}

static void store_names(struct orma_slices_batch *self)
{
    for (uint32_t i = 0; i < self->rows; i++)
        orma_table_set(table_of(self), ORMA_SLICE_NAME, self->base + i,
                       self->ops[self->op_of_row[i]].name);
}

static void store_depths(struct orma_slices_batch *self)
{
    for (uint32_t i = 0; i < self->rows; i++)
        orma_table_set(table_of(self), ORMA_SLICE_DEPTH, self->base + i,
                       result_of(self, self->op_of_row[i])->depth);
}

static void store_parents(struct orma_slices_batch *self)
{
    for (uint32_t i = 0; i < self->rows; i++) {
        const uint32_t parent = result_of(self, self->op_of_row[i])->parent;

        if (parent != ORMA_ROW_NONE)
            orma_table_set(table_of(self), ORMA_SLICE_PARENT_ID, self->base + i, parent);
    }
}

/* Nobody else looks at sets of args meanwhile. */
static void store_set(struct orma_slices_batch *self, uint32_t track, const struct done *done)
{
    struct orma_args_list *in_stack = &self->slices->stacks[track]->args[done->at], of_op;
    const struct orma_args_list *list = in_stack;

    if (done->op) {
        of_op = orma_slices_batch_list(self, done->op - 1);
        list = &of_op;
    }
    if (list->len) /* there were annotations, but nothing came of them */
        orma_storage_set_args(table_of(self), ORMA_SLICE_ARG_SET_ID, done->row,
                              orma_args_commit(&self->slices->storage->args, list));
    if (!done->op)
        orma_args_list_clear(in_stack);
}

static void store_args(struct orma_slices_batch *self)
{
    for (uint32_t i = 0; i < self->num; i++) {
        const struct orma_slices_batch_track *t = &self->tracks[self->of_ops[i].place];
        const struct result *result = result_of(self, i);

        for (uint32_t k = 0; k < result->num; k++)
            store_set(self, t->track, &t->done.data[result->first + k]);
    }
}

/* The longest first. */
static void (*const columns[])(struct orma_slices_batch *self) = {
    store_args,       store_durs,  store_times,  store_parents,
    store_categories, store_names, store_tracks, store_depths,
};

static bool store_column(void *data, size_t piece, unsigned thread)
{
    (void)thread;
    columns[piece](data);
    return true;
}

/* The stack is that of the batch from now on, with args of those that are still in it. */
static void keep_stack(struct orma_slices_batch *self, const struct orma_slices_batch_track *t)
{
    struct orma_slice_stack *s = self->slices->stacks[t->track];

    orma_stats_add(&self->slices->storage->stats[0], ORMA_STAT_MISPLACED_END_EVENT, t->misplaced);
    if (!orma_slices_reserve(self->slices, s, t->stack.num))
        return;
    s->num = t->stack.num;
    s->closed = t->stack.closed;
    for (uint32_t i = 0; i < s->num; i++) {
        struct orma_slice_entry *e = &s->entries[i];

        *e = t->stack.entries[i];
        if (e->op && e->pending) {
            const struct orma_args_list list = orma_slices_batch_list(self, e->op - 1);

            orma_args_list_copy(&s->args[i], &list);
            e->pending = list.len;
        }
        e->op = 0;
    }
}

bool orma_slices_batch_is_alone(const struct orma_slices_batch *self, uint32_t op)
{
    return result_of(self, op)->alone;
}

void orma_slices_batch_store(struct orma_slices_batch *self, struct orma_crew *crew)
{
    const struct orma_crew_job job = {
        .work = store_column, .data = self, .pieces = ORMA_ARRAY_LEN(columns)};

    for (uint32_t i = 0; i < self->rows; i++)
        (void)orma_table_add(table_of(self)); /* if memory is out, that is noted */
    (void)orma_crew_run(crew, &job);          /* pieces cannot fail */
    for (uint32_t i = 0; i < self->tracks_num; i++)
        keep_stack(self, &self->tracks[i]);
}
