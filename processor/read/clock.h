/*
 * Clocks of all machines: snapshots tie them together, conversions follow.
 *
 * A snapshot says what several clocks showed at one moment. Snapshots with the
 * same clocks in the same order are of one kind; two clocks of a kind are joined by an
 * edge. A conversion follows the shortest way of edges (at most four), each
 * with the snapshots of its kind alone: the last one that is not after the
 * time, or the first of all; the difference of the two clocks in it is added.
 *
 * Ids: 1..63 of the system, 64..127 private to a packet sequence, above that
 * global of the user. Private ones are joined with the sequence's id by
 * orma_clock_key(); orma_clock_in() adds the machine, and the file where a clock is
 * not the machine's. Such full keys are what the functions below take:
 *
 *   1 bit: private   19 bits: file   6 bits: machine   32 bits: number, or
 *                                    32 bits: sequence, 6 bits: number - 64
 *
 * That of a clock of machine 0 and of no file is its number. All times are in ns but
 * for the raw values of a clock, which are multiplied by its unit. Threads: none.
 */
#ifndef ORMA_PROCESSOR_READ_CLOCK_H
#define ORMA_PROCESSOR_READ_CLOCK_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/clock.h"
#include "sdk/base/map.h"

/* Beside the clocks of machines: those of enum orma_clock. */
enum orma_clock_of_traces {
    ORMA_CLOCK_PERF = 10,
    ORMA_CLOCK_TRACE_FILE = 11, /* of a file that does not say what its times are */
    ORMA_CLOCK_SEQUENCE_MIN = 64,
    ORMA_CLOCK_SEQUENCE_MAX = 127,
};

static inline bool orma_clock_is_private(uint32_t id)
{
    return id >= ORMA_CLOCK_SEQUENCE_MIN && id <= ORMA_CLOCK_SEQUENCE_MAX;
}

#define ORMA_CLOCK_PRIVATE (1ull << 63)
#define ORMA_CLOCK_FILES 0x7ffffu
#define ORMA_CLOCK_MACHINES 0x3fu

/* Of machine 0, and of no file. */
static inline uint64_t orma_clock_key(uint32_t id, uint32_t sequence)
{
    return orma_clock_is_private(id)
               ? ORMA_CLOCK_PRIVATE | (uint64_t)sequence << 6 | (id - ORMA_CLOCK_SEQUENCE_MIN)
               : id;
}

/* The same clock of another machine, and of a file (0: the machine's). */
static inline uint64_t orma_clock_in(uint64_t key, uint32_t machine, uint32_t file)
{
    uint32_t tag = file > ORMA_CLOCK_FILES ? ORMA_CLOCK_FILES : file;

    return key | (uint64_t)tag << 44 | (uint64_t)(machine & ORMA_CLOCK_MACHINES) << 38;
}

static inline uint32_t orma_clock_id(uint64_t key)
{
    return key & ORMA_CLOCK_PRIVATE ? (uint32_t)(key & 0x3f) + ORMA_CLOCK_SEQUENCE_MIN
                                    : (uint32_t)key;
}

static inline uint32_t orma_clock_sequence(uint64_t key)
{
    return key & ORMA_CLOCK_PRIVATE ? (uint32_t)(key >> 6) : 0;
}

static inline uint16_t orma_clock_machine(uint64_t key)
{
    return (uint16_t)(key >> 38 & ORMA_CLOCK_MACHINES);
}

struct orma_clock_value {
    uint64_t key;
    int64_t raw; /* in units of the clock */
    int64_t unit_ns;
    bool incremental;
};

enum orma_clock_result {
    ORMA_CLOCK_OK,
    ORMA_CLOCK_UNKNOWN_SOURCE,
    ORMA_CLOCK_UNKNOWN_TARGET,
    ORMA_CLOCK_NO_PATH,
};

/* Where a conversion is a plain addition: lo <= source ns < hi → + offset. */
struct orma_clock_span {
    int64_t lo, hi, offset;
};

#define ORMA_CLOCK_CACHE 8

struct orma_clocks {
    struct orma_clock_domain *domains;
    uint32_t domains_num, domains_cap;
    struct orma_map by_key; /* → domain */
    struct orma_clock_kind *kinds;
    uint32_t kinds_num, kinds_cap;
    struct orma_map by_list; /* hash of the list of keys → kind */
    uint32_t epoch;          /* changes with the graph: cached ways are then stale */
    uint64_t searches;       /* made so far: what one has visited is marked with its number */
    uint32_t snapshots_num;
    /* What a reference reader would have had to look up on the slow path: it is a statistic. */
    struct {
        uint64_t from, to;
        int64_t lo, hi;
    } cache[ORMA_CLOCK_CACHE];
    uint32_t cache_random;
    uint32_t cache_stamp; /* changes with the cache */
    int64_t cache_misses;
    bool failed; /* memory was out */
};

void orma_clocks_fini(struct orma_clocks *self);

/*
 * Adds a snapshot. False (but its clocks are known then): a clock is there twice, changed its
 * unit, or `trace_clock` has a unit other than 1 or went backwards.
 */
bool orma_clocks_add(struct orma_clocks *self, const struct orma_clock_value *v, uint32_t num,
                     uint64_t trace_clock);

/* From the last snapshot of these clocks to the next one their differences change evenly, and not
 * at once. */
void orma_clocks_go_evenly(struct orma_clocks *self, const struct orma_clock_value *v,
                           uint32_t num);

/* The unit and kind of a clock; false if no snapshot had it. */
bool orma_clocks_describe(const struct orma_clocks *self, uint64_t key, int64_t *ret_unit,
                          bool *ret_incremental);

/* The sum of an incremental clock, kept here while no sequence has it at hand. */
int64_t orma_clocks_get_raw(const struct orma_clocks *self, uint64_t key);
void orma_clocks_set_raw(struct orma_clocks *self, uint64_t key, int64_t raw);

/* True if there is a way from one to the other. */
bool orma_clocks_related(struct orma_clocks *self, uint64_t from, uint64_t to);

/* Converts ns of one clock to another; ret_span may be NULL. */
enum orma_clock_result orma_clocks_convert(struct orma_clocks *self, uint64_t from, int64_t ns,
                                           uint64_t to, int64_t *ret,
                                           struct orma_clock_span *ret_span);
#endif
