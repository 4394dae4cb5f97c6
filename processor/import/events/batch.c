/*
 * Plain events in batches, by several threads:
 *
 *   find     pieces of events    names, categories, tracks: all that is known already. The first
 *                                event that needs more ends the batch
 *   nest     tracks              slices_batch.h
 *   args     this thread         what is decoded has texts, which are numbered in order
 *   store    columns             slices_batch.h
 *
 * Counters on tracks that have their rows, which touch nothing of that, are taken while a batch is
 * gathered, before it.
 */
#include "processor/import/events/plain.h"
#include "processor/model/slices_batch.h"
#include "processor/read/forwarded.h"
#include "protos/fields/track_event.h"

#include <stdlib.h>

#define PIECE 512u

enum harmless { NOT_ASKED, HARMLESS, HARMFUL };

struct orma_events_batch {
    struct orma_slices_batch slices;
    uint8_t harmless[ORMA_SLICES_BATCH_MAX]; /* enum harmless: annotations, which may be left */
    uint32_t ends[ORMA_SLICES_BATCH_MAX / PIECE]; /* of pieces: the first event that is not plain */
    /* Of the batch at hand. */
    struct orma_import_ctx *imp;
    const struct orma_forwarded *items;
    uint32_t num;
};

void orma_events_batch_free(struct orma_events_batch *self)
{
    if (self)
        orma_slices_batch_fini(&self->slices);
    free(self);
}

/* NULL: memory is out. */
static struct orma_events_batch *batch_of(struct orma_import_ctx *imp)
{
    struct orma_events_state *st = orma_events(imp);
    struct orma_events_batch *self = st->batch;

    if (self)
        return self;
    self = calloc(1, sizeof(*self));
    if (!self || !orma_slices_batch_init(&self->slices, &imp->model->slices)) {
        free(self);
        return NULL;
    }
    self->imp = imp;
    return st->batch = self;
}

static struct orma_str bytes_of(const struct orma_forwarded *p)
{
    return (struct orma_str){(const char *)p->data, p->len};
}

/* ---- find: any thread ---- */

static const uint8_t kinds[] = {
    [ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN] = ORMA_SLICES_BEGIN,
    [ORMA_PB_TRACK_EVENT_TYPE_SLICE_END] = ORMA_SLICES_END,
    [ORMA_PB_TRACK_EVENT_TYPE_INSTANT] = ORMA_SLICES_INSTANT,
};

/* Looks through annotations that are long, which takes as long as all the rest. */
static enum harmless look_through(const struct orma_events_batch *self,
                                  const struct orma_forwarded *p)
{
    if (!p->annotated || !orma_import_may_leave_args(&orma_events(self->imp)->shorts, bytes_of(p)))
        return NOT_ASKED;
    return orma_events_harmless(p->gen, bytes_of(p)) ? HARMLESS : HARMFUL;
}

/* False: something of it is not known yet. */
static inline bool find_one(struct orma_events_batch *self, uint32_t at)
{
    const struct orma_forwarded *p = &self->items[at];
    const struct orma_events_track *t =
        orma_events_plain_track(self->imp, p->gen, p->gen->track_uuid);
    struct orma_slices_op op = {.ts = p->ts, .has_args = p->annotated};

    if (p->name_iid &&
        !(op.name = orma_events_known_text(p->gen, ORMA_PB_INTERNED_DATA_EVENT_NAMES, p->name_iid)))
        return false;
    if (p->has_category && !(op.category = orma_events_known_text(
                                 p->gen, ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES, p->category_iid)))
        return false;
    if (!t || !orma_events_is_plain_track(t, p->gen) ||
        p->type == ORMA_PB_TRACK_EVENT_TYPE_UNSPECIFIED)
        return false;
    op.track = t->track;
    op.kind = kinds[p->type];
    self->slices.ops[at] = op;
    self->harmless[at] = (uint8_t)look_through(self, p);
    return true;
}

static bool find_piece(void *data, size_t piece, unsigned thread)
{
    struct orma_events_batch *self = data;
    const uint32_t from = (uint32_t)piece * PIECE, to = ORMA_MIN(self->num, from + PIECE);
    uint32_t at = from;

    (void)thread;
    while (at < to && find_one(self, at))
        at++;
    self->ends[piece] = at;
    return at == to; /* else nobody needs the pieces behind */
}

