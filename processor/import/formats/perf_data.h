/*
 * perf.data: the header, which describes the recording, and a cursor over its bytes.
 *
 *   header (104 bytes) ─► attrs: what was counted, and how its records look
 *                      ─► data: records
 *                      ─► features behind the data: command line, names of events, build ids
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_PERF_DATA_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_PERF_DATA_H
#include <string.h>

#include "processor/import/core/file.h"
#include "processor/import/formats/tracedat.h"
#include "processor/read/inflate.h"
#include "sdk/base/vec.h"

#define ORMA_PERF_ATTRS_MAX 256

/* Bits of sample_type, in the order in which the values lie in a record. */
enum {
    ORMA_PERF_IP = 1 << 0,
    ORMA_PERF_TID = 1 << 1,
    ORMA_PERF_TIME = 1 << 2,
    ORMA_PERF_ADDR = 1 << 3,
    ORMA_PERF_READ = 1 << 4,
    ORMA_PERF_CALLCHAIN = 1 << 5,
    ORMA_PERF_ID = 1 << 6,
    ORMA_PERF_CPU = 1 << 7,
    ORMA_PERF_PERIOD = 1 << 8,
    ORMA_PERF_STREAM_ID = 1 << 9,
    ORMA_PERF_RAW = 1 << 10,
    ORMA_PERF_IDENTIFIER = 1 << 16,
};

struct orma_perf_attr {
    uint32_t type;
    uint64_t config, period, sample_type, read_format, flags;
    int32_t clockid; /* -1: perf's own */
    uint32_t name;   /* pool id, 0: unknown */
};

enum {
    ORMA_PERF_RECORD_EXIT = 4,
    ORMA_PERF_RECORD_FORK = 7,
    ORMA_PERF_RECORD_SAMPLE = 9,
    ORMA_PERF_RECORD_MMAP2 = 10,
    ORMA_PERF_RECORD_SWITCH = 14,
    ORMA_PERF_RECORD_SWITCH_CPU_WIDE = 15,
    /* Those that describe others. */
    ORMA_PERF_RECORD_ATTR = 64,
    ORMA_PERF_RECORD_EVENT_TYPE = 65,
    ORMA_PERF_RECORD_TRACING_DATA = 66,
    ORMA_PERF_RECORD_BUILD_ID = 67,
    ORMA_PERF_RECORD_AUXTRACE = 71,
    ORMA_PERF_RECORD_EVENT_UPDATE = 78,
    ORMA_PERF_RECORD_FEATURE = 80,
};

/* `perf record -z`: what all compressed records hold is one stream. */
struct orma_perf_packed {
    struct orma_inflater *inflater; /* NULL: there was none yet */
    ORMA_VEC(struct orma_buf)
    blocks;      /* what came out of each; the end of a block that is no whole
                    record is copied to the next */
    size_t rest; /* bytes of that end */
    bool broken; /* nothing that follows can be unpacked */
};

struct orma_perf_counter {
    uint32_t track;
    double sum; /* of what each sample says was counted since the last one */
};

/* The stack of an earlier sample, as bytes of the file. */
struct orma_perf_stack {
    struct orma_str bytes; /* the call chain */
    uint64_t ip;
    uint64_t mappings; /* how many there were */
    uint32_t upid, mode;
    uint32_t callsite;
    bool is_set;
};
#define ORMA_PERF_STACKS 1024

struct orma_perf_data {
    struct orma_perf_attr attrs[ORMA_PERF_ATTRS_MAX];
    unsigned attrs_num;
    struct orma_map ids;                            /* id of an event → attr */
    struct orma_map build_ids;                      /* hash of a file name → pool id */
    uint32_t session;                               /* row */
    struct orma_map counters_of, counters_by_track; /* attr, cpu → index of the counter */
    ORMA_VEC(struct orma_perf_counter) counters;
    struct orma_map ranges; /* upid (or ORMA_ID_NONE: kernel) → struct ranges * */
    uint64_t mappings;      /* so many were made, */
    uint64_t unmapped;      /* and so many addresses lay in none */
    struct orma_perf_stack stacks[ORMA_PERF_STACKS]; /* by hash */
    struct orma_str data;                            /* the records */
    struct orma_str formats;                         /* of kernel events (TRACING_DATA) */
    struct orma_str release, arch;                   /* of the system */
    ORMA_VEC(struct orma_tracedat_event) events;     /* of the kernel, while records are read */
    struct orma_map running; /* by cpu: row + 1 of the slice that a record of a switch began, and
                                above 32 bits its utid; by bit 32 and utid: the cpu */
    bool of_all;             /* tasks, by the command line */
    bool told_sched;         /* by events: records of switches tell nothing new */
    bool told_forks, told_exits;
    struct orma_perf_packed packed;
    bool piped;   /* among them those that describe the others */
    bool cut_off; /* sections that the header leads to end behind the file */
};

