/*
 * From kernel records to packets: call chains become interned callstacks.
 *
 *   chain of addresses ─► frames (mapping, relative address, function) ─► callstack ─► PerfSample
 *
 * No kernel address is written: kernel frames are functions of the mapping
 * "kernel". Threads: none.
 */
#ifndef ORMA_PROBES_PERF_ENCODE_H
#define ORMA_PROBES_PERF_ENCODE_H
#include "probes/perf/kept.h"
#include "probes/perf/process.h"
#include "probes/perf/ring.h"
#include "probes/perf/waits.h"
#include "sdk/base/map.h"
#include "sdk/wire/sink.h"

struct orma_kallsyms;

/* The CPU time of threads that ended, exactly: what samples cannot say of short lives. */
struct orma_perf_used {
    uint32_t pid, tid;    /* whose time is summed up over the cpus: */
    uint64_t ns, time;    /* 0: nobody's */
    uint64_t ended_ns;    /* of all that ended */
    uint64_t born, died;  /* beside the first */
    bool unsure;          /* records of it may be lost */
    struct orma_map mute; /* tid → pid: they ended, and the kernel did not say what they used */
};

struct orma_perf_encoder {
    uint32_t age; /* counts states of interning, from 1: which numbers of mappings hold */
    const struct orma_perf_plan *plan;
    struct orma_perf_rings *rings; /* where the records are from; NULL: from somewhere */
    struct orma_perf_processes *processes;
    struct orma_kallsyms *kernel; /* NULL: kernel frames have no names */
    bool kernel_read;             /* or tried to: at the first frame of it */
    const char *state_dir;        /* where its table is kept; NULL: nowhere */
    bool scanned;                 /* for names, at the first record */
    struct orma_perf_waits waits;
    const char
        *hidden; /* name of a file whose frames at the end of stacks are left out; NULL: none */
    struct orma_source_sink *sink;
    struct orma_map counted; /* cpu + 1 → sum of the periods of its samples, where they have them */
    struct orma_map iids;    /* hash of what is interned → iid */
    uint64_t next_iid, first_iid; /* first_iid: of this state of interning */
    bool fresh;                   /* the next packet begins a new interning state */
    struct orma_buf interned, packet;
    uint64_t frames[ORMA_PERF_FRAMES_MAX];
    struct orma_perf_kepts kepts;
    struct orma_perf_interp *interp;     /* of interp.h, at the first stack */
    struct orma_perf_contexts *contexts; /* of context.h, at the first sample */
    unsigned runtimes_told;              /* of runtime.h */
    uint64_t cut;                        /* stacks that are not whole, */
    uint64_t too_long; /* and of these, those that are cut where their copies end */
    struct orma_perf_used used;
    bool generated; /* the stack at hand has frames in generated code, whose names may change */
};

void orma_perf_encoder_init(struct orma_perf_encoder *self, const struct orma_perf_plan *plan,
                            struct orma_perf_processes *processes, struct orma_source_sink *sink);
void orma_perf_encoder_fini(struct orma_perf_encoder *self);

/* A packet with the sample, before it those that name its process and thread; none if the process
 * is not wanted. Other records change what is known of processes. */
void orma_perf_encode(struct orma_perf_encoder *self, const struct orma_perf_record *record);

/* Names the process and thread of a record, as long as somebody can be asked. */
void orma_perf_encode_names(struct orma_perf_encoder *self, const struct orma_perf_record *record);

/* The number of the stack of a sample, which the sequence knows from now on; 0: there is none. */
uint64_t orma_perf_encode_stack(struct orma_perf_encoder *self,
                                const struct orma_perf_record *record);

/* Everything interned is written again from here on. */
void orma_perf_encoder_clear(struct orma_perf_encoder *self);
#endif
