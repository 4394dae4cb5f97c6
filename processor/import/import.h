/*
 * An import under way: the reader, the storage, and what the importers of
 * packet families share.
 *
 * Each family is a module: a table row in module.c names the packet fields it
 * takes and its functions. `early` and `tokenize` run as packets are read,
 * `parse` when their time has come, `finish` at the end of the trace. A module
 * that needs memory of its own has a slot in `state` and frees it in `fini`.
 */
#ifndef ORMA_PROCESSOR_IMPORT_IMPORT_H
#define ORMA_PROCESSOR_IMPORT_IMPORT_H
#include "processor/import/trackers/process.h"
#include "processor/import/trackers/slice.h"
#include "processor/import/trackers/track.h"
#include "processor/import/words.h"
#include "processor/read/reader.h"

struct orma_import;
struct orma_file;

/* What tokenize and early get. seq is NULL only in `early`, for packets of no sequence. */
struct orma_packet_ctx {
    const struct orma_packet *p;
    struct orma_seq *seq;
    uint16_t machine;
    int64_t ts; /* tokenize only */
    uint64_t order;
};

struct orma_module {
    const char *name;
    const uint16_t *fields; /* of TracePacket, 0-terminated */
    /* All may be NULL. True: the packet is used up. */
    bool (*early)(struct orma_import *imp, const struct orma_packet_ctx *ctx);
    bool (*tokenize)(struct orma_import *imp, const struct orma_packet_ctx *ctx);
    void (*parse)(struct orma_import *imp, const struct orma_item *item);
    void (*finish)(struct orma_import *imp);
    void (*fini)(struct orma_import *imp);
};

/* Which module keeps what in orma_import.state. */
enum orma_module_state {
    ORMA_STATE_TRACK_EVENT,
    ORMA_STATE_FTRACE,
    ORMA_STATE_SCHED,
    ORMA_STATE_FLOW,
    ORMA_STATE_ASYNC,
    ORMA_STATE_SESSIONS,
    ORMA_STATE_PROFILE,
    ORMA_STATE_METADATA,
    ORMA_STATE_SYS_STATS,
    ORMA_STATE_BUFFERS,
    ORMA_STATE_LEDGER,
    ORMA_STATE_SYSCALL,
    ORMA_STATE_MM,
    ORMA_STATE_NET,
    ORMA_STATE_GPU,
    ORMA_STATE_FRAMES,
    ORMA_STATE_ANDROID,
    ORMA_STATE_GRAPHICS,
    ORMA_STATE_GPU_COUNTERS,
    ORMA_STATE_GPU_STAGES,
    ORMA_STATE_VULKAN_MEMORY,
    ORMA_STATE_DEVICES,
    ORMA_STATE_VIDEO,
    ORMA_STATE_GENERIC_KERNEL,
    ORMA_STATE_HEAP_GRAPH,
    ORMA_STATE_PROTO_CONTENT,
    ORMA_STATE_BINDER,
    ORMA_STATES_NUM,
};

#define ORMA_UCPUS_PER_MACHINE 4096
#define ORMA_PACKET_FIELDS_MAX 1024

/* One machine of the trace. Its row in the machine table is its index. */
struct orma_machine {
    struct orma_processes processes;
    uint32_t kernel_version; /* major << 16 | minor; 0: unknown */
    const struct orma_syscall_table *syscalls;
    uint32_t page_size; /* bytes; 0: not told */
    bool has_data;
};

#define ORMA_LITERALS_NUM 512
/* Cpus that are found without a look at their row. */
#define ORMA_UCPUS_KNOWN 64

struct orma_row_args;

