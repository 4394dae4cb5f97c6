/*
 * A real service in a child process on private sockets, sessions of it, and
 * what came out: track events by sequence, with the loss ledger. For tests of
 * the SDK as a whole; plain asserts, no criterion.
 */
#ifndef ORMA_TESTS_SUPPORT_SESSION_H
#define ORMA_TESTS_SUPPORT_SESSION_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/support/te_reader.h"

struct orma_test_daemon {
    pid_t pid;
    char dir[64];
};

/* Starts the program, waits until it listens, and puts its sockets into the environment. */
void orma_test_daemon_start(struct orma_test_daemon *self, const char *program);
/* Ends it with SIGTERM; its exit code. */
int orma_test_daemon_stop(struct orma_test_daemon *self);

/* One sequence of the trace. */
struct orma_test_seq {
    uint32_t id;
    int32_t pid;
    uint64_t packets;
    struct orma_te_reader te;
    /* From TraceStats 90001. */
    bool has_counts;
    bool has_emitted; /* a writer that was killed early may never have said how much it was */
    uint64_t emitted, delivered, dropped, lost; /* lost: for all other reasons */
};

struct orma_test_trace {
    struct orma_test_seq *seqs;
    size_t num;
    struct orma_buf bytes; /* as a trace file */
};

struct orma_test_config {
    uint32_t buffer_kb; /* default 32 MiB */
    uint32_t fill_policy;
    uint32_t shm_kb, page_kb; /* 0: the service's default; for producers of `producer_name` */
    const char *producer_name;
    struct orma_str track_event; /* TrackEventConfig */
    const char *data_source;     /* default "track_event" */
    const char *second_source;   /* NULL: none */
    uint32_t clear_period_ms;
    uint32_t exhausted_policy; /* BufferExhaustedPolicy of the data source; 0: not said */
};

struct orma_test_session;

/* Starts a session and waits until all data sources that are there have started. */
struct orma_test_session *orma_test_session_start(const struct orma_test_config *config);
/* Waits until the service has told everybody; a flush. */
void orma_test_session_flush(struct orma_test_session *self);
/* Stops it, reads everything, frees it. */
void orma_test_session_stop(struct orma_test_session *self, struct orma_test_trace *ret);

/* A trace file in memory, sequence by sequence. Aborts where it is malformed. */
void orma_test_trace_parse(struct orma_str file, struct orma_test_trace *ret);
void orma_test_trace_fini(struct orma_test_trace *self);
/* Events of all sequences with this name and type; NULL and 0 match all. */
uint64_t orma_test_trace_count(const struct orma_test_trace *self, uint32_t type, const char *name);
/* Errors of all readers, and sequences whose ledger does not hold; each is said on stderr. */
unsigned orma_test_trace_check(const struct orma_test_trace *self);
#endif
