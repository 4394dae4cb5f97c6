/* Figures of the whole system, polled: memory, cpus, interrupts, disks, pressure, ... */
#include <ctype.h>
#include <stdlib.h>

#include "processor/import/linux/linux.h"
#include "protos/fields/sys_stats.h"
#include "protos/fields/trace.h"
#include "protos/reflect/schema.h"
#include "sdk/base/buf.h"

#define KIB 1024
#define PAGE_SIZE_USUAL 4096
#define SECTORS_PER_MB 2048.0
#define MS_PER_S 1000.0
#define KEY_MAX 256
#define DISKS_MAX 1024

/* Names by number in MeminfoCounters, as the kernel has them. */
static const char *const meminfo_names[] = {
    NULL,
    "MemTotal",
    "MemFree",
    "MemAvailable",
    "Buffers",
    "Cached",
    "SwapCached",
    "Active",
    "Inactive",
    "Active(anon)",
    "Inactive(anon)",
    "Active(file)",
    "Inactive(file)",
    "Unevictable",
    "Mlocked",
    "SwapTotal",
    "SwapFree",
    "Dirty",
    "Writeback",
    "AnonPages",
    "Mapped",
    "Shmem",
    "Slab",
    "SReclaimable",
    "SUnreclaim",
    "KernelStack",
    "PageTables",
    "CommitLimit",
    "Committed_AS",
    "VmallocTotal",
    "VmallocUsed",
    "VmallocChunk",
    "CmaTotal",
    "CmaFree",
    "Gpu",
    "Zram",
    "Misc",
    "IonHeap",
    "IonHeapPool",
};

static const char *const cpu_time_keys[] = {
    NULL,      NULL,         "user_ns", "user_nice_ns", "system_mode_ns",
    "idle_ns", "io_wait_ns", "irq_ns",  "softirq_ns",   "steal_ns",
};

static const char *const psi_keys[] = {
    NULL, "cpu.some", "cpu.full", "io.some", "io.full", "mem.some", "mem.full",
};

/* What a disk's figures were at the last poll. */
struct disk {
    uint32_t name;
    int64_t figures[10]; /* by field */
};

struct orma_linux_sys_stats {
    struct disk *disks;
    uint32_t disks_num;
    uint32_t vmstat_names[KEY_MAX]; /* pool ids */
};

static struct orma_linux_sys_stats *state_of(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_linux(imp)->sys_stats,
                           sizeof(struct orma_linux_sys_stats));
}

static uint32_t page_size(const struct orma_import_ctx *imp, uint16_t machine)
{
    uint32_t told = imp->model->machines[machine].page_size;

    return told ? told : PAGE_SIZE_USUAL;
}

/* Fields 1 and 2 of a small message as numbers. */
struct pair {
    uint64_t key, value;
};

static struct pair read_pair(const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    struct pair p = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == 1)
            p.key = orma_pb_u64(&f);
        else if (f.id == 2)
            p.value = orma_pb_u64(&f);
    }
    return p;
}

static void push(struct orma_import_ctx *imp, const struct orma_item *item, const char *type,
                 uint32_t name, const char *unit, const struct orma_track_dim *dim, double value)
{
    orma_model_counter(
        imp->model, item->ts,
        orma_model_counter_track(imp->model, item->machine, type, name, unit, dim ? 1 : 0, dim),
        value);
}

/* A counter whose one dimension is a text that is also its name. */
static void push_named(struct orma_import_ctx *imp, const struct orma_item *item, const char *type,
                       const char *key, uint32_t text, uint32_t name, const char *unit,
                       double value)
{
    const struct orma_track_dim dim = orma_dim_str(orma_model_cstr(imp->model, key), text);

    push(imp, item, type, name, unit, &dim, value);
}

static void meminfo(struct orma_import_ctx *imp, const struct orma_item *item,
                    const struct orma_pb_field *f)
{
    struct pair p = read_pair(f);

    if (p.key >= ORMA_ARRAY_LEN(meminfo_names) || !p.key) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine), ORMA_STAT_MEMINFO_UNKNOWN_KEYS);
        return;
    }
    uint32_t name = orma_model_cstr(imp->model, meminfo_names[p.key]);
    push_named(imp, item, "meminfo", "meminfo_key", name, name, "bytes",
               (double)(int64_t)p.value * KIB);
}