struct orma_import {
    struct orma_storage *storage;
    struct orma_words words;
    struct orma_reader reader;
    struct orma_machine machines[ORMA_MACHINES_MAX];
    uint16_t machines_num;
    struct orma_tracks tracks;
    struct orma_slices slices;
    uint32_t ucpus[ORMA_UCPUS_KNOWN]; /* numbers + 1 of those that have rows, by remainder */
    struct {
        const char *text;
        uint32_t id;
    } literals[ORMA_LITERALS_NUM];
    const struct orma_args_list *args_before; /* of the slice that an event ends; or NULL */
    struct orma_args_list args;               /* scratch of whoever runs now */
    void *state[ORMA_STATES_NUM];
    const struct orma_module *by_field[ORMA_PACKET_FIELDS_MAX];
    uint32_t trace_row; /* in trace_file */
    uint32_t clock_snapshots;
    uint32_t chrome_bundles, chrome_packets; /* that told of a Chrome; so far */
    struct orma_map gpus;                    /* machine and number → row */
    struct orma_map unknown_event_fields;    /* of TrackEvent: number → how often */
    struct orma_schema *schema; /* with what the trace describes; NULL: the built-in one */
    struct orma_map row_args;   /* of rows that packets add args to: → struct orma_row_args * */
    struct orma_row_args *row_args_first, *row_args_last;
    bool into_file; /* the trace was written to its file while it was recorded */
    bool no_ftrace_raw, crop_track_events;
    bool no_plain_events; /* all of them the long way: for tests */
    int64_t crop_start;
    struct orma_file *files, *files_last; /* in the order in which they were found */
    uint32_t files_read;
    struct {
        uint64_t places, bytes, cut_off;
        int64_t first;    /* the place of the first one; -1: none, or not in the file as such */
    } damage;             /* what was skipped since it means nothing */
    uint64_t uuid;        /* made from the first bytes of what is loaded */
    char error_text[256]; /* of orma_file_error() */
    int error_code;
};

/* 0 or -ENOMEM; then orma_import_fini() is still due. The import must not move in memory. */
int orma_import_init(struct orma_import *self, struct orma_storage *storage);
void orma_import_fini(struct orma_import *self);

/* A trace begins: its format by name. */
void orma_import_begin(struct orma_import *self, const char *format);

/* The size of the trace; last of all facts. */
void orma_import_set_size(struct orma_import *self, uint64_t size);

/* The end of the trace: what waits is sorted and parsed, tables that sum up are made. */
void orma_import_finish(struct orma_import *self);

static inline struct orma_table *orma_import_table(struct orma_import *self, enum orma_table_id id)
{
    return &self->storage->tables[id];
}

static inline uint32_t orma_import_str(struct orma_import *self, struct orma_str s)
{
    return orma_strpool_add(&self->storage->pool, s);
}

static inline uint32_t orma_import_cstr(struct orma_import *self, const char *text)
{
    return orma_strpool_add_c(&self->storage->pool, text);
}

/* The same for a literal (or other text that never changes): found by its address. */
uint32_t orma_import_lit_slow(struct orma_import *self, const char *literal);
static inline uint32_t orma_import_lit(struct orma_import *self, const char *literal)
{
    uint32_t slot = (uint32_t)((uintptr_t)literal * 0x9e3779b97f4a7c15u >> 40) % ORMA_LITERALS_NUM;

    if (ORMA_LIKELY(self->literals[slot].text == literal))
        return self->literals[slot].id;
    return orma_import_lit_slow(self, literal);
}

static inline struct orma_processes *orma_import_processes(struct orma_import *self,
                                                           uint16_t machine)
{
    return &self->machines[machine].processes;
}

static inline struct orma_stats *orma_import_stats(struct orma_import *self, uint16_t machine)
{
    return &self->storage->stats[machine];
}

/* What is imported from here on is of this file. */
void orma_import_use_trace(struct orma_import *self, uint32_t row);

/* A counter track without parent and source args, by type and dimensions. Names are pool ids. */
uint32_t orma_import_counter_track(struct orma_import *self, uint16_t machine, const char *type,
                                   uint32_t name, const char *unit, unsigned dims_num,
                                   const struct orma_track_dim *dims);

/* The same for slices. */
uint32_t orma_import_slice_track(struct orma_import *self, uint16_t machine, const char *type,
                                 uint32_t name, unsigned dims_num,
                                 const struct orma_track_dim *dims);

