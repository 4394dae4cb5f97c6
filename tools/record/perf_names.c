/*
 * Events that have a name of their own: symbols of the kernel's header, caches, raw numbers.
 */
#include "tools/record/perf_parts.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/nearest.h"
#include "sdk/base/str.h"
#include "tools/record/perf_events.h"

/* perf's, and what they are in PerfEvents.Counter. */
static const struct {
    const char *name, *counter;
} symbols[] = {
    {"cpu-clock", "SW_CPU_CLOCK"},
    {"task-clock", "SW_TASK_CLOCK"},
    {"page-faults", "SW_PAGE_FAULTS"},
    {"faults", "SW_PAGE_FAULTS"},
    {"minor-faults", "SW_PAGE_FAULTS_MIN"},
    {"major-faults", "SW_PAGE_FAULTS_MAJ"},
    {"context-switches", "SW_CONTEXT_SWITCHES"},
    {"cs", "SW_CONTEXT_SWITCHES"},
    {"cpu-migrations", "SW_CPU_MIGRATIONS"},
    {"migrations", "SW_CPU_MIGRATIONS"},
    {"alignment-faults", "SW_ALIGNMENT_FAULTS"},
    {"emulation-faults", "SW_EMULATION_FAULTS"},
    {"dummy", "SW_DUMMY"},
    {"cycles", "HW_CPU_CYCLES"},
    {"cpu-cycles", "HW_CPU_CYCLES"},
    {"instructions", "HW_INSTRUCTIONS"},
    {"cache-references", "HW_CACHE_REFERENCES"},
    {"cache-misses", "HW_CACHE_MISSES"},
    {"branches", "HW_BRANCH_INSTRUCTIONS"},
    {"branch-instructions", "HW_BRANCH_INSTRUCTIONS"},
    {"branch-misses", "HW_BRANCH_MISSES"},
    {"bus-cycles", "HW_BUS_CYCLES"},
    {"stalled-cycles-frontend", "HW_STALLED_CYCLES_FRONTEND"},
    {"idle-cycles-frontend", "HW_STALLED_CYCLES_FRONTEND"},
    {"stalled-cycles-backend", "HW_STALLED_CYCLES_BACKEND"},
    {"idle-cycles-backend", "HW_STALLED_CYCLES_BACKEND"},
    {"ref-cycles", "HW_REF_CPU_CYCLES"},
};

struct orma_record_perf_word {
    const char *name;
    unsigned value;
};

/* The word of the table that *text begins with; *text is then behind it. -1: none. */
static int orma_record_perf_take_word(const char **text, const struct orma_record_perf_word *words)
{
    for (; words->name; words++) {
        size_t len = strlen(words->name);

        if (strncmp(*text, words->name, len) != 0)
            continue;
        *text += len;
        return (int)words->value;
    }
    return -1;
}

/* Cache, operation and result are a byte each (PERF_TYPE_HW_CACHE). Longer words come first. */
static const struct orma_record_perf_word caches[] = {
    {"L1-dcache", 0}, {"L1-data", 0}, {"l1-d", 0},  {"l1d", 0},
    {"L1-icache", 1}, {"l1-i", 1},    {"l1i", 1},   {"L1-instruction", 1},
    {"LLC", 2},       {"L2", 2},      {"dTLB", 3},  {"d-tlb", 3},
    {"Data-TLB", 3},  {"iTLB", 4},    {"i-tlb", 4}, {"Instruction-TLB", 4},
    {"branches", 5},  {"branch", 5},  {"bpu", 5},   {"btb", 5},
    {"bpc", 5},       {"node", 6},    {NULL, 0}};

static const struct orma_record_perf_word parts_of_cache[] = {{"loads", 0x0},
                                                              {"load", 0x0},
                                                              {"read", 0x0},
                                                              {"stores", 0x1},
                                                              {"store", 0x1},
                                                              {"write", 0x1},
                                                              {"prefetches", 0x2},
                                                              {"prefetch", 0x2},
                                                              {"speculative-read", 0x2},
                                                              {"speculative-load", 0x2},
                                                              {"refs", 0x10},
                                                              {"Reference", 0x10},
                                                              {"ops", 0x10},
                                                              {"access", 0x10},
                                                              {"misses", 0x11},
                                                              {"miss", 0x11},
                                                              {NULL, 0}};

static const uint8_t operations[] = {7, 5, 7, 7, 1, 1, 7}; /* bits: load, store, prefetch */

static bool cache_of(const char *name, uint64_t *ret)
{
    int cache = orma_record_perf_take_word(&name, caches), part;
    unsigned operation = 0, result = 0;

    if (cache < 0)
        return false;
    for (unsigned seen = 0; *name; seen |= part & 0x10 ? 2 : 1) {
        part = *name++ == '-' ? orma_record_perf_take_word(&name, parts_of_cache) : -1;
        if (part < 0 || (*name && *name != '-') || seen & (part & 0x10 ? 2 : 1))
            return false;
        if (part & 0x10)
            result = part & 1;
        else
            operation = (unsigned)part;
    }
    *ret = result << 16 | operation << 8 | (unsigned)cache;
    return operations[cache] >> operation & 1;
}

void orma_record_perf_put_name(struct orma_buf *out, const char *name)
{
    orma_buf_put_str(out, " name: \"");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            orma_buf_put_byte(out, '\\');
        if ((unsigned char)*name >= ' ')
            orma_buf_put_byte(out, (uint8_t)*name);
    }
    orma_buf_put_byte(out, '"');
}

void orma_record_perf_put_raw(struct orma_record_perf_event *e, unsigned type, uint64_t config)
{
    orma_buf_printf(&e->base, "raw_event { type: %u config: 0x%llx }", type,
                    (unsigned long long)config);
}

bool orma_record_perf_hex_of(const char *name, uint64_t *ret)
{
    size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

    if (*name != 'r' || !digits || digits > 16 || name[1 + digits])
        return false;
    *ret = strtoull(name + 1, NULL, 16);
    return true;
}

bool orma_record_perf_put_symbol(struct orma_record_perf_event *e, const char *name,
                                 const char *named)
{
    uint64_t config;
    bool raw = true;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(symbols); i++) {
        if (strcmp(symbols[i].name, name) != 0 && strcmp(symbols[i].counter, name) != 0)
            continue;
        orma_buf_printf(&e->base, "counter: %s", symbols[i].counter);
        if (*named)
            orma_record_perf_put_name(&e->base, named);
        return true;
    }
    if (!strcmp(name, "bpf-output"))
        orma_record_perf_put_raw(e, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT);
    else if (!strcmp(name, "cgroup-switches"))
        orma_record_perf_put_raw(e, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES);
    else if (orma_record_perf_hex_of(name, &config))
        orma_record_perf_put_raw(e, PERF_TYPE_RAW, config);
    else if (cache_of(name, &config))
        orma_record_perf_put_raw(e, PERF_TYPE_HW_CACHE, config);
    else
        raw = false;
    if (raw)
        orma_record_perf_put_name(&e->base, *named ? named : name);
    return raw;
}

bool orma_record_perf_is_symbol(const char *name)
{
    struct orma_record_perf_event e = {0};
    bool ret = orma_record_perf_put_symbol(&e, name, "");

    orma_buf_fini(&e.base);
    return ret;
}

const char *orma_record_perf_near_symbol(const char *name)
{
    struct orma_nearest near = {.wanted = orma_str_from(name)};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(symbols); i++)
        orma_nearest_consider(&near, symbols[i].name);
    return orma_nearest_get(&near);
}
