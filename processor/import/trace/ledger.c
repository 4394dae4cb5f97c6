/*
 * One entry per recording of each file: whether its service promised statistics, and whether
 * packets came after the last of them. The totals of a TraceStats replace those of the one before
 * it, so its rows are dropped when the next one begins. At the end, a trace that lacks its last
 * statistics gets the row `unreported`.
 */
#include "processor/import/trace/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "processor/import/trace/trace.h"
#include "processor/model/incidents.h"
#include "protos/fields/orma_ext.h"
#include "protos/loss.h"
#include "sdk/wire/pb_writer.h"

/* More recordings in one file than anybody writes behind each other; of what follows nothing is
 * known. */
#define RECORDINGS_MAX 256

/* What is known of one recording of a file. */
struct known {
    uint32_t trace_row;
    uint32_t first_row;      /* of the table: the ones above are of others */
    uint32_t number;         /* among those of its file */
    uint64_t uuid[2];        /* 0, 0: none came yet */
    bool is_over;            /* another one follows */
    bool is_crowded;         /* ... too many */
    uint64_t packets_at_end; /* of all writers of the file */
    int32_t first_buffer, buffers;
    uint16_t totals_of;                       /* the machine */
    int64_t totals[ORMA_TRACE_LEDGER_TOTALS]; /* by field of TraceStats, as last said */
    bool expected;                            /* it has a config */
    bool ours;              /* written by our service: the last TraceStats is behind all data */
    bool has_stats;         /* at least one TraceStats */
    bool has_counts;        /* ... with a ledger, as we write them */
    bool unsettled;         /* ... the last of which leaves packets of some writer unexplained */
    uint64_t delivered;     /* of all writers, as the last TraceStats says */
    uint64_t before, after; /* of them in other files: as the first says, and the last */
    bool has_before, goes_on;
    bool into_file;            /* the service wrote the file while it recorded */
    bool started, disabled;    /* as the service says */
    bool read_out;             /* all that was in the buffers after that */
    uint64_t packets;          /* of all writers, before the last TraceStats */
    uint16_t machine;          /* that the last TraceStats is of */
    struct orma_buf incidents; /* of it, as in protos/orma_ext.proto */
};

struct orma_trace_ledger {
    struct known *traces;
    uint32_t num;
};

static struct known *add_known(struct orma_import_ctx *imp)
{
    struct orma_trace_ledger *self = orma_trace(imp)->ledger;
    struct known *traces = realloc(self->traces, (self->num + 1) * sizeof(*traces));

    if (!traces) {
        imp->model->storage->failed = true;
        return NULL;
    }
    self->traces = traces;
    traces[self->num] =
        (struct known){.trace_row = imp->model->trace_row,
                       .first_row = orma_model_table(imp->model, ORMA_TABLE_LOSS)->rows};
    return &traces[self->num++];
}

/* That of the recording that is read now. NULL: no memory. */
static struct known *current(struct orma_import_ctx *imp)
{
    struct orma_trace_ledger *self =
        orma_model_lazy(imp->model, (void **)&orma_trace(imp)->ledger, sizeof(*self));

    if (!self)
        return NULL;
    for (uint32_t i = self->num; i-- > 0;) {
        if (self->traces[i].trace_row == imp->model->trace_row)
            return &self->traces[i];
    }
    return add_known(imp);
}

/* Of all writers so far. */
static uint64_t packets_now(const struct orma_import_ctx *imp)
{
    return imp->reader ? imp->reader->counts.data : 0;
}

void orma_trace_ledger_expect(struct orma_import_ctx *imp, bool into_file)
{
    struct known *known = current(imp);

    if (!known)
        return;
    known->expected = true;
    known->into_file |= into_file;
}

void orma_trace_ledger_phase(struct orma_import_ctx *imp, enum orma_trace_ledger_phase phase)
{
    struct known *known = current(imp);

    if (!known)
        return;
    known->started |= phase == ORMA_TRACE_LEDGER_STARTED;
    known->disabled |= phase == ORMA_TRACE_LEDGER_DISABLED;
    known->read_out |=
        phase == ORMA_TRACE_LEDGER_CLONED || (known->disabled && phase == ORMA_TRACE_LEDGER_READ);
}

void orma_trace_ledger_service(struct orma_import_ctx *imp, struct orma_str version)
{
    struct known *known = current(imp);

    if (known && orma_str_find(version, ORMA_STR("-orma-")))
        known->ours = true;
}

void orma_trace_ledger_recording(struct orma_import_ctx *imp, uint64_t msb, uint64_t lsb)
{
    struct known *known = current(imp);

    if (!known || (known->uuid[0] == msb && known->uuid[1] == lsb))
        return;
    if (!known->uuid[0] && !known->uuid[1]) {
        known->uuid[0] = msb;
        known->uuid[1] = lsb;
        return;
    }
    if (known->number + 1 == RECORDINGS_MAX) {
        known->is_crowded = true;
        return;
    }
    known->is_over = true;
    known->packets_at_end = packets_now(imp);
    const uint32_t number = known->number + 1;
    const int32_t first_buffer = known->first_buffer + known->buffers;
    known = add_known(imp); /* the one before may have moved */
    if (!known)
        return;
    known->number = number;
    known->first_buffer = first_buffer;
    known->expected = true;
    known->uuid[0] = msb;
    known->uuid[1] = lsb;
}

