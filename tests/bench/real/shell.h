/*
 * A trace processor in a process of its own, asked over standard input and output: ours and
 * another one in the same way. What a step costs is the CPU time of that process, of all its
 * threads, while it worked on the step; what we spend on asking is not in it.
 */
#ifndef ORMA_TESTS_BENCH_REAL_SHELL_H
#define ORMA_TESTS_BENCH_REAL_SHELL_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "sdk/base/buf.h"

struct real_shell {
    pid_t pid; /* 0: none */
    int to, from;
    clockid_t clock;
    uint64_t seq;
    struct orma_buf in;
};

struct real_answer {
    double cpu_s, wall_s;
    double longest_s; /* CPU of the thread that worked longest: what a machine with nothing else to
                         do would have waited for, about */
    uint64_t cells, hash; /* the same for equal cells in the same order, however they were cut */
};

/*
 * Runs `program` as trace_processor_shell over `trace` and waits until it is loaded: `ret` is
 * what that took. False: it does not start, or does not load.
 */
bool real_shell_start(struct real_shell *self, const char *program, const char *trace,
                      struct real_answer *ret);
void real_shell_stop(struct real_shell *self);

/* False: the query failed (a message is printed), or the program is gone. */
bool real_shell_query(struct real_shell *self, const char *sql, struct real_answer *ret);

/* The most memory that the process has had, in MB; 0: unknown. */
double real_shell_peak_mb(const struct real_shell *self);
#endif