/* The track of a thread's ordinary slices. */
uint32_t orma_import_thread_track(struct orma_import *self, uint16_t machine, uint32_t utid);

/* A row of the counter table. */
void orma_import_counter(struct orma_import *self, int64_t ts, uint32_t track, double value);

/* A snapshot of clocks: for conversions, and as rows of clock_snapshot. */
void orma_import_clock_snapshot(struct orma_import *self, uint16_t machine, struct orma_seq *seq,
                                const struct orma_clock_value *values, uint32_t num,
                                uint64_t primary);

/* Adds to the args of a row, which are written at the end; the last value of a key counts. */
void orma_import_add_args(struct orma_import *self, enum orma_table_id table, unsigned col,
                          uint32_t row, const struct orma_args_list *args);

/* A state slot of `size` zeroed bytes, made on first use; NULL when memory is out. */
void *orma_import_state(struct orma_import *self, enum orma_module_state slot, size_t size);

/* The machine-wide number of a cpu; its row in the cpu table exists afterwards. */
uint32_t orma_import_ucpu_slow(struct orma_import *self, uint32_t ucpu, uint32_t cpu);
static inline uint32_t orma_import_ucpu(struct orma_import *self, uint16_t machine, uint32_t cpu)
{
    uint32_t ucpu = machine * ORMA_UCPUS_PER_MACHINE + ORMA_MIN(cpu, ORMA_UCPUS_PER_MACHINE - 1);

    if (ORMA_LIKELY(self->ucpus[ucpu % ORMA_UCPUS_KNOWN] == ucpu + 1))
        return ucpu;
    return orma_import_ucpu_slow(self, ucpu, cpu);
}

/*
 * Something that could not be imported: counts it and leaves a row with details.
 * ts INT64_MIN and offset < 0: unknown. `args` may be NULL.
 */
void orma_import_log(struct orma_import *self, uint16_t machine, enum orma_stat stat, int64_t ts,
                     int64_t byte_offset, const struct orma_args_list *args);

/* The same for a slice that reaches out of another one: both are told. */
void orma_import_log_overlap(struct orma_import *self, enum orma_stat stat,
                             const struct orma_slice_overlap *overlap);

/*
 * Bytes of the trace that were skipped since they mean nothing, and where; offset < 0: unknown. And
 * those at its end that are the begin of something.
 */
void orma_import_damage(struct orma_import *self, int64_t offset, uint64_t bytes, const char *why);
void orma_import_cut_off(struct orma_import *self, uint64_t bytes);

/* The row of a graphics processor, and the counter track of its frequency. */
uint32_t orma_import_ugpu(struct orma_import *self, uint16_t machine, uint32_t gpu);
uint32_t orma_import_gpu_frequency_track(struct orma_import *self, uint16_t machine, uint32_t gpu);

/* All modules; NULL name at the end. */
extern const struct orma_module *const orma_modules[];

/* ---- metadata (metadata.c) ---- */

enum orma_metadata_scope {
    ORMA_METADATA_GLOBAL,
    ORMA_METADATA_MACHINE = 1,
    ORMA_METADATA_TRACE = 2,
    ORMA_METADATA_MACHINE_AND_TRACE = 3,
};

/* Sets (replacing) or, for `multi`, adds. */
void orma_metadata_int(struct orma_import *self, const char *name, bool multi,
                       enum orma_metadata_scope scope, uint16_t machine, int64_t val);
void orma_metadata_str(struct orma_import *self, const char *name, bool multi,
                       enum orma_metadata_scope scope, uint16_t machine, uint32_t str);

/* The uuid in its usual form. */
void orma_metadata_uuid(struct orma_import *self, uint64_t msb, uint64_t lsb);
/* Without what is behind the point; 0 for what no int64_t holds. */
static inline int64_t orma_import_whole(double val)
{
    return val > -9.2e18 && val < 9.2e18 ? (int64_t)val : 0;
}

#endif
