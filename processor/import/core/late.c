/*
 * Notes are kept as they come, in one list for each family. Settling walks it from where it was
 * stopped the last time; an importer that is stopped inside of an item keeps its place itself. The
 * last step is the importers' own end, which the import left out.
 */
#include "processor/import/core/late.h"

#include <errno.h>

#include "processor/import/core/import.h"

static void put_off(struct orma_import *import, enum orma_family family,
                    const struct orma_item *item)
{
    const struct orma_import_note note = {
        .data = item->data,
        .gen = item->gen,
        .ts = item->ts,
        .aux = item->aux,
        .len = item->len,
        .before = item->before,
        .field = (uint16_t)item->field,
        .machine = item->machine,
    };
    struct orma_storage *st = import->model.storage;

    if (ORMA_VEC_PUSH(&import->late.families[family].notes, note)) {
        st->failed = true;
        return;
    }
    if (note.gen)
        orma_seq_gen_ref(note.gen);
    st->late.bytes += item->len;
    if (!(st->late.waiting >> family & 1))
        orma_storage_mark_family(st, family, true);
}

void orma_import_late_item(struct orma_import *import, struct orma_import_ctx *ctx,
                           const struct orma_importer *importer, const struct orma_item *item)
{
    const struct orma_import_late *late = &import->late;
    struct orma_item copy = *item;
    bool rest = importer->glance(ctx, &copy);
    bool waits = (import->reader.source.mapped || late->always) &&
                 !late->families[importer->family].attached;

    if (rest && waits)
        put_off(import, importer->family, &copy);
    else if (rest)
        (void)importer->parse_late(ctx, &copy); /* nobody stops it */
}

bool orma_import_late_waits(const struct orma_import *import, const struct orma_importer *importer)
{
    return importer->family && import->model.storage->late.waiting >> importer->family & 1;
}

/* As the import hands items out. */
static bool parse(struct orma_import *import, const struct orma_import_note *note)
{
    const struct orma_item item = {
        .ts = note->ts,
        .data = note->data,
        .len = note->len,
        .field = note->field,
        .before = note->before,
        .kind = ORMA_ITEM_PACKET,
        .machine = note->machine,
        .gen = note->gen,
        .aux = note->aux,
    };

    if (import->model.files_read > 1 && note->gen)
        orma_model_use_trace(&import->model, note->gen->seq->trace);
    return import->by_field[note->field]->parse_late(import->ctx_by_field[note->field], &item);
}

static bool parse_notes(struct orma_import *import, enum orma_family family)
{
    struct orma_storage *st = import->model.storage;
    uint32_t *at = &import->late.families[family].at;
    bool ok = true;

    for (; ok && *at < import->late.families[family].notes.len; *at += ok) {
        const struct orma_import_note *note = &import->late.families[family].notes.data[*at];

        ok = !st->failed && !orma_storage_should_stop(st) && parse(import, note);
        if (ok && note->gen)
            orma_seq_gen_unref(note->gen);
    }
    return ok && !st->failed;
}

static bool finish_importers(struct orma_import *import, enum orma_family family)
{
    bool ok = true;

    for (const struct orma_importer_row *r = import->table->importers; ok && r->importer; r++)
        for (unsigned i = 0; r->importer->family == family && i < import->modules_num; i++)
            if (import->modules[i].module == r->module && r->importer->finish_late)
                ok = r->importer->finish_late(&import->modules[i].ctx);
    return ok && !import->model.storage->failed;
}

static void free_notes(struct orma_import *import, enum orma_family family)
{
    for (uint32_t i = import->late.families[family].at; i < import->late.families[family].notes.len;
         i++)
        if (import->late.families[family].notes.data[i].gen)
            orma_seq_gen_unref(import->late.families[family].notes.data[i].gen);
    ORMA_VEC_FINI(&import->late.families[family].notes);
    import->late.families[family].at = 0;
}

/* Bytes that went away or were written over: whatever came of them means nothing. */
static bool is_there(struct orma_reader *reader)
{
    reader->source.unchecked = 0; /* it looks */
    return orma_reader_still_there(reader);
}

/* 0; -ECANCELED: it goes on there the next time; for ever: -ENOMEM, -ESTALE. */
static int settle(void *data, enum orma_family family)
{
    struct orma_import *import = data;
    struct orma_storage *st = import->model.storage;
    uint32_t trace = import->model.trace_row;

    if (import->late.families[family].error)
        return import->late.families[family].error;
    orma_storage_mark_family(st, family, false);
    bool ok = parse_notes(import, family);
    if (ok && import->late.finished)
        ok = finish_importers(import, family);
    if (import->model.files_read > 1)
        orma_model_use_trace(&import->model, trace);
    int r = st->failed ? -ENOMEM : !ok ? -ECANCELED : 0;
    if (!r && import->late.finished && !is_there(&import->reader))
        r = -ESTALE;
    if (r != -ECANCELED)
        free_notes(import, family);
    import->late.families[family].error = r == -ECANCELED ? 0 : r;
    if (r)
        orma_storage_mark_family(st, family, true);
    else if (import->late.finished && !st->late.waiting)
        orma_storage_write_stats(st, import->model.machines_num);
    return r;
}

void orma_import_late_attach(struct orma_import_ctx *imp, enum orma_family family)
{
    struct orma_import_late *late = imp->late;

    if (!late || late->families[family].attached)
        return;
    late->families[family].attached = true;
    if (imp->model->storage->late.waiting >> family & 1)
        (void)settle(late->import, family); /* nobody stops it; out of memory is told elsewhere */
}

void orma_import_late_init(struct orma_import *import)
{
    import->late.import = import;
    import->model.storage->late.settle = settle;
    import->model.storage->late.data = import;
}

void orma_import_late_fini(struct orma_import *import)
{
    for (unsigned i = 0; i < ORMA_FAMILIES_NUM; i++)
        free_notes(import, i);
}
