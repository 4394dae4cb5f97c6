/*
 * What `orma top` shows of a snapshot: threads by CPU or by waits, slices by rate, what was lost.
 * Lines of plain text, no wider and no more than they may be.
 */
#ifndef ORMA_TOOLS_TOP_SCREEN_H
#define ORMA_TOOLS_TOP_SCREEN_H
#include <stdbool.h>
#include <stdint.h>

#include "processor/processor.h"
#include "sdk/base/buf.h"

struct orma_live_screen {
    const char *what;  /* that is looked at: a session */
    uint64_t from, to; /* BOOTTIME in ns; less of it is shown if the ring holds less */
    unsigned rows, columns;
    unsigned cpus;
    bool by_waits;
    bool bold; /* headings, on a terminal */
};

/* Appends the lines; 0, or -EINVAL with the processor's error. */
int orma_live_screen_put(const struct orma_live_screen *self, struct orma_processor *tp,
                         struct orma_buf *out);
#endif
