/*
 * What is missing in a trace, in sentences that stand beside the numbers they touch.
 */
#ifndef ORMA_TOOLS_REPORT_NOTES_H
#define ORMA_TOOLS_REPORT_NOTES_H
#include "sdk/base/buf.h"
#include "tools/report/report.h"

struct orma_report_notes {
    struct orma_buf losses; /* of the whole trace: one sentence, always there */
    struct orma_buf kernel; /* events of the kernel that are missing; "" if none are */
    struct orma_buf sched;  /* the same of switches */
    struct orma_buf trace;  /* of everything: packets, damage, the end */
    bool told_kernel, told_sched, told_trace; /* printed, see orma_report_notes_each() */
};

void orma_report_notes_read(struct orma_report_notes *self, struct orma_processor *tp);
void orma_report_notes_fini(struct orma_report_notes *self);

/*
 * Calls `print` for every note that touches what has this basis (enum orma_report_basis). `once`:
 * not those that such a call has printed before.
 */
void orma_report_notes_each(struct orma_report_notes *self, unsigned basis, bool once,
                            void (*print)(void *ctx, const char *note), void *ctx);
#endif