/* The enum's name without its prefix, in small letters: what the kernel calls it. */
static uint32_t vmstat_name(struct orma_import_ctx *imp, uint64_t key)
{
    struct orma_linux_sys_stats *st = state_of(imp);
    const struct orma_schema *schema = orma_schema_default();
    char text[64];
    size_t n = 0;

    if (!st || !key || key >= KEY_MAX)
        return 0;
    if (st->vmstat_names[key])
        return st->vmstat_names[key];
    uint32_t enum_idx = orma_schema_find_enum(schema, ORMA_STR("perfetto.protos.VmstatCounters"));
    const char *name = enum_idx == ORMA_SCHEMA_NONE
                           ? NULL
                           : orma_schema_value_name(schema, enum_idx, (int32_t)key);
    if (!name || strncmp(name, "VMSTAT_", 7))
        return 0;
    for (const char *c = name + 7; *c && n < sizeof(text); c++)
        text[n++] = (char)tolower((unsigned char)*c);
    return st->vmstat_names[key] = orma_model_str(imp->model, (struct orma_str){text, n});
}

static void vmstat(struct orma_import_ctx *imp, const struct orma_item *item,
                   const struct orma_pb_field *f)
{
    struct pair p = read_pair(f);
    uint32_t name = vmstat_name(imp, p.key);

    if (!name) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine), ORMA_STAT_VMSTAT_UNKNOWN_KEYS);
        return;
    }
    push_named(imp, item, "vmstat", "vmstat_key", name, name, NULL, (double)(int64_t)p.value);
}

static void cpu_times(struct orma_import_ctx *imp, const struct orma_item *item,
                      const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    int64_t figures[ORMA_ARRAY_LEN(cpu_time_keys)] = {0};
    bool has_cpu = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id < ORMA_ARRAY_LEN(figures))
            figures[f.id] = orma_pb_i64(&f);
        has_cpu = has_cpu || f.id == ORMA_PB_SYS_STATS_CPU_TIMES_CPU_ID;
    }
    if (!has_cpu) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine), ORMA_STAT_INVALID_CPU_TIMES);
        return;
    }
    uint32_t cpu = (uint32_t)figures[ORMA_PB_SYS_STATS_CPU_TIMES_CPU_ID];
    (void)orma_model_ucpu(imp->model, item->machine, cpu);
    for (unsigned i = ORMA_PB_SYS_STATS_CPU_TIMES_USER_NS; i < ORMA_ARRAY_LEN(figures); i++) {
        const struct orma_track_dim dims[] = {
            orma_dim(imp->model->known.cpu, cpu),
            orma_dim_str(orma_model_lit(imp->model, "cpustat_key"),
                         orma_model_cstr(imp->model, cpu_time_keys[i])),
        };
        uint32_t name =
            orma_strpool_addf(&imp->model->storage->pool, "cpu.times.%s", cpu_time_keys[i]);

        orma_model_counter(
            imp->model, item->ts,
            orma_model_counter_track(imp->model, item->machine, "cpustat", name, NULL, 2, dims),
            (double)figures[i]);
    }
}

static void interrupt(struct orma_import_ctx *imp, const struct orma_item *item,
                      const struct orma_pb_field *f, const char *type)
{
    struct pair p = read_pair(f);
    const struct orma_track_dim dim = orma_dim(orma_model_lit(imp->model, "irq"), (int32_t)p.key);

    push(imp, item, type,
         orma_strpool_addf(&imp->model->storage->pool, "%s (id: %d)", type, (int)(int32_t)p.key),
         NULL, &dim, (double)(int64_t)p.value);
}

static void plain(struct orma_import_ctx *imp, const struct orma_item *item,
                  const struct orma_pb_field *f, const char *type)
{
    push(imp, item, type, orma_model_cstr(imp->model, type), NULL, NULL, (double)orma_pb_i64(f));
}

static void devfreq(struct orma_import_ctx *imp, const struct orma_item *item,
                    const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    struct orma_str key = {"", 0};
    int64_t value = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SYS_STATS_DEVFREQ_VALUE_KEY)
            key = orma_pb_str(&f);
        else if (f.id == ORMA_PB_SYS_STATS_DEVFREQ_VALUE_VALUE)
            value = orma_pb_i64(&f);
    }
    push_named(imp, item, "clock_frequency", "linux_device", orma_model_str(imp->model, key),
               orma_strpool_addf(&imp->model->storage->pool, "%.*s Frequency", ORMA_STR_ARG(key)),
               NULL, (double)value);
}

static void cpu_frequency(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t cpu,
                          double khz)
{
    const struct orma_track_dim dim = orma_dim(imp->model->known.cpu, cpu);

    (void)orma_model_ucpu(imp->model, item->machine, cpu);
    push(imp, item, "cpu_frequency", orma_model_lit(imp->model, "cpufreq"), NULL, &dim, khz);
}

