/*
 * Each function walks the lines of one /proc file once and appends a field per wanted
 * value. Keys are matched against tables in the order of the enum, so the index is the
 * enum's value.
 */
#include "probes/system/stats_parse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/core/proc_parse.h"
#include "probes/system/vmstat_names.h"
#include "protos/fields/config.h"
#include "protos/fields/sys_stats.h"
#include "sdk/base/defs.h"
#include "sdk/wire/pb_writer.h"

/* The kernel's names, by the number of the enum. Those of other systems' drivers are last. */
static const char *const meminfo_names[] = {
    [ORMA_PB_MEMINFO_MEM_TOTAL] = "MemTotal",
    [ORMA_PB_MEMINFO_MEM_FREE] = "MemFree",
    [ORMA_PB_MEMINFO_MEM_AVAILABLE] = "MemAvailable",
    [ORMA_PB_MEMINFO_BUFFERS] = "Buffers",
    [ORMA_PB_MEMINFO_CACHED] = "Cached",
    [ORMA_PB_MEMINFO_SWAP_CACHED] = "SwapCached",
    [ORMA_PB_MEMINFO_ACTIVE] = "Active",
    [ORMA_PB_MEMINFO_INACTIVE] = "Inactive",
    [ORMA_PB_MEMINFO_ACTIVE_ANON] = "Active(anon)",
    [ORMA_PB_MEMINFO_INACTIVE_ANON] = "Inactive(anon)",
    [ORMA_PB_MEMINFO_ACTIVE_FILE] = "Active(file)",
    [ORMA_PB_MEMINFO_INACTIVE_FILE] = "Inactive(file)",
    [ORMA_PB_MEMINFO_UNEVICTABLE] = "Unevictable",
    [ORMA_PB_MEMINFO_MLOCKED] = "Mlocked",
    [ORMA_PB_MEMINFO_SWAP_TOTAL] = "SwapTotal",
    [ORMA_PB_MEMINFO_SWAP_FREE] = "SwapFree",
    [ORMA_PB_MEMINFO_DIRTY] = "Dirty",
    [ORMA_PB_MEMINFO_WRITEBACK] = "Writeback",
    [ORMA_PB_MEMINFO_ANON_PAGES] = "AnonPages",
    [ORMA_PB_MEMINFO_MAPPED] = "Mapped",
    [ORMA_PB_MEMINFO_SHMEM] = "Shmem",
    [ORMA_PB_MEMINFO_SLAB] = "Slab",
    [ORMA_PB_MEMINFO_SLAB_RECLAIMABLE] = "SReclaimable",
    [ORMA_PB_MEMINFO_SLAB_UNRECLAIMABLE] = "SUnreclaim",
    [ORMA_PB_MEMINFO_KERNEL_STACK] = "KernelStack",
    [ORMA_PB_MEMINFO_PAGE_TABLES] = "PageTables",
    [ORMA_PB_MEMINFO_COMMIT_LIMIT] = "CommitLimit",
    [ORMA_PB_MEMINFO_COMMITED_AS] = "Committed_AS",
    [ORMA_PB_MEMINFO_VMALLOC_TOTAL] = "VmallocTotal",
    [ORMA_PB_MEMINFO_VMALLOC_USED] = "VmallocUsed",
    [ORMA_PB_MEMINFO_VMALLOC_CHUNK] = "VmallocChunk",
    [ORMA_PB_MEMINFO_CMA_TOTAL] = "CmaTotal",
    [ORMA_PB_MEMINFO_CMA_FREE] = "CmaFree",
    [ORMA_PB_MEMINFO_GPU] = "Gpu",
    [ORMA_PB_MEMINFO_ZRAM] = "Zram",
    [ORMA_PB_MEMINFO_MISC] = "Misc",
    [ORMA_PB_MEMINFO_ION_HEAP] = "IonHeap",
    [ORMA_PB_MEMINFO_ION_HEAP_POOL] = "IonHeapPool",
};

