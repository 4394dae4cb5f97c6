/*
 * The ledger of losses: the service's counts per sequence as rows of the table
 * `loss`, with the words of protos/loss.h.
 *
 * A trace whose last statistics are missing (its recorder was killed, the disk
 * was full, the file was cut) gets a row with the reason "unreported" and no
 * number: nobody may take such a ledger for complete.
 */
#ifndef ORMA_PROCESSOR_IMPORT_TRACE_LEDGER_H
#define ORMA_PROCESSOR_IMPORT_TRACE_LEDGER_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/str.h"

struct orma_import_ctx;

/*
 * A TraceConfig was read: this trace comes from a service, which ends it with statistics.
 * `into_file`: one that wrote it while it recorded, so that it may end anywhere.
 */
void orma_trace_ledger_expect(struct orma_import_ctx *imp, bool into_file);

/* What the service says of itself: it is over when its buffers were read after the end. */
enum orma_trace_ledger_phase {
    ORMA_TRACE_LEDGER_STARTED,
    ORMA_TRACE_LEDGER_DISABLED,
    ORMA_TRACE_LEDGER_READ,
    ORMA_TRACE_LEDGER_CLONED, /* a snapshot: there is no end */
};
void orma_trace_ledger_phase(struct orma_import_ctx *imp, enum orma_trace_ledger_phase phase);

/*
 * The version of the service that wrote the trace. Ours puts its last statistics behind all data,
 * and those of its start, when no writer is known yet, hold no counts that would tell.
 */
void orma_trace_ledger_service(struct orma_import_ctx *imp, struct orma_str version);

/*
 * The service's number of the recording. One that differs from the one before begins another
 * recording: files may be written behind each other (`cat A B`), and the statistics of the second
 * say nothing of the first.
 */
void orma_trace_ledger_recording(struct orma_import_ctx *imp, uint64_t msb, uint64_t lsb);

/* The buffers of earlier recordings of the file: theirs have the lower numbers. */
int32_t orma_trace_ledger_first_buffer(struct orma_import_ctx *imp);
void orma_trace_ledger_note_buffers(struct orma_import_ctx *imp, int32_t num);

/* Counters of a service that counts on: what this recording has more of than it said last. */
enum { ORMA_TRACE_LEDGER_TOTALS = 16 };
int64_t orma_trace_ledger_more(struct orma_import_ctx *imp, uint16_t machine, uint32_t field,
                               int64_t total);

/* A TraceStats begins; its totals replace those of earlier ones of its recording. */
void orma_trace_ledger_begin(struct orma_import_ctx *imp);

/* One OrmaSequenceCounts of it. */
void orma_trace_ledger_add(struct orma_import_ctx *imp, uint16_t machine, struct orma_str counts);

/* Of a recording in several files, so many of its packets are in those before this one, or in the
 * one after it. */
void orma_trace_ledger_before(struct orma_import_ctx *imp, uint64_t packets);
void orma_trace_ledger_after(struct orma_import_ctx *imp, uint64_t packets);

/* One OrmaIncident of it. */
void orma_trace_ledger_add_incident(struct orma_import_ctx *imp, uint16_t machine,
                                    struct orma_str message);

/* After the last packet. */
void orma_trace_ledger_finish(struct orma_import_ctx *imp);
void orma_trace_ledger_fini(struct orma_import_ctx *imp);
#endif