static void buddy(struct orma_import_ctx *imp, const struct orma_item *item,
                  const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    struct orma_str node = {"", 0}, zone = {"", 0};
    uint64_t bytes = page_size(imp, item->machine);

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t pages;

        if (f.id == ORMA_PB_SYS_STATS_BUDDY_INFO_NODE)
            node = orma_pb_str(&f);
        else if (f.id == ORMA_PB_SYS_STATS_BUDDY_INFO_ZONE)
            zone = orma_pb_str(&f);
        if (f.id != ORMA_PB_SYS_STATS_BUDDY_INFO_ORDER_PAGES)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &pages); bytes *= 2) {
            uint32_t kb = (uint32_t)(bytes / KIB);
            const struct orma_track_dim dims[] = {
                orma_dim_str(orma_model_lit(imp->model, "buddyinfo_node"),
                             orma_model_str(imp->model, node)),
                orma_dim_str(orma_model_lit(imp->model, "buddyinfo_zone"),
                             orma_model_str(imp->model, zone)),
                orma_dim(orma_model_lit(imp->model, "buddyinfo_chunk_size_kb"), kb),
            };
            uint32_t name =
                orma_strpool_addf(&imp->model->storage->pool, "mem.buddyinfo[%.*s][%.*s][%u kB]",
                                  ORMA_STR_ARG(node), ORMA_STR_ARG(zone), kb);

            orma_model_counter(imp->model, item->ts,
                               orma_model_counter_track(imp->model, item->machine, "buddyinfo",
                                                        name, NULL, 3, dims),
                               (double)pages);
        }
    }
}

/* The disk's last figures; *ret_new: it was not seen before. NULL: too many. */
static struct disk *disk_of(struct orma_import_ctx *imp, uint32_t name, bool *ret_new)
{
    struct orma_linux_sys_stats *st = state_of(imp);

    *ret_new = false;
    for (uint32_t i = 0; st && i < st->disks_num; i++)
        if (st->disks[i].name == name)
            return &st->disks[i];
    if (!st || st->disks_num == DISKS_MAX)
        return NULL;
    struct disk *disks = realloc(st->disks, (st->disks_num + 1) * sizeof(*disks));
    if (!disks) {
        imp->model->storage->failed = true;
        return NULL;
    }
    st->disks = disks;
    *ret_new = true;
    disks[st->disks_num] = (struct disk){.name = name};
    return &disks[st->disks_num++];
}

static void disk_counter(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t device,
                         const char *counter, const char *unit, double value)
{
    const struct orma_track_dim dims[] = {
        orma_dim_str(orma_model_lit(imp->model, "device_name"), device),
        orma_dim_str(orma_model_lit(imp->model, "counter_name"),
                     orma_model_cstr(imp->model, counter)),
    };
    uint32_t name =
        orma_strpool_addf(&imp->model->storage->pool, "diskstat.[%s].%s",
                          orma_strpool_cstr(&imp->model->storage->pool, device), counter);

    orma_model_counter(
        imp->model, item->ts,
        orma_model_counter_track(imp->model, item->machine, "diskstat", name, unit, 2, dims),
        value);
}

static double per_second(double amount, int64_t ms)
{
    return ms ? amount * MS_PER_S / (double)ms : 0;
}

/* Figures of a file may be anything: the difference wraps around. */
static int64_t since(int64_t now, int64_t before)
{
    return (int64_t)((uint64_t)now - (uint64_t)before);
}

