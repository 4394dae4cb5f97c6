/*
 * Pump: carries what the service writes into a pipe on to standard output, and
 * counts it. The service can then be given a file of our own, and the recorder
 * knows how much came out, and whether its reader is still there.
 *
 * Threads: one of its own, from start to end.
 */
#ifndef ORMA_TOOLS_PUMP_H
#define ORMA_TOOLS_PUMP_H
#include <stddef.h>
#include <stdint.h>

struct orma_record_pump;

/* *ret_fd, the caller's, is where the service writes; what comes goes to `out_fd`, which must stay
 * open. `written` (NULL: nobody) is called with all that came out, on the pump's thread. -errno. */
int orma_record_pump_start(int out_fd, void (*written)(void *ctx, const void *data, size_t len),
                           void *ctx, struct orma_record_pump **ret, int *ret_fd);

/*
 * After all writers have closed their end: waits for the rest, frees the pump.
 * *ret_bytes came out. 0, or -errno of the writing (-EPIPE: nobody reads).
 */
int orma_record_pump_end(struct orma_record_pump *self, uint64_t *ret_bytes);

/* Readable once all has come out, or could not: then orma_record_pump_end() does not wait. */
int orma_record_pump_done_fd(const struct orma_record_pump *self);

/*
 * Gives up what is still on its way: for writers that may never close, and for a
 * reader that does not read. -ECANCELED: the output had no room for it.
 */
int orma_record_pump_cancel(struct orma_record_pump *self, uint64_t *ret_bytes);
#endif