static void put_pair(struct orma_buf *out, uint32_t field, uint64_t key, uint64_t val)
{
    size_t begun = orma_pb_begin(out, field);

    orma_pb_put_u64(out, 1, key); /* MeminfoValue, VmstatValue and InterruptCount agree in this */
    orma_pb_put_u64(out, 2, val);
    orma_pb_end(out, begun);
}

void orma_system_put_meminfo(struct orma_buf *out, struct orma_str text,
                             const struct orma_system_wanted *wanted)
{
    struct orma_str line, key;
    uint64_t val;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (!line.len || !orma_str_cut(&line, ':', &key) || !orma_proc_number(&line, &val))
            continue;
        for (int i = 1; i < (int)ORMA_ARRAY_LEN(meminfo_names); i++) {
            if (orma_str_eq_c(key, meminfo_names[i]) && orma_system_is_wanted(wanted, i))
                put_pair(out, ORMA_PB_SYS_STATS_MEMINFO, (uint64_t)i, val); /* KiB */
        }
    }
}

static int compare_to_name(const void *key, const void *row)
{
    const struct orma_str *name = key;
    const char *known = ((const struct orma_system_vmstat_name *)row)->name;
    int r = strncmp(name->data, known, name->len);

    return r ? r : -(int)(unsigned char)known[name->len];
}

/* 0: not one of them. */
static int vmstat_key(struct orma_str name)
{
    const struct orma_system_vmstat_name *row =
        bsearch(&name, orma_system_vmstat_names, orma_system_vmstat_num,
                sizeof(*orma_system_vmstat_names), compare_to_name);

    return row ? row->number : 0;
}

void orma_system_put_vmstat(struct orma_buf *out, struct orma_str text,
                            const struct orma_system_wanted *wanted)
{
    struct orma_str line, name;
    uint64_t val;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (!orma_proc_word(&line, &name) || !orma_proc_number(&line, &val))
            continue;
        int key = vmstat_key(name);
        if (key > 0 && orma_system_is_wanted(wanted, key))
            put_pair(out, ORMA_PB_SYS_STATS_VMSTAT, (uint64_t)key, val);
    }
}

/* "cpu3 20149 0 5588 ...": ticks since boot. */
static void put_cpu_times(struct orma_buf *out, struct orma_str name, struct orma_str rest)
{
    static const uint8_t fields[] = {
        ORMA_PB_SYS_STATS_CPU_TIMES_USER_NS,        ORMA_PB_SYS_STATS_CPU_TIMES_USER_NICE_NS,
        ORMA_PB_SYS_STATS_CPU_TIMES_SYSTEM_MODE_NS, ORMA_PB_SYS_STATS_CPU_TIMES_IDLE_NS,
        ORMA_PB_SYS_STATS_CPU_TIMES_IO_WAIT_NS,     ORMA_PB_SYS_STATS_CPU_TIMES_IRQ_NS,
        ORMA_PB_SYS_STATS_CPU_TIMES_SOFTIRQ_NS,     ORMA_PB_SYS_STATS_CPU_TIMES_STEAL_NS,
    };
    uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK), cpu, ticks;

    if (!orma_str_to_u64((struct orma_str){name.data + 3, name.len - 3}, &cpu) || cpu > UINT32_MAX)
        return; /* the sum of all, or nothing we know */
    size_t begun = orma_pb_begin(out, ORMA_PB_SYS_STATS_CPU_STAT);
    orma_pb_put_u64(out, ORMA_PB_SYS_STATS_CPU_TIMES_CPU_ID, cpu);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(fields) && orma_proc_number(&rest, &ticks); i++)
        orma_pb_put_u64(out, fields[i], ticks * tick_ns);
    orma_pb_end(out, begun);
}

/* "intr 310954 0 0 1 ...": the sum, then one number per interrupt; those that never came are left
 * out. */