static void disk(struct orma_import_ctx *imp, const struct orma_item *item,
                 const struct orma_pb_field *entry)
{
    static const struct {
        uint8_t sectors, time;
        const char *amount, *rate;
    } rows[] = {
        {ORMA_PB_SYS_STATS_DISK_STAT_READ_SECTORS, ORMA_PB_SYS_STATS_DISK_STAT_READ_TIME_MS,
         "read_amount", "read_throughput"},
        {ORMA_PB_SYS_STATS_DISK_STAT_WRITE_SECTORS, ORMA_PB_SYS_STATS_DISK_STAT_WRITE_TIME_MS,
         "write_amount", "write_throughput"},
        {ORMA_PB_SYS_STATS_DISK_STAT_DISCARD_SECTORS, ORMA_PB_SYS_STATS_DISK_STAT_DISCARD_TIME_MS,
         "discard_amount", "discard_throughput"},
    };
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    int64_t now[10] = {0};
    uint32_t name = 0;
    bool fresh;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SYS_STATS_DISK_STAT_DEVICE_NAME)
            name = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id < ORMA_ARRAY_LEN(now))
            now[f.id] = orma_pb_i64(&f);
    }
    struct disk *d = disk_of(imp, name, &fresh);
    if (!d)
        return;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(rows) && !fresh; i++) {
        double amount =
            (double)since(now[rows[i].sectors], d->figures[rows[i].sectors]) / SECTORS_PER_MB;

        disk_counter(imp, item, name, rows[i].amount, "MB", amount);
        disk_counter(imp, item, name, rows[i].rate, "MB/s",
                     per_second(amount, since(now[rows[i].time], d->figures[rows[i].time])));
    }
    if (!fresh) {
        const unsigned count = ORMA_PB_SYS_STATS_DISK_STAT_FLUSH_COUNT;
        const unsigned time = ORMA_PB_SYS_STATS_DISK_STAT_FLUSH_TIME_MS;

        disk_counter(imp, item, name, "flush_amount", "count",
                     (double)since(now[count], d->figures[count]));
        disk_counter(imp, item, name, "flush_time", "ms",
                     (double)since(now[time], d->figures[time]));
    }
    memcpy(d->figures, now, sizeof(now));
}

static void psi(struct orma_import_ctx *imp, const struct orma_item *item,
                const struct orma_pb_field *f)
{
    struct pair p = read_pair(f);

    if (!p.key || p.key >= ORMA_ARRAY_LEN(psi_keys)) {
        orma_stats_inc(orma_model_stats(imp->model, item->machine), ORMA_STAT_PSI_UNKNOWN_RESOURCE);
        return;
    }
    push_named(imp, item, "psi", "psi_resource", orma_model_cstr(imp->model, psi_keys[p.key]),
               orma_strpool_addf(&imp->model->storage->pool, "psi.%s", psi_keys[p.key]), NULL,
               (double)(int64_t)p.value);
}

static void thermal(struct orma_import_ctx *imp, const struct orma_item *item,
                    const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    uint32_t zone = 0;
    int64_t temp = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SYS_STATS_THERMAL_ZONE_TYPE)
            zone = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_SYS_STATS_THERMAL_ZONE_TEMP)
            temp = orma_pb_i64(&f);
    }
    push_named(imp, item, "thermal_temperature_sys", "thermal_zone", zone, zone, "C", (double)temp);
}

static void idle_entry(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t cpu,
                       const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    struct orma_str state = {"", 0};
    int64_t us = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SYS_STATS_CPU_IDLE_STATE_ENTRY_STATE)
            state = orma_pb_str(&f);
        else if (f.id == ORMA_PB_SYS_STATS_CPU_IDLE_STATE_ENTRY_DURATION_US)
            us = orma_pb_i64(&f);
    }
    const struct orma_track_dim dims[] = {
        orma_dim(imp->model->known.cpu, cpu),
        orma_dim_str(imp->model->known.state, orma_model_str(imp->model, state)),
    };
    (void)orma_model_ucpu(imp->model, item->machine, cpu);
    uint32_t name =
        orma_strpool_addf(&imp->model->storage->pool, "cpuidle%u.%.*s", cpu, ORMA_STR_ARG(state));
    orma_model_counter(
        imp->model, item->ts,
        orma_model_counter_track(imp->model, item->machine, "cpu_idle_state", name, "us", 2, dims),
        (double)us);
}

static void idle(struct orma_import_ctx *imp, const struct orma_item *item,
                 const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry), again = r;
    struct orma_pb_field f;
    uint32_t cpu = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_SYS_STATS_CPU_IDLE_STATE_CPU_ID)
            cpu = orma_pb_u32(&f);
    while (orma_pb_next(&again, &f))
        if (f.id == ORMA_PB_SYS_STATS_CPU_IDLE_STATE_CPUIDLE_STATE_ENTRY)
            idle_entry(imp, item, cpu, &f);
}

static void slab(struct orma_import_ctx *imp, const struct orma_item *item,
                 const struct orma_pb_field *entry)
{
    struct orma_pb_reader r = orma_pb_sub(entry);
    struct orma_pb_field f;
    struct orma_str name = {"", 0};
    uint64_t pages = 0, slabs = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SYS_STATS_SLAB_INFO_NAME)
            name = orma_pb_str(&f);
        else if (f.id == ORMA_PB_SYS_STATS_SLAB_INFO_PAGES_PER_SLAB)
            pages = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_SYS_STATS_SLAB_INFO_NUM_SLABS)
            slabs = orma_pb_u64(&f);
    }
    push_named(imp, item, "slabinfo", "slab_name", orma_model_str(imp->model, name),
               orma_strpool_addf(&imp->model->storage->pool, "mem.slab.%.*s", ORMA_STR_ARG(name)),
               "bytes", (double)(pages * slabs) * page_size(imp, item->machine));
}

