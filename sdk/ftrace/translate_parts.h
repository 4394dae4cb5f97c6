/*
 * The parts of translate.h: translate.c walks pages and has a shortcut for each common kind of
 * event; translate_event.c writes any event, and opens and closes bundles.
 */
#ifndef ORMA_SDK_FTRACE_TRANSLATE_PARTS_H
#define ORMA_SDK_FTRACE_TRANSLATE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/ftrace/translate.h"

#define ORMA_FTRACE_TAG_EVENT (ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT << 3 | ORMA_PB_LEN)
#define ORMA_FTRACE_TAG_TIMESTAMP (ORMA_PB_FTRACE_EVENT_TIMESTAMP << 3 | ORMA_PB_VARINT)
#define ORMA_FTRACE_TAG_PID (ORMA_PB_FTRACE_EVENT_PID << 3 | ORMA_PB_VARINT)

/* A field whose bytes are elsewhere in the event. NULL: nothing there, or a lie. */
static inline const uint8_t *orma_ftrace_locate(struct orma_ftrace_translate *self,
                                                const struct orma_ftrace_step *step,
                                                const struct orma_tracefs_page_event *ev,
                                                size_t *ret_len)
{
    uint32_t word = orma_tracefs_load32(ev->data + step->offset);
    size_t offset = (word & 0xffff) + (size_t)step->loc_base, len = word >> 16;

    if (!len)
        return NULL;
    if (offset > ev->len || len > ev->len - offset) {
        self->counts.errors[ORMA_PB_FTRACE_STATUS_INVALID_EVENT]++;
        return NULL;
    }
    *ret_len = len;
    return ev->data + offset;
}

/* May some events of this plan not be wanted? */
bool orma_ftrace_translate_is_limited(const struct orma_ftrace_translate *self,
                                      const struct orma_ftrace_plan *plan);

/* `lost`: the bundle before is missing. */
void orma_ftrace_translate_open_bundle(struct orma_ftrace_translate *self, bool lost);

void orma_ftrace_translate_close_bundle(struct orma_ftrace_translate *self);

/* The whole FtraceEvent. `ev` is followed by eight readable bytes. */
void orma_ftrace_translate_put_event(struct orma_ftrace_translate *self,
                                     struct orma_ftrace_plan *plan,
                                     const struct orma_tracefs_page_event *ev, uint64_t ts);

#endif
