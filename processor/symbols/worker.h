/*
 * Worker: a process that reads binaries for this one.
 *
 *     ours                         worker (forked)
 *     question ───────socket──────► lookup ── libdw ── files
 *     answer   ◄──────────────────
 *
 * libdw trusts files more than we may. What a hostile file can do is to end the worker, which
 * shows as -EPIPE; a question may cost it a minute of the cpu and some GiB of memory, not more. It
 * keeps no descriptor but its end of the socket, and ends when ours is closed. What it says is
 * checked as anything from outside.
 */
#ifndef ORMA_PROCESSOR_SYMBOLS_WORKER_H
#define ORMA_PROCESSOR_SYMBOLS_WORKER_H
#include <sys/types.h>

#include "processor/symbols/lookup.h"
#include "sdk/base/buf.h"

struct orma_worker {
    pid_t pid;
    int fd;
};

enum orma_worker_question { ORMA_WORKER_FRAMES, ORMA_WORKER_FILE };

/* Forks. 0 or -errno. */
int orma_worker_start(struct orma_worker *self, struct orma_lookup *lookup);

/* Ends it, whatever it does. Nothing happens if it was not started (pid 0). */
void orma_worker_stop(struct orma_worker *self);

/*
 * *ret_num: how many entries `answer` then has. Frames: a line number (uint32_t), the function and
 * the file, each ended by a zero. File: its path, or no entry. -EPIPE: it is gone, or talks
 * nonsense.
 */
int orma_worker_ask(struct orma_worker *self, enum orma_worker_question what,
                    const struct orma_symbolizer_module *module, uint64_t pc,
                    struct orma_buf *answer, uint32_t *ret_num);
#endif
