/*
 * A record -> its process -> a frame per address -> a call stack -> one PerfSample. Names,
 * paths, mappings, frames and stacks are interned: a hash of kind and content is mapped to
 * an id; what is new goes into `interned` of the same packet. clear() forgets all ids, so
 * that a reader can start at the next packet.
 */
#include "probes/perf/encode.h"

#include <string.h>

#include "probes/kernel/kallsyms.h"
#include "protos/fields/common.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/hash.h"
#include "sdk/wire/pb_writer.h"

#define INTERNED_MAX (1u << 20)

/* What a hash is of; the same bytes may be interned in several roles. */
enum role { ROLE_FUNCTION = 1, ROLE_PATH, ROLE_BUILD_ID, ROLE_MAPPING, ROLE_FRAME, ROLE_STACK };

void orma_perf_encoder_init(struct orma_perf_encoder *self, const struct orma_perf_plan *plan,
                            struct orma_perf_processes *processes,
                            const struct orma_kallsyms *kernel, struct orma_source_sink *sink)
{
    *self = (struct orma_perf_encoder){.plan = plan,
                                       .processes = processes,
                                       .kernel = kernel,
                                       .sink = sink,
                                       .next_iid = 1,
                                       .fresh = true};
}

void orma_perf_encoder_fini(struct orma_perf_encoder *self)
{
    orma_map_fini(&self->iids);
    orma_buf_fini(&self->interned);
    orma_buf_fini(&self->packet);
}

void orma_perf_encoder_clear(struct orma_perf_encoder *self)
{
    orma_map_clear(&self->iids);
    self->fresh = true;
}

/* ---- interning ---- */

static uint64_t hash_of(enum role role, const void *data, size_t len)
{
    return orma_mix64(orma_fnv1a(ORMA_FNV1A_BASIS ^ role, data, len));
}

/* True: known, *ret_iid is its number. False: it is new and has that number from now on. */
static bool known(struct orma_perf_encoder *self, uint64_t hash, uint64_t *ret_iid)
{
    *ret_iid = orma_map_get(&self->iids, hash);
    if (*ret_iid != ORMA_MAP_NONE)
        return true;
    *ret_iid = self->next_iid++;
    if (orma_map_put(&self->iids, hash, *ret_iid) < 0)
        return false; /* said again the next time: costs bytes only */
    return false;
}

static uint64_t intern_str(struct orma_perf_encoder *self, enum role role, uint32_t field,
                           const void *data, size_t len)
{
    uint64_t iid;

    if (known(self, hash_of(role, data, len), &iid))
        return iid;
    size_t begun = orma_pb_begin(&self->interned, field);
    orma_pb_put_u64(&self->interned, ORMA_PB_INTERNED_STRING_IID, iid);
    orma_pb_put_bytes(&self->interned, ORMA_PB_INTERNED_STRING_STR, data, len);
    orma_pb_end(&self->interned, begun);
    return iid;
}

static uint64_t intern_function(struct orma_perf_encoder *self, struct orma_str name)
{
    return intern_str(self, ROLE_FUNCTION, ORMA_PB_INTERNED_DATA_FUNCTION_NAMES, name.data,
                      name.len);
}

/* The parts of a path are interned one by one. `what` goes into the new Mapping. */
static void put_path(struct orma_perf_encoder *self, struct orma_buf *what, const char *path)
{
    struct orma_str rest = orma_str_from(path), part;

    while (rest.len && orma_str_cut(&rest, '/', &part)) {
        if (part.len)
            orma_pb_put_u64(what, ORMA_PB_MAPPING_PATH_STRING_IDS,
                            intern_str(self, ROLE_PATH, ORMA_PB_INTERNED_DATA_MAPPING_PATHS,
                                       part.data, part.len));
    }
}

