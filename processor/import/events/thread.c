/* The thread that writes a sequence of track events. */
#include "processor/import/events/events.h"
#include "protos/fields/track_event.h"

uint32_t orma_events_tid(struct orma_import_ctx *imp, uint16_t machine, int64_t tid)
{
    return tid >= 0 && tid < ORMA_PROCESSES_WIDE
               ? (uint32_t)tid
               : orma_processes_tid(orma_model_processes(imp->model, machine), tid);
}

bool orma_events_read_thread(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                             struct orma_str bytes)
{
    struct orma_seq *seq = ctx->seq;
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    bool has_pid = false, has_tid = false, has_time = false;
    uint32_t pid = 0, tid = 0;

    seq->times.time_us = seq->times.thread_time_us = seq->times.thread_instructions = 0;
    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_THREAD_DESCRIPTOR_PID:
            pid = orma_pb_u32(&f);
            has_pid = true;
            break;
        case ORMA_PB_THREAD_DESCRIPTOR_TID:
            tid = orma_events_tid(imp, ctx->machine, orma_pb_i64(&f));
            has_tid = true;
            break;
        case ORMA_PB_THREAD_DESCRIPTOR_REFERENCE_TIMESTAMP_US:
            seq->times.time_us = orma_pb_i64(&f);
            has_time = true;
            break;
        case ORMA_PB_THREAD_DESCRIPTOR_REFERENCE_THREAD_TIME_US:
            seq->times.thread_time_us = orma_pb_i64(&f);
            has_time = true;
            break;
        case ORMA_PB_THREAD_DESCRIPTOR_REFERENCE_THREAD_INSTRUCTION_COUNT:
            seq->times.thread_instructions = orma_pb_i64(&f);
            has_time = true;
            break;
        }
    }
    seq->times.known = true;
    seq->tokenize_events |= has_time;
    if (has_pid && has_tid) {
        seq->gen->has_pid = true;
        seq->gen->pid = pid;
        seq->gen->tid = tid;
    }
    return has_pid && has_tid;
}
