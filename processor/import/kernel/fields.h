/*
 * The fields of a kernel event's message by number, for handlers: read in one
 * pass, absent ones are 0 and empty. Numbers past the end of the arrays and
 * nested messages are left out.
 */
#ifndef ORMA_PROCESSOR_IMPORT_KERNEL_FIELDS_H
#define ORMA_PROCESSOR_IMPORT_KERNEL_FIELDS_H
#include "processor/import/kernel/kernel.h"

#define ORMA_EVENT_FIELDS_MAX 32

struct orma_event_fields {
    int64_t num[ORMA_EVENT_FIELDS_MAX];
    struct orma_str str[ORMA_EVENT_FIELDS_MAX]; /* data NULL: absent */
    uint32_t has;                               /* bit by number */
};

static inline void orma_event_fields_read(struct orma_event_fields *self, struct orma_str payload)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;

    memset(self, 0, sizeof(*self));
    while (orma_pb_next(&r, &f)) {
        if (f.id >= ORMA_EVENT_FIELDS_MAX)
            continue;
        self->num[f.id] = orma_pb_i64(&f);
        self->str[f.id] = orma_pb_str(&f);
        self->has |= 1u << f.id;
    }
}

/* A slice or counter track of a cpu, named by a format with the cpu's number. */
uint32_t orma_kernel_cpu_track(struct orma_import_ctx *imp, uint16_t machine, const char *type,
                               const char *name_fmt, uint32_t cpu, bool counter);

/* An instant on the track of a thread, under a literal name. */
void orma_kernel_thread_instant(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                                uint32_t utid, const char *name);

/* The text of a kernel symbol, or its number in hex when it has none. */
uint32_t orma_kernel_symbol_text(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                                 uint64_t iid);

/* How much memory the process of a thread has of a kind; `key` is a literal. */
void orma_kernel_memory(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                        uint32_t utid, const char *key, double bytes);
#endif