static uint64_t intern_mapping(struct orma_perf_encoder *self, const struct orma_perf_mapping *m)
{
    const struct orma_perf_symtab *elf = m->file ? &m->file->elf : NULL;
    uint64_t key[3] = {m->start, m->offset, m->end};
    ORMA_AUTO(orma_buf_fini) struct orma_buf what = {0};
    uint64_t iid, hash = hash_of(ROLE_MAPPING, key, sizeof(key));

    hash = orma_mix64(hash ^ hash_of(ROLE_MAPPING, m->path, strlen(m->path)));
    if (known(self, hash, &iid))
        return iid;
    orma_pb_put_u64(&what, ORMA_PB_MAPPING_IID, iid);
    if (elf && elf->build_id_len)
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_BUILD_ID,
                        intern_str(self, ROLE_BUILD_ID, ORMA_PB_INTERNED_DATA_BUILD_IDS,
                                   elf->build_id, elf->build_id_len));
    if (m->end) {
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_EXACT_OFFSET, m->offset);
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_START_OFFSET, m->offset);
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_START, m->start);
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_END, m->end);
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_LOAD_BIAS, elf ? elf->load_bias : 0);
    }
    put_path(self, &what, m->path);
    orma_pb_put_bytes(&self->interned, ORMA_PB_INTERNED_DATA_MAPPINGS, what.data, what.len);
    return iid;
}

static uint64_t intern_frame(struct orma_perf_encoder *self, uint64_t mapping, uint64_t rel_pc,
                             struct orma_str function)
{
    uint64_t name = function.len ? intern_function(self, function) : 0;
    const uint64_t key[3] = {mapping, rel_pc, name};
    uint64_t iid;

    if (known(self, hash_of(ROLE_FRAME, key, sizeof(key)), &iid))
        return iid;
    size_t begun = orma_pb_begin(&self->interned, ORMA_PB_INTERNED_DATA_FRAMES);
    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_IID, iid);
    if (name)
        orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_FUNCTION_NAME_ID, name);
    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_MAPPING_ID, mapping);
    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_REL_PC, rel_pc);
    orma_pb_end(&self->interned, begun);
    return iid;
}

static uint64_t intern_stack(struct orma_perf_encoder *self, const uint64_t *frames, size_t num)
{
    uint64_t iid;

    if (known(self, hash_of(ROLE_STACK, frames, num * sizeof(*frames)), &iid))
        return iid;
    size_t begun = orma_pb_begin(&self->interned, ORMA_PB_INTERNED_DATA_CALLSTACKS);
    orma_pb_put_u64(&self->interned, ORMA_PB_CALLSTACK_IID, iid);
    for (size_t i = num; i-- > 0;) /* root first */
        orma_pb_put_u64(&self->interned, ORMA_PB_CALLSTACK_FRAME_IDS, frames[i]);
    orma_pb_end(&self->interned, begun);
    return iid;
}

/* ---- frames ---- */

static uint64_t kernel_frame(struct orma_perf_encoder *self, uint64_t pc)
{
    const struct orma_perf_mapping kernel = {.path = (char *)"kernel"};
    struct orma_str name = {"", 0};

    if (self->kernel)
        name = orma_kallsyms_find(self->kernel, pc);
    if (!name.len)
        name = ORMA_STR("unknown");
    return intern_frame(self, intern_mapping(self, &kernel), 0, name);
}

static uint64_t user_frame(struct orma_perf_encoder *self, struct orma_perf_process *process,
                           uint64_t pc, uint64_t now_ns)
{
    const struct orma_perf_mapping unknown = {.path = (char *)"[unknown]"};
    const struct orma_perf_mapping *m =
        orma_perf_process_find(self->processes, process, pc, now_ns);

    if (!m)
        return intern_frame(self, intern_mapping(self, &unknown), pc, (struct orma_str){"", 0});
    const struct orma_perf_symtab *elf = m->file ? &m->file->elf : NULL;
    uint64_t rel_pc = pc - m->start + m->offset + (elf ? elf->load_bias : 0);
    return intern_frame(self, intern_mapping(self, m), rel_pc,
                        elf ? orma_perf_symtab_find(elf, rel_pc) : (struct orma_str){"", 0});
}