/* How many events at the begin are plain. */
static uint32_t find_all(struct orma_events_batch *self, struct orma_crew *crew)
{
    const size_t pieces = (self->num + PIECE - 1) / PIECE;
    const struct orma_crew_job job = {.work = find_piece, .data = self, .pieces = pieces};

    for (size_t i = 0; i < pieces; i++)
        self->ends[i] = (uint32_t)i * PIECE;
    if (orma_crew_run(crew, &job))
        return self->num;
    for (size_t i = 0; i < pieces; i++)
        if (self->ends[i] != ORMA_MIN(self->num, (uint32_t)(i + 1) * PIECE))
            return self->ends[i];
    return self->num;
}

/* ---- args: in order ---- */

static void keep_set(struct orma_slices_batch *slices, uint32_t at,
                     const struct orma_args_list *list)
{
    struct orma_slices_set set = {.first = slices->args.len,
                                  .len = list->len,
                                  .behind = list->behind,
                                  .memo = list->memo,
                                  .memo_stamp = list->memo_stamp};

    if (ORMA_VEC_RESERVE(&slices->args, (size_t)list->len + 1)) {
        slices->slices->storage->failed = true;
        set.len = set.behind = 0;
    } else {
        memcpy(slices->args.data + slices->args.len, list->args, list->len * sizeof(*list->args));
        slices->args.len += list->len;
    }
    slices->sets[at] = set;
}

static bool is_harmless(const struct orma_events_batch *self, uint32_t at)
{
    const struct orma_forwarded *p = &self->items[at];

    return self->harmless[at] == HARMLESS ||
           (self->harmless[at] == NOT_ASKED && orma_events_harmless(p->gen, bytes_of(p)));
}

static void take_args(struct orma_events_batch *self)
{
    struct orma_import_ctx *imp = self->imp;
    ORMA_MODEL_ARGS(args, imp->model);

    for (uint32_t i = 0; i < self->slices.num; i++) {
        const struct orma_forwarded *p = &self->items[i];

        if (p->annotated) {
            orma_args_list_clear(args);
            if (!orma_events_leaves_annotations(imp, bytes_of(p)) || !is_harmless(self, i) ||
                !orma_events_put_place(imp, p->gen, bytes_of(p), args))
                orma_events_take_annotations(imp, p->gen, bytes_of(p), args);
            keep_set(&self->slices, i, args);
        } else if (ORMA_UNLIKELY(p->type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_END &&
                                 orma_slices_batch_is_alone(&self->slices, i))) {
            orma_import_ended(imp, ORMA_SLICE_NONE);
        }
    }
}

/* So that the next ones of the sequences need not be looked for. */
static void note_tracks(struct orma_events_batch *self)
{
    for (uint32_t i = 0; i < self->slices.num; i += PIECE) {
        struct orma_seq_gen *gen = self->items[i].gen;

        gen->event_track = orma_events_plain_track(self->imp, gen, gen->track_uuid);
    }
}

size_t orma_events_use_batch(void *data, struct orma_crew *crew, const struct orma_forwarded *items,
                             size_t num)
{
    struct orma_import_ctx *imp = data;
    const bool may = orma_slices_batch_may(&imp->model->slices) && imp->model->files_read <= 1;
    struct orma_events_batch *self = may ? batch_of(imp) : NULL;

    if (!self)
        return 0;
    self->items = items;
    self->num = (uint32_t)ORMA_MIN(num, (size_t)ORMA_SLICES_BATCH_MAX);
    self->slices.num = find_all(self, crew);
    if (!self->slices.num || !orma_slices_batch_nest(&self->slices, crew))
        return 0;
    take_args(self);
    orma_slices_batch_store(&self->slices, crew);
    note_tracks(self);
    return self->slices.num;
}

/* ---- counters ---- */

bool orma_events_use_aside(void *data, const struct orma_item *item)
{
    struct orma_import_ctx *imp = data;
    struct orma_events_record e;

    if (item->field != ORMA_PB_TRACE_PACKET_TRACK_EVENT || !item->gen || item->extra ||
        imp->options->analyze_content || imp->model->files_read > 1)
        return false;
    orma_events_read(item, &e);
    return !e.malformed && !e.unfit_id && e.type == ORMA_PB_TRACK_EVENT_TYPE_COUNTER &&
           orma_events_counter_aside(imp, &e);
}