static void put_interrupts(struct orma_buf *out, struct orma_str rest, uint32_t total,
                           uint32_t each)
{
    uint64_t val;

    if (orma_proc_number(&rest, &val))
        orma_pb_put_u64(out, total, val);
    for (uint64_t i = 0; orma_proc_number(&rest, &val); i++) {
        if (val)
            put_pair(out, each, i, val);
    }
}

void orma_system_put_stat(struct orma_buf *out, struct orma_str text,
                          const struct orma_system_wanted *wanted)
{
    struct orma_str line, name;
    uint64_t val;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (!orma_proc_word(&line, &name))
            continue;
        if (orma_str_starts(name, ORMA_STR("cpu"))) {
            if (orma_system_is_wanted(wanted, ORMA_PB_SYS_STATS_CONFIG_STAT_CPU_TIMES))
                put_cpu_times(out, name, line);
        } else if (orma_str_eq_c(name, "intr")) {
            if (orma_system_is_wanted(wanted, ORMA_PB_SYS_STATS_CONFIG_STAT_IRQ_COUNTS))
                put_interrupts(out, line, ORMA_PB_SYS_STATS_NUM_IRQ_TOTAL,
                               ORMA_PB_SYS_STATS_NUM_IRQ);
        } else if (orma_str_eq_c(name, "softirq")) {
            if (orma_system_is_wanted(wanted, ORMA_PB_SYS_STATS_CONFIG_STAT_SOFTIRQ_COUNTS))
                put_interrupts(out, line, ORMA_PB_SYS_STATS_NUM_SOFTIRQ_TOTAL,
                               ORMA_PB_SYS_STATS_NUM_SOFTIRQ);
        } else if (orma_str_eq_c(name, "processes") && orma_proc_number(&line, &val) &&
                   orma_system_is_wanted(wanted, ORMA_PB_SYS_STATS_CONFIG_STAT_FORK_COUNT)) {
            orma_pb_put_u64(out, ORMA_PB_SYS_STATS_NUM_FORKS, val);
        }
    }
}

/* "Node 0, zone   Normal  31669 ...": free pieces of each order. */
void orma_system_put_buddyinfo(struct orma_buf *out, struct orma_str text,
                               const struct orma_system_wanted *wanted)
{
    struct orma_str line, word, node, zone;
    uint64_t val;

    (void)wanted;
    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (!orma_proc_word(&line, &word) || !orma_str_eq_c(word, "Node") ||
            !orma_proc_word(&line, &node) || !orma_proc_word(&line, &word) ||
            !orma_str_eq_c(word, "zone") || !orma_proc_word(&line, &zone))
            continue;
        if (node.data[node.len - 1] == ',')
            node.len--;
        size_t begun = orma_pb_begin(out, ORMA_PB_SYS_STATS_BUDDY_INFO);
        orma_pb_put_str(out, ORMA_PB_SYS_STATS_BUDDY_INFO_NODE, node);
        orma_pb_put_str(out, ORMA_PB_SYS_STATS_BUDDY_INFO_ZONE, zone);
        while (orma_proc_number(&line, &val))
            orma_pb_put_u64(out, ORMA_PB_SYS_STATS_BUDDY_INFO_ORDER_PAGES, (uint32_t)val);
        orma_pb_end(out, begun);
    }
}

/*
 * "8 0 sda reads merged sectors ms  writes merged sectors ms  now ms weighted
 *  discards merged sectors ms  flushes ms": kernels before 4.18 and 5.5 end earlier.
 */