/* 0: no frame at all. The chain is leaf first; a return address belongs to the call before it. */
static uint64_t stack_of(struct orma_perf_encoder *self, struct orma_perf_process *process,
                         const struct orma_perf_record *record)
{
    uint64_t frames[ORMA_PERF_FRAMES_MAX];
    uint64_t now_ns = orma_clock_boottime();
    bool in_kernel = false, leaf = true;
    size_t num = 0;

    for (size_t i = 0; i < record->chain_num && num < ORMA_PERF_FRAMES_MAX; i++) {
        uint64_t pc = record->chain[i];

        if (pc >= (uint64_t)PERF_CONTEXT_MAX) { /* a marker: what follows is of this mode */
            in_kernel = pc == (uint64_t)PERF_CONTEXT_KERNEL;
            leaf = true;
            continue;
        }
        if (!pc)
            continue;
        uint64_t at = leaf ? pc : pc - 1;
        frames[num++] = in_kernel ? kernel_frame(self, at) : user_frame(self, process, at, now_ns);
        leaf = false;
    }
    return num ? intern_stack(self, frames, num) : 0;
}

/* ---- packets ---- */

static uint64_t cpu_mode(uint16_t misc)
{
    switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
    case PERF_RECORD_MISC_KERNEL:
        return ORMA_PB_PROFILING_MODE_KERNEL;
    case PERF_RECORD_MISC_USER:
        return ORMA_PB_PROFILING_MODE_USER;
    case PERF_RECORD_MISC_HYPERVISOR:
        return ORMA_PB_PROFILING_MODE_HYPERVISOR;
    case PERF_RECORD_MISC_GUEST_KERNEL:
        return ORMA_PB_PROFILING_MODE_GUEST_KERNEL;
    case PERF_RECORD_MISC_GUEST_USER:
        return ORMA_PB_PROFILING_MODE_GUEST_USER;
    default:
        return ORMA_PB_PROFILING_MODE_UNKNOWN;
    }
}

static void put_sample(struct orma_buf *out, const struct orma_perf_record *record, uint64_t stack)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_PERF_SAMPLE);

    orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_CPU, record->cpu);
    if (record->kind == ORMA_PERF_LOST) {
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_KERNEL_RECORDS_LOST, record->lost);
        orma_pb_end(out, begun);
        return;
    }
    orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_PID, record->pid);
    orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_TID, record->tid);
    orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_CPU_MODE, cpu_mode(record->misc));
    if (record->counts_num)
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_TIMEBASE_COUNT, record->counts[0]);
    for (unsigned i = 1; i < record->counts_num; i++)
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_FOLLOWER_COUNTS, record->counts[i]);
    if (stack)
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_CALLSTACK_IID, stack);
    orma_pb_end(out, begun);
}

/* The clock of all timestamps that follow, and what the samples count. */
static void put_defaults(struct orma_buf *out, const struct orma_perf_plan *plan)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID, plan->clock_id);
    orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_DEFAULTS_PERF_SAMPLE_DEFAULTS, plan->defaults.data,
                      plan->defaults.len);
    orma_pb_end(out, begun);
}

void orma_perf_encode(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    struct orma_buf *out = &self->packet;
    struct orma_perf_process *process = NULL;
    uint64_t stack = 0, flags = ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE;

    if (self->iids.len > INTERNED_MAX)
        orma_perf_encoder_clear(self);
    orma_buf_clear(&self->interned);
    if (record->kind == ORMA_PERF_SAMPLE && self->plan->stacks) {
        process = orma_perf_process_get(self->processes, record->pid, orma_clock_boottime());
        if (!process || !process->wanted)
            return;
        stack = stack_of(self, process, record);
    }
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP,
                    record->time ? record->time : orma_clock_boottime());
    if (record->kind == ORMA_PERF_LOST) /* has no time of its own; ours is of this clock */
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID,
                        ORMA_PB_BUILTIN_CLOCK_BOOTTIME);
    if (self->fresh) {
        flags |= ORMA_PB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED;
        put_defaults(out, self->plan);
    }
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, flags);
    if (self->interned.len)
        orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_INTERNED_DATA, self->interned.data,
                          self->interned.len);
    put_sample(out, record, stack);
    self->fresh = false;
    if (self->interned.failed || orma_source_sink_put_buf(self->sink, out) < 0)
        orma_perf_encoder_clear(self); /* whoever reads on must be told again */
    orma_buf_clear(out);
}
