/*
 * What a loaded trace lost while it was recorded, asked in SQL; the sums and
 * words are those of tools/base/ledger.h.
 */
#ifndef ORMA_TOOLS_LOAD_LOSS_H
#define ORMA_TOOLS_LOAD_LOSS_H
#include "processor/processor.h"
#include "tools/base/ledger.h"

/* The first number of the first row; 0 if there is none. */
int64_t orma_load_number(struct orma_processor *tp, const char *sql);

/* Losses out of the tables `loss` and `stats`. Traces that say nothing of their recording are
 * `unknown`. */
void orma_load_loss(struct orma_processor *tp, struct orma_ledger *ret);

/* The sentence of orma_ledger_format(), and what a ring kept: as reports and pages say it. */
void orma_load_put_losses(struct orma_processor *tp, const struct orma_ledger *loss,
                          struct orma_buf *out);

/*
 * Switches that the kernel did not record, at least: where another thread leaves a cpu than the one
 * that was put on it last. In compact form only the states tell that whose end was not seen.
 */
int64_t orma_load_missing_switches(struct orma_processor *tp);

/* How long a time its events cover. */
uint64_t orma_load_span_ns(struct orma_processor *tp);
#endif
