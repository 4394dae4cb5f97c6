/*
 * Annotations that stay in the bytes of the trace until somebody asks for args (store/args.h).
 *
 * Chrome writes whole trees of values, as JSON, into single events: to decode them takes ten times
 * as long as all the rest of such a trace, and most queries never look at them. Which of them are
 * left, import/core/places.h says.
 *
 * What decoding does besides, it must do at once: so nothing is left that may be counted as an
 * error, or make rows of other tables. References to interned data are looked up here, and
 * the generation is kept that has them; what they mean does not change any more.
 */
#include "processor/import/events/event.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"

#include <string.h>

#define NESTING_MAX 64u
/* A generation, which takes up to some KB, is kept for at least so many bytes of annotations, but
 * for the first ones: else a trace that begins one with each event would take more memory. */
#define BYTES_PER_GENERATION 4096u
#define GENERATIONS_FREE 256u

static bool is_known(const struct orma_seq_gen *gen, uint32_t kind, uint64_t iid)
{
    return orma_seq_gen_find(gen, kind, iid) != NULL;
}

/* Whether nothing but args can come of it. */
static bool is_harmless(const struct orma_seq_gen *gen, struct orma_str bytes, bool named,
                        unsigned depth)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    bool has_name = false;

    if (depth >= NESTING_MAX)
        return false;
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_DEBUG_ANNOTATION_NAME:
            has_name = orma_pb_str(&f).data;
            break;
        case ORMA_PB_DEBUG_ANNOTATION_NAME_IID:
            if (!orma_pb_u64(&f) ||
                !is_known(gen, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES, orma_pb_u64(&f)))
                return false;
            has_name = true;
            break;
        case ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE_IID:
            if (!is_known(gen, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES,
                          orma_pb_u64(&f)))
                return false;
            break;
        case ORMA_PB_DEBUG_ANNOTATION_DICT_ENTRIES:
            if (!is_harmless(gen, orma_pb_str(&f), true, depth + 1))
                return false;
            break;
        case ORMA_PB_DEBUG_ANNOTATION_ARRAY_VALUES:
            if (!is_harmless(gen, orma_pb_str(&f), false, depth + 1))
                return false;
            break;
        case ORMA_PB_DEBUG_ANNOTATION_PROTO_VALUE:
            return false;
        }
    }
    return has_name || !named;
}

/* The number of the generation + 1, which is kept; 0: it is not worth it, or memory is out. */
static uint32_t keep(struct orma_import_ctx *imp, struct orma_seq_gen *gen)
{
    struct orma_events_state *st = orma_events(imp);
    const size_t num = st->kept.len;

    if (ORMA_LIKELY(gen->kept))
        return gen->kept;
    if (num >= GENERATIONS_FREE + st->places_bytes / BYTES_PER_GENERATION ||
        num >= ORMA_ARGS_CONTEXT_MAX - 1)
        return 0;
    if (ORMA_VEC_PUSH(&st->kept, gen) < 0)
        return 0;
    return orma_seq_gen_ref(gen)->kept = (uint32_t)num + 1;
}

bool orma_events_harmless(const struct orma_seq_gen *gen, struct orma_str event)
{
    struct orma_pb_reader r = orma_pb_reader(event.data, event.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS &&
            !is_harmless(gen, orma_pb_str(&f), true, 0))
            return false;
    return true;
}

bool orma_events_leaves_annotations(struct orma_import_ctx *imp, struct orma_str event)
{
    return !imp->options->no_plain_events &&
           orma_args_take_places(&imp->model->storage->args, ORMA_ARGS_OF_PACKETS) &&
           orma_import_leaves_args(&orma_events(imp)->shorts, event);
}

bool orma_events_put_place(struct orma_import_ctx *imp, struct orma_seq_gen *gen,
                           struct orma_str event, struct orma_args_list *ret)
{
    const uint32_t kept = keep(imp, gen);

    if (!kept)
        return false;
    orma_events(imp)->places_bytes += event.len;
    orma_args_put_place(ret, (struct orma_args_place){
                                 .bytes = (const uint8_t *)event.data,
                                 .len = (uint32_t)event.len,
                                 .context = orma_args_context(ORMA_ARGS_OF_PACKETS, kept - 1)});
    return true;
}

bool orma_events_leave_annotations(struct orma_import_ctx *imp, struct orma_seq_gen *gen,
                                   struct orma_str event, struct orma_args_list *ret)
{
    return orma_events_leaves_annotations(imp, event) && orma_events_harmless(gen, event) &&
           orma_events_put_place(imp, gen, event, ret);
}

/* ---- when somebody asks ---- */

/* The bytes may be others than those that were left, if they are in a file. */
static void decode(void *data, struct orma_args_place place, struct orma_args_list *ret)
{
    struct orma_import_ctx *imp = data;
    struct orma_events_state *st = orma_events(imp);
    struct orma_pb_reader r = orma_pb_reader(place.bytes, place.len);
    struct orma_pb_field f;

    ORMA_ASSERT(place.context < st->kept.len);
    st->decoding = true;
    orma_import_arrays_start(&st->arrays, NULL);
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS)
            orma_events_annotation(imp, st->kept.data[place.context], orma_pb_str(&f), ret);
    st->decoding = false;
    orma_import_let_go(imp, &st->places_behind, place.bytes);
}

static bool still_there(void *data)
{
    return orma_import_still_there(data);
}

void orma_events_forget_places(struct orma_import_ctx *imp)
{
    struct orma_events_state *st = orma_events(imp);

    for (size_t i = 0; i < st->kept.len; i++) {
        st->kept.data[i]->kept = 0;
        orma_seq_gen_unref(st->kept.data[i]);
    }
    ORMA_VEC_FINI(&st->kept);
}

static void done(void *data)
{
    const struct orma_import_ctx *imp = data;

    orma_events_forget_places(data);
    if (imp->reader)
        orma_mapped_let_go_all(imp->reader->source.mapped);
}

int orma_events_start_places(struct orma_import_ctx *imp)
{
    imp->model->storage->args.places[ORMA_ARGS_OF_PACKETS] = (struct orma_args_places){
        .data = imp, .decode = decode, .still_there = still_there, .done = done};
    return 0;
}
