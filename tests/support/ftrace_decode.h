/*
 * For tests: takes TracePackets with an FtraceEventBundle apart again, by the
 * public tables and the descriptors in the packet only, as a reader would.
 */
#ifndef ORMA_TESTS_SUPPORT_FTRACE_DECODE_H
#define ORMA_TESTS_SUPPORT_FTRACE_DECODE_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/map.h"
#include "sdk/base/str.h"

enum ft_type { FT_UINT, FT_INT, FT_TEXT, FT_BYTES };

struct ft_field {
    const char *name; /* of the message's field; for repeated ones several in a row */
    enum ft_type type;
    uint64_t num;
    struct orma_str text;
};

#define FT_FIELDS_MAX 512

struct ft_event {
    uint32_t cpu;
    uint64_t ts;
    uint32_t pid;
    bool is_generic, is_compact;
    uint32_t field_id; /* in FtraceEvent */
    const char *name;  /* of the message: "sched_switch" */
    const char *group; /* generic events only */
    unsigned fields_num;
    struct ft_field fields[FT_FIELDS_MAX];
};

struct ft_bundle {
    uint32_t cpu;
    bool is_bundle, lost, malformed;
    uint64_t previous_end_ts;
    unsigned errors_num;
    int last_error;
    uint32_t clock;
    uint64_t ftrace_ts, boot_ts;
    unsigned events, compact_switches, compact_wakings, descriptors, comms;
    uint32_t sequence_flags;
};

/* Symbols of the packets so far, by index: "name" strings owned by the map's user. */
struct ft_symbols {
    struct orma_map names; /* iid -> char * */
};

void ft_symbols_fini(struct ft_symbols *self);

/* Calls `fn` for every event in the packet's order; compact ones last. `symbols` may be NULL. */
struct ft_bundle ft_decode(const void *packet, size_t len, struct ft_symbols *symbols,
                           void (*fn)(void *ctx, const struct ft_event *ev), void *ctx);

/* NULL: the event has none of that name. */
const struct ft_field *ft_find(const struct ft_event *ev, const char *name);
#endif