/* A place in bytes of the file; reads past the end give 0 and set `failed`. */
struct orma_perf_cursor {
    const uint8_t *pos, *end;
    bool failed;
};

static inline uint64_t orma_format_perf_number(struct orma_perf_cursor *c, unsigned bytes)
{
    uint64_t val = 0;

    if ((size_t)(c->end - c->pos) < bytes) {
        c->failed = true;
        c->pos = c->end;
        return 0;
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&val, c->pos, bytes); /* mostly one instruction */
#else
    for (unsigned i = bytes; i-- > 0;)
        val = val << 8 | c->pos[i];
#endif
    c->pos += bytes;
    return val;
}

struct orma_perf_record_head {
    uint32_t type, misc, size;
};

/* MMAP and MMAP2. False: it is damaged. */
bool orma_format_perf_mapping(struct orma_import_ctx *imp, struct orma_perf_data *p,
                              struct orma_perf_cursor c, const struct orma_perf_record_head *h);

/* SAMPLE, in its place in time. */
void orma_format_perf_sample(struct orma_import_ctx *imp, struct orma_perf_data *p, int64_t ts,
                             struct orma_perf_cursor c, const struct orma_perf_record_head *h);

/* False: it is damaged. */
bool orma_format_perf_sample_time(const struct orma_perf_data *p, struct orma_perf_cursor c,
                                  uint64_t *ret_ns);

/* The event of the kernel that it is, if any. `all`: where it is in `bytes`. */
struct orma_perf_raw {
    uint32_t cpu;
    bool has_cpu;
    struct orma_str bytes;
};
bool orma_format_perf_sample_raw(const struct orma_perf_data *p, struct orma_perf_cursor c,
                                 struct orma_perf_raw *ret);

/* ---- perf_events.c: what the kernel itself did ---- */

/* A sample may be an event of the kernel. */
void orma_format_perf_note_event(struct orma_file *file, struct orma_perf_data *p, uint64_t time,
                                 struct orma_perf_cursor c);
/* When all are noted. */
void orma_format_perf_put_events(struct orma_file *file, struct orma_perf_data *p,
                                 struct orma_str all);

/* What follows the fields of a record that is no sample. */
struct orma_perf_trailer {
    uint64_t time;
    uint32_t pid, tid, cpu;
    bool has_tid, has_time, has_cpu;
};
void orma_format_perf_trailer(const struct orma_perf_attr *a, struct orma_perf_cursor c,
                              struct orma_perf_trailer *ret);

/* SWITCH, SWITCH_CPU_WIDE, FORK, EXIT, in their places in time. */
struct orma_unit_end orma_format_perf_switch(struct orma_file *file, struct orma_perf_data *p,
                                             int64_t ts, struct orma_perf_cursor c,
                                             const struct orma_perf_record_head *h);
struct orma_unit_end orma_format_perf_life(struct orma_file *file, struct orma_perf_data *p,
                                           int64_t ts, struct orma_perf_cursor c,
                                           const struct orma_perf_record_head *h);

void orma_format_perf_samples_fini(struct orma_perf_data *p);

/* How many bytes lie behind such a record, outside of its size. `c`: behind its header. */
uint64_t orma_format_perf_behind(uint32_t type, struct orma_perf_cursor c);

/* False, and the error is reported: the file cannot be read. */
bool orma_format_perf_read_header(struct orma_file *file, struct orma_perf_data *p,
                                  struct orma_str bytes);

extern const struct orma_format_ops orma_format_perf_data;
#endif
