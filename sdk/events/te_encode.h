/*
 * The two halves of the slow path: te_state.c keeps what the reader of a sequence
 * has been given so far, te_encode.c writes events.
 */
#ifndef ORMA_SDK_EVENTS_TE_ENCODE_H
#define ORMA_SDK_EVENTS_TE_ENCODE_H
#include "protos/fields/trace.h"
#include "sdk/events/te.h"

#define ORMA_TE_NEEDS_STATE ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE

/* An event on its way into one sequence. */
struct orma_te_encoder {
    struct orma_te_thread *t;
    struct orma_te_seq *seq;
    const struct orma_te_event *ev;
    const struct orma_track *track;
    struct orma_str dynamic_name;
    bool has_time;
    uint32_t clock_id;
    uint64_t ns;
    /* Extra counters of the event: their uuids, then their values. */
    unsigned extra_num;
};

/* Number of the text in the reader's tables; what is new is appended to the thread's `interned`. */
uint32_t orma_te_intern(struct orma_te_encoder *e, enum orma_te_interned kind,
                        struct orma_str text);
uint32_t orma_te_intern_location(struct orma_te_encoder *e, const char *function);

/* Puts the thread's `packet`. False: lost, and counted. */
bool orma_te_put_packet(struct orma_te_thread *t, struct orma_te_seq *seq);

/* Forgets all, and introduces the sequence as of `ns`. False: something of it was lost. */
bool orma_te_introduce(struct orma_te_thread *t, struct orma_te_seq *seq, uint64_t ns);

/* Describes a track and its parents, once. False: something of it was lost. */
bool orma_te_describe(struct orma_te_thread *t, struct orma_te_seq *seq,
                      const struct orma_track *track);

/* Of the counter of thread time. */
uint64_t orma_te_thread_time_uuid(const struct orma_te_thread *t);

/* Names of annotations are known by their addresses: no longer, if code was unloaded. */
void orma_te_forget_old_keys(struct orma_te_seq *seq);

/* The event was written: what the short way needs to write the next of its kind. */
void orma_te_learn(struct orma_te_encoder *e);
#endif
