/*
 * Reader of the track events of one sequence, by the rules of the format: the
 * incremental state, interned texts, clocks, defaults. For tests; what breaks a
 * rule is counted in `errors` and said on stderr.
 */
#ifndef ORMA_TESTS_SUPPORT_TE_READER_H
#define ORMA_TESTS_SUPPORT_TE_READER_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"

struct orma_test_event {
    uint64_t ts; /* boottime, or that of clock_id */
    uint32_t clock_id;
    uint32_t type;
    uint64_t track;
    char name[64];
    char categories[64]; /* "a,b" */
    int64_t counter;
    double counter_double;
    /* Annotations and other arguments: "key=value key.child=value flow=1 ..." */
    char args[512];
};

struct orma_test_track {
    uint64_t uuid, parent;
    char name[64];
    int32_t pid, tid; /* 0: neither process nor thread */
    bool is_process, is_thread, is_counter;
    uint32_t ordering, merge, unit;
    int32_t rank;
    int64_t multiplier;
    bool incremental;
    char unit_name[32];
};

struct orma_test_interned {
    uint32_t field, iid;
    char text[96];
};

struct orma_te_reader {
    bool valid; /* the incremental state */
    unsigned generations, losses, errors;
    uint64_t last_ns, unit_ns; /* of clock 64 */
    uint64_t absolute_unit_ns; /* of clock 65 */
    uint64_t snapshot_ns;      /* of the latest clock snapshot */
    uint32_t default_clock;
    uint64_t default_track;
    struct orma_buf interned; /* of struct orma_test_interned */
    struct orma_buf events;   /* of struct orma_test_event */
    struct orma_buf tracks;   /* of struct orma_test_track, the latest by uuid */
};

void orma_te_reader_fini(struct orma_te_reader *self);

/* The next packet of the sequence. */
void orma_te_reader_add(struct orma_te_reader *self, struct orma_str packet);

size_t orma_te_reader_num(const struct orma_te_reader *self);
const struct orma_test_event *orma_te_reader_event(const struct orma_te_reader *self, size_t idx);
/* NULL: not described. */
const struct orma_test_track *orma_te_reader_track(const struct orma_te_reader *self,
                                                   uint64_t uuid);
#endif