int32_t orma_trace_ledger_first_buffer(struct orma_import_ctx *imp)
{
    const struct known *known = current(imp);

    return known ? known->first_buffer : 0;
}

void orma_trace_ledger_note_buffers(struct orma_import_ctx *imp, int32_t num)
{
    struct known *known = current(imp);

    if (known)
        known->buffers = num;
}

int64_t orma_trace_ledger_more(struct orma_import_ctx *imp, uint16_t machine, uint32_t field,
                               int64_t total)
{
    struct known *known = current(imp);

    if (!known)
        return 0;
    if (known->totals_of != machine) {
        memset(known->totals, 0, sizeof(known->totals));
        known->totals_of = machine;
    }
    int64_t before = known->totals[field];
    known->totals[field] = total;
    return orma_stats_difference(total, before);
}

void orma_trace_ledger_begin(struct orma_import_ctx *imp)
{
    struct known *known = current(imp);

    if (!known)
        return;
    /* There may be several; each has totals, so the last one counts. */
    orma_table_truncate(orma_model_table(imp->model, ORMA_TABLE_LOSS), known->first_row);
    known->has_stats = true;
    known->unsettled = false;
    known->delivered = known->after = 0;
    known->goes_on = false;
    orma_buf_clear(&known->incidents);
    known->packets = packets_now(imp);
}

/* `packets` NULL: how many is not known. */
static void add_row(struct orma_import_ctx *imp, uint16_t machine, const uint64_t *counts,
                    const char *reason, const uint64_t *packets)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_LOSS);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_LOSS_SEQUENCE_ID, row, (int64_t)counts[ORMA_COUNTS_SEQUENCE_ID]);
    orma_table_set(
        t, ORMA_LOSS_BUFFER, row,
        orma_stats_sum((int64_t)counts[ORMA_COUNTS_BUFFER], orma_trace_ledger_first_buffer(imp)));
    orma_table_set(t, ORMA_LOSS_PRODUCER_ID, row, (int64_t)counts[ORMA_COUNTS_PRODUCER_ID]);
    orma_table_set(t, ORMA_LOSS_WRITER_ID, row, (int64_t)counts[ORMA_COUNTS_WRITER_ID]);
    orma_table_set(t, ORMA_LOSS_REASON, row, orma_model_cstr(imp->model, reason));
    if (packets)
        orma_table_set(t, ORMA_LOSS_PACKETS, row, (int64_t)ORMA_MIN(*packets, INT64_MAX));
    orma_table_set(t, ORMA_LOSS_MACHINE_ID, row, machine);
    orma_table_set(t, ORMA_LOSS_TRACE_ID, row, imp->model->trace_row);
}

/* Emitted, and neither delivered nor lost: still in a buffer when the service said so. */
static bool is_unsettled(const uint64_t *counts)
{
    uint64_t left = counts[ORMA_COUNTS_EMITTED];

    left -= ORMA_MIN(left, counts[ORMA_COUNTS_DELIVERED]);
    for (unsigned i = 0; i < ORMA_LOST_REASONS; i++)
        left -= ORMA_MIN(left, counts[orma_loss_words[i].field]);
    return left && !counts[orma_loss_unreported.field];
}

void orma_trace_ledger_add(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct known *known = current(imp);
    struct orma_pb_field f;
    uint64_t counts[16] = {0};
    uint32_t seen = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id < ORMA_ARRAY_LEN(counts)) {
            counts[f.id] = orma_pb_u64(&f);
            seen |= 1u << f.id;
        }
    }
    if (known) {
        known->has_counts = true;
        known->unsettled |= is_unsettled(counts);
        if (__builtin_add_overflow(known->delivered, counts[ORMA_COUNTS_DELIVERED],
                                   &known->delivered) ||
            __builtin_add_overflow(known->delivered, counts[ORMA_COUNTS_KEPT], &known->delivered))
            known->delivered = UINT64_MAX; /* made up */
    }
    if (seen >> ORMA_COUNTS_EMITTED & 1)
        add_row(imp, machine, counts, "emitted", &counts[ORMA_COUNTS_EMITTED]);
    if (seen >> ORMA_COUNTS_DELIVERED & 1)
        add_row(imp, machine, counts, "delivered", &counts[ORMA_COUNTS_DELIVERED]);
    for (unsigned i = 0; i < ORMA_LOST_REASONS; i++) {
        if (counts[orma_loss_words[i].field])
            add_row(imp, machine, counts, orma_loss_words[i].name,
                    &counts[orma_loss_words[i].field]);
    }
    if (counts[orma_loss_unreported.field])
        add_row(imp, machine, counts, orma_loss_unreported.name, NULL);
}