void orma_system_put_diskstats(struct orma_buf *out, struct orma_str text,
                               const struct orma_system_wanted *wanted)
{
    static const uint8_t fields[] = {
        [2] = ORMA_PB_SYS_STATS_DISK_STAT_READ_SECTORS,
        [3] = ORMA_PB_SYS_STATS_DISK_STAT_READ_TIME_MS,
        [6] = ORMA_PB_SYS_STATS_DISK_STAT_WRITE_SECTORS,
        [7] = ORMA_PB_SYS_STATS_DISK_STAT_WRITE_TIME_MS,
        [13] = ORMA_PB_SYS_STATS_DISK_STAT_DISCARD_SECTORS,
        [14] = ORMA_PB_SYS_STATS_DISK_STAT_DISCARD_TIME_MS,
        [15] = ORMA_PB_SYS_STATS_DISK_STAT_FLUSH_COUNT,
        [16] = ORMA_PB_SYS_STATS_DISK_STAT_FLUSH_TIME_MS,
    };
    struct orma_str line, name;
    uint64_t val;

    (void)wanted;
    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (!orma_proc_number(&line, &val) || !orma_proc_number(&line, &val) ||
            !orma_proc_word(&line, &name))
            continue;
        size_t begun = orma_pb_begin(out, ORMA_PB_SYS_STATS_DISK_STAT);
        orma_pb_put_str(out, ORMA_PB_SYS_STATS_DISK_STAT_DEVICE_NAME, name);
        for (size_t i = 0; i < ORMA_ARRAY_LEN(fields) && orma_proc_number(&line, &val); i++) {
            if (fields[i])
                orma_pb_put_u64(out, fields[i], val);
        }
        orma_pb_end(out, begun);
    }
}

/* "name active num size per_slab pages : tunables l b s : slabdata active slabs shared" */
void orma_system_put_slabinfo(struct orma_buf *out, struct orma_str text,
                              const struct orma_system_wanted *wanted)
{
    enum { NUMBER_PAGES = 4, NUMBERS_BEFORE = 5 };
    struct orma_str line, name, word;

    (void)wanted;
    while (text.len && orma_str_cut(&text, '\n', &line)) {
        uint64_t pages = 0, slabs = 0, val = 0;
        unsigned num = 0;

        if (!orma_proc_word(&line, &name) || name.data[0] == '#')
            continue;
        for (; num < NUMBERS_BEFORE && orma_proc_number(&line, &val); num++)
            pages = num == NUMBER_PAGES ? val : pages;
        while (num == NUMBERS_BEFORE && orma_proc_word(&line, &word)) {
            if (orma_str_eq_c(word, "slabdata"))
                num++;
        }
        if (num <= NUMBERS_BEFORE || !orma_proc_number(&line, &val) ||
            !orma_proc_number(&line, &slabs))
            continue;
        size_t begun = orma_pb_begin(out, ORMA_PB_SYS_STATS_SLAB_INFO);
        orma_pb_put_str(out, ORMA_PB_SYS_STATS_SLAB_INFO_NAME, name);
        orma_pb_put_u64(out, ORMA_PB_SYS_STATS_SLAB_INFO_PAGES_PER_SLAB, (uint32_t)pages);
        orma_pb_put_u64(out, ORMA_PB_SYS_STATS_SLAB_INFO_NUM_SLABS, (uint32_t)slabs);
        orma_pb_end(out, begun);
    }
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=79582500": microseconds. */
void orma_system_put_pressure(struct orma_buf *out, struct orma_str text, uint32_t some,
                              uint32_t full)
{
    static const struct orma_str total = {"total=", 6};
    struct orma_str line, name, word;
    uint64_t us;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (!orma_proc_word(&line, &name))
            continue;
        uint32_t resource = orma_str_eq_c(name, "some")   ? some
                            : orma_str_eq_c(name, "full") ? full
                                                          : 0;
        while (resource && orma_proc_word(&line, &word)) {
            if (!orma_str_starts(word, total))
                continue;
            word = (struct orma_str){word.data + total.len, word.len - total.len};
            if (!orma_str_to_u64(word, &us))
                continue;
            size_t begun = orma_pb_begin(out, ORMA_PB_SYS_STATS_PSI);
            orma_pb_put_u64(out, ORMA_PB_SYS_STATS_PSI_SAMPLE_RESOURCE, resource);
            orma_pb_put_u64(out, ORMA_PB_SYS_STATS_PSI_SAMPLE_TOTAL_NS, us * 1000);
            orma_pb_end(out, begun);
        }
    }
}
