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
#include "probes/core/sink.h"
#include "probes/perf/process.h"
#include "probes/perf/ring.h"
#include "sdk/base/map.h"

struct orma_kallsyms;

struct orma_perf_encoder {
    const struct orma_perf_plan *plan;
    struct orma_perf_processes *processes;
    const struct orma_kallsyms *kernel; /* NULL: kernel frames have no names */
    struct orma_source_sink *sink;
    struct orma_map iids; /* hash of what is interned → iid */
    uint64_t next_iid;
    bool fresh; /* the next packet begins a new interning state */
    struct orma_buf interned, packet;
};

void orma_perf_encoder_init(struct orma_perf_encoder *self, const struct orma_perf_plan *plan,
                            struct orma_perf_processes *processes,
                            const struct orma_kallsyms *kernel, struct orma_source_sink *sink);
void orma_perf_encoder_fini(struct orma_perf_encoder *self);

/* One packet, or none if the process is not wanted. */
void orma_perf_encode(struct orma_perf_encoder *self, const struct orma_perf_record *record);

/* Everything interned is written again from here on. */
void orma_perf_encoder_clear(struct orma_perf_encoder *self);
#endif