void orma_trace_ledger_before(struct orma_import_ctx *imp, uint64_t packets)
{
    struct known *known = current(imp);

    if (!known || known->has_before)
        return; /* files one after the other begin where the first one does */
    known->has_before = true;
    known->before = packets;
}

void orma_trace_ledger_after(struct orma_import_ctx *imp, uint64_t packets)
{
    struct known *known = current(imp);

    if (!known)
        return;
    known->goes_on = true;
    known->after = packets;
}

void orma_trace_ledger_add_incident(struct orma_import_ctx *imp, uint16_t machine,
                                    struct orma_str message)
{
    struct known *known = current(imp);

    if (!known)
        return;
    known->machine = machine;
    orma_pb_put_bytes(&known->incidents, ORMA_PB_TRACE_STATS_ORMA_INCIDENTS, message.data,
                      message.len);
    imp->model->storage->failed |= known->incidents.failed;
}

static void add_incidents(struct orma_import_ctx *imp, const struct known *known)
{
    struct orma_pb_reader r = orma_pb_reader(known->incidents.data, known->incidents.len);
    struct orma_pb_field f;

    orma_model_use_trace(imp->model, known->trace_row);
    while (orma_pb_next(&r, &f))
        orma_model_add_incident(imp->model, known->machine, orma_pb_str(&f));
}

/* Data behind the last statistics, or in a buffer when they were made, or none of those at all. */
static bool lacks_the_end(const struct known *known)
{
    if (known->is_crowded)
        return true;
    if (!known->has_stats)
        return known->expected;
    /* Others write statistics from time to time; what they say of their phases tells the last. */
    if (!known->ours && !known->has_counts)
        return known->into_file && known->started && !known->read_out;
    return (known->unsettled && !known->goes_on) || known->packets_at_end > known->packets;
}

/* The last recording of a file goes on to its end. In one go for all: either may be many. */
static void end_files(struct orma_import_ctx *imp, struct orma_trace_ledger *self)
{
    const uint32_t rows = orma_model_table(imp->model, ORMA_TABLE_TRACE_FILE)->rows;
    uint64_t *packets = imp->reader ? calloc(rows + (size_t)1, sizeof(*packets)) : NULL;

    imp->model->storage->failed |= imp->reader && !packets;
    if (!packets)
        return;
    ORMA_MAP_EACH (slot, &imp->reader->seqs.by_id) {
        const struct orma_seq *seq = (const struct orma_seq *)(uintptr_t)slot->val;

        if (seq->id != ORMA_SEQ_SERVICE && seq->trace < rows)
            packets[seq->trace] += seq->counts.packets;
    }
    for (uint32_t i = 0; i < self->num; i++)
        if (!self->traces[i].is_over && self->traces[i].trace_row < rows)
            self->traces[i].packets_at_end = packets[self->traces[i].trace_row];
    free(packets);
}

/* What was delivered is what the file has, unless somebody took packets out or put some in twice.
 */
static void compare_with_file(struct orma_import_ctx *imp, const struct known *known)
{
    struct orma_stats *stats = orma_model_stats(imp->model, known->machine);
    uint64_t here = known->delivered - ORMA_MIN(known->delivered, known->after);

    if (!imp->reader || !known->has_counts || known->number || known->is_over)
        return;
    here -= ORMA_MIN(here, known->before);
    orma_model_use_trace(imp->model, known->trace_row);
    if (known->packets < here)
        orma_stats_set(stats, ORMA_STAT_PACKETS_MISSING,
                       (int64_t)ORMA_MIN(here - known->packets, (uint64_t)INT64_MAX));
    else if (known->packets > here)
        orma_stats_set(stats, ORMA_STAT_PACKETS_REPEATED, (int64_t)(known->packets - here));
}

void orma_trace_ledger_finish(struct orma_import_ctx *imp)
{
    struct orma_trace_ledger *self = orma_trace(imp)->ledger;
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_LOSS);

    if (self)
        end_files(imp, self);
    for (uint32_t i = 0; self && i < self->num; i++) {
        add_incidents(imp, &self->traces[i]);
        compare_with_file(imp, &self->traces[i]);
        if (!lacks_the_end(&self->traces[i]))
            continue;
        uint32_t row = orma_table_add(t);
        orma_table_set(t, ORMA_LOSS_REASON, row,
                       orma_model_cstr(imp->model, orma_loss_unreported.name));
        orma_table_set(t, ORMA_LOSS_TRACE_ID, row, self->traces[i].trace_row);
    }
}

void orma_trace_ledger_fini(struct orma_import_ctx *imp)
{
    struct orma_trace_ledger *self = orma_trace(imp)->ledger;

    for (uint32_t i = 0; self && i < self->num; i++)
        orma_buf_fini(&self->traces[i].incidents);
    if (self)
        free(self->traces);
}