static void gpu_frequency(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t gpu,
                          double mhz)
{
    orma_model_counter(imp->model, item->ts,
                       orma_model_gpu_frequency_track(imp->model, item->machine, gpu), mhz);
}

/* One kind of figure of a packet: counters come in this order, whatever the packet's. */
static void kind(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t want)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint32_t index = 0;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t val;

        if (f.id != want)
            continue;
        switch (f.id) {
        case ORMA_PB_SYS_STATS_MEMINFO:
            meminfo(imp, item, &f);
            break;
        case ORMA_PB_SYS_STATS_DEVFREQ:
            devfreq(imp, item, &f);
            break;
        case ORMA_PB_SYS_STATS_CPUFREQ_KHZ:
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
                cpu_frequency(imp, item, index++, (double)val);
            break;
        case ORMA_PB_SYS_STATS_VMSTAT:
            vmstat(imp, item, &f);
            break;
        case ORMA_PB_SYS_STATS_CPU_STAT:
            cpu_times(imp, item, &f);
            break;
        case ORMA_PB_SYS_STATS_NUM_IRQ:
            interrupt(imp, item, &f, "num_irq");
            break;
        case ORMA_PB_SYS_STATS_NUM_SOFTIRQ:
            interrupt(imp, item, &f, "num_softirq");
            break;
        case ORMA_PB_SYS_STATS_NUM_FORKS:
            plain(imp, item, &f, "num_forks");
            break;
        case ORMA_PB_SYS_STATS_NUM_IRQ_TOTAL:
            plain(imp, item, &f, "num_irq_total");
            break;
        case ORMA_PB_SYS_STATS_NUM_SOFTIRQ_TOTAL:
            plain(imp, item, &f, "num_softirq_total");
            break;
        case ORMA_PB_SYS_STATS_BUDDY_INFO:
            buddy(imp, item, &f);
            break;
        case ORMA_PB_SYS_STATS_DISK_STAT:
            disk(imp, item, &f);
            break;
        case ORMA_PB_SYS_STATS_PSI:
            psi(imp, item, &f);
            break;
        case ORMA_PB_SYS_STATS_THERMAL_ZONE:
            thermal(imp, item, &f);
            break;
        case ORMA_PB_SYS_STATS_CPUIDLE_STATE:
            idle(imp, item, &f);
            break;
        case ORMA_PB_SYS_STATS_GPUFREQ_MHZ:
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
                gpu_frequency(imp, item, index++, (double)val);
            break;
        case ORMA_PB_SYS_STATS_SLAB_INFO:
            slab(imp, item, &f);
            break;
        }
    }
}

static void sys_stats_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    static const uint8_t order[] = {
        ORMA_PB_SYS_STATS_MEMINFO,       ORMA_PB_SYS_STATS_DEVFREQ,
        ORMA_PB_SYS_STATS_CPUFREQ_KHZ,   ORMA_PB_SYS_STATS_VMSTAT,
        ORMA_PB_SYS_STATS_CPU_STAT,      ORMA_PB_SYS_STATS_NUM_IRQ,
        ORMA_PB_SYS_STATS_NUM_SOFTIRQ,   ORMA_PB_SYS_STATS_NUM_FORKS,
        ORMA_PB_SYS_STATS_NUM_IRQ_TOTAL, ORMA_PB_SYS_STATS_NUM_SOFTIRQ_TOTAL,
        ORMA_PB_SYS_STATS_BUDDY_INFO,    ORMA_PB_SYS_STATS_DISK_STAT,
        ORMA_PB_SYS_STATS_PSI,           ORMA_PB_SYS_STATS_THERMAL_ZONE,
        ORMA_PB_SYS_STATS_CPUIDLE_STATE, ORMA_PB_SYS_STATS_GPUFREQ_MHZ,
        ORMA_PB_SYS_STATS_SLAB_INFO,
    };
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    uint64_t there = 0;

    while (orma_pb_next(&r, &f))
        there |= 1ull << (f.id & 63);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(order); i++)
        if (there >> order[i] & 1)
            kind(imp, item, order[i]);
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_linux_sys_stats *st = orma_linux(imp)->sys_stats;

    if (st)
        free(st->disks);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_SYS_STATS, 0};
const struct orma_importer orma_linux_sys_stats_importer = {
    .name = "sys_stats", .fields = fields, .parse = sys_stats_parse, .fini = fini};
