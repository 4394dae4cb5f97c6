/*
 * Records of processes keep the table up to date; a sample becomes packets:
 *
 * A record -> its process -> a frame per address -> a call stack -> one PerfSample. Names,
 * paths, mappings, frames and stacks are interned: a hash of kind and content is mapped to
 * an id; what is new goes into `interned` of the same packet. clear() forgets all ids, so
 * that a reader can start at the next packet.
 */
#include "probes/perf/encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probes/kernel/kallsyms.h"
#include "probes/perf/late.h"
#include "probes/unwind/unwind.h"
#include "protos/fields/common.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/process.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/hash.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_writer.h"

#define INTERNED_MAX (1u << 20)
#define LOOK_AFTER_NS UINT64_C(3000000)
#define LOOKS_AT_ONCE 4u /* in each round of 5 ms: below 2 % of a cpu */

/* What a hash is of; the same bytes may be interned in several roles. */
enum role {
    ROLE_FUNCTION = 1,
    ROLE_PATH,
    ROLE_BUILD_ID,
    ROLE_MAPPING,
    ROLE_FRAME,
    ROLE_PLACE,  /* a frame in a file, whose name need not be looked up again */
    ROLE_KERNEL, /* the same of the kernel */
    ROLE_STACK
};

void orma_perf_encoder_init(struct orma_perf_encoder *self, const struct orma_perf_plan *plan,
                            struct orma_perf_processes *processes, struct orma_source_sink *sink)
{
    *self = (struct orma_perf_encoder){
        .plan = plan, .processes = processes, .sink = sink, .next_iid = 1, .age = 1, .fresh = true};
}

void orma_perf_encoder_fini(struct orma_perf_encoder *self)
{
    orma_map_fini(&self->iids);
    orma_perf_waits_fini(&self->waits);
    orma_perf_kepts_fini(&self->kepts);
    orma_kallsyms_free(self->kernel);
    orma_buf_fini(&self->interned);
    orma_buf_fini(&self->packet);
}

void orma_perf_encoder_clear(struct orma_perf_encoder *self)
{
    orma_map_clear(&self->iids);
    self->fresh = true;
    self->age++;
}

/* ---- interning ---- */

static uint64_t hash_of(enum role role, const void *data, size_t len)
{
    return orma_hash_bytes_from(role, data, len);
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

struct place {
    uint64_t start, end, offset;
    const struct orma_perf_file *file; /* NULL: only a name */
    const char *path;
    const struct orma_perf_process *owner; /* of generated code; NULL: it is a file's */
};

static uint64_t intern_place(struct orma_perf_encoder *self, const struct place *m)
{
    uint64_t key[3] = {m->start, m->offset, m->end};
    ORMA_AUTO(orma_buf_fini) struct orma_buf what = {0};
    uint64_t iid, hash = hash_of(ROLE_MAPPING, key, sizeof(key));
    uint8_t id[ORMA_PERF_LATE_ID_BYTES];

    if (m->owner) {
        orma_perf_late_id(m->owner, id);
        hash = orma_mix64(hash ^ hash_of(ROLE_BUILD_ID, id, sizeof(id)));
    }
    hash = orma_mix64(hash ^ hash_of(ROLE_MAPPING, m->path, strlen(m->path)));
    if (known(self, hash, &iid))
        return iid;
    orma_pb_put_u64(&what, ORMA_PB_MAPPING_IID, iid);
    if (m->owner)
        orma_pb_put_u64(
            &what, ORMA_PB_MAPPING_BUILD_ID,
            intern_str(self, ROLE_BUILD_ID, ORMA_PB_INTERNED_DATA_BUILD_IDS, id, sizeof(id)));
    else if (m->file && m->file->build_id_len)
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_BUILD_ID,
                        intern_str(self, ROLE_BUILD_ID, ORMA_PB_INTERNED_DATA_BUILD_IDS,
                                   m->file->build_id, m->file->build_id_len));
    if (m->end) {
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_EXACT_OFFSET, m->offset);
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_START_OFFSET, m->offset);
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_START, m->start);
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_END, m->end);
        orma_pb_put_u64(&what, ORMA_PB_MAPPING_LOAD_BIAS, m->file ? m->file->elf.load_bias : 0);
    }
    put_path(self, &what, m->path);
    orma_pb_put_bytes(&self->interned, ORMA_PB_INTERNED_DATA_MAPPINGS, what.data, what.len);
    return iid;
}

/* `owner`: the process, of code that it generates. */
static uint64_t intern_mapping(struct orma_perf_encoder *self, struct orma_perf_mapping *m,
                               const struct orma_perf_process *owner)
{
    const struct place place = {m->start, m->end, m->offset, m->file, m->file->path, owner};

    if (m->iid_age != self->age) {
        m->iid = intern_place(self, &place);
        m->iid_age = self->age;
    }
    return m->iid;
}

static uint64_t intern_name(struct orma_perf_encoder *self, const char *path)
{
    const struct place place = {.path = path};

    return intern_place(self, &place);
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

/* A long text: read by the worker, and only where it is needed. */
static void read_kallsyms(struct orma_perf_encoder *self)
{
    self->kernel_read = true;
    if (orma_kallsyms_open(self->processes->proc_fd, self->state_dir, &self->kernel) < 0)
        orma_log_warn("linux.perf: no names for kernel functions: /proc/kallsyms is hidden or "
                      "unreadable (kernel.kptr_restrict)");
}

static uint64_t kernel_frame(struct orma_perf_encoder *self, uint64_t pc)
{
    struct orma_str name = {"", 0};
    uint64_t hash = hash_of(ROLE_KERNEL, &pc, sizeof(pc)), iid = orma_map_get(&self->iids, hash);

    if (iid != ORMA_MAP_NONE)
        return iid;
    if (!self->kernel_read)
        read_kallsyms(self);
    if (self->kernel)
        name = orma_kallsyms_find(self->kernel, pc);
    if (!name.len)
        name = ORMA_STR("unknown");
    iid = intern_frame(self, intern_name(self, "kernel"), 0, name);
    (void)orma_map_put(&self->iids, hash, iid); /* else it is looked up again */
    return iid;
}

/* Of a function without a name, the address where it begins: all that a stripped file has. */
static struct orma_str address_of(const struct orma_perf_mapping *m, uint64_t pc, char text[32])
{
    uint64_t start, address;

    *text = '\0';
    if (m->file->unwind) {
        address = orma_unwind_file_address(m->file->unwind, pc - m->start + m->offset);
        if (orma_unwind_file_start(m->file->unwind, address, &start))
            snprintf(text, 32, "0x%llx", (unsigned long long)start);
    }
    return orma_str_from(text);
}

/* Of a file, the name follows from the place: it is looked up once. */
static uint64_t file_frame(struct orma_perf_encoder *self, struct orma_perf_mapping *m, uint64_t pc)
{
    const struct orma_perf_symtab *elf = &m->file->elf;
    const uint64_t rel_pc = pc - m->start + m->offset + elf->load_bias;
    const uint64_t key[2] = {intern_mapping(self, m, NULL), rel_pc};
    uint64_t hash = hash_of(ROLE_PLACE, key, sizeof(key)), iid = orma_map_get(&self->iids, hash);

    if (iid != ORMA_MAP_NONE)
        return iid;
    struct orma_str name = orma_perf_symtab_find(elf, rel_pc);
    char text[32];
    iid = intern_frame(self, key[0], rel_pc, name.len ? name : address_of(m, pc, text));
    (void)orma_map_put(&self->iids, hash, iid); /* else it is looked up again */
    return iid;
}

static uint64_t user_frame(struct orma_perf_encoder *self, struct orma_perf_process *process,
                           uint64_t pc, uint64_t now_ns)
{
    struct orma_perf_mapping *m = orma_perf_process_find(self->processes, process, pc, now_ns);

    if (m)
        orma_perf_files_load(&self->processes->files, m->file, process->pid);
    if (m && (m->file->elf.symbols_num || m->file->unwind))
        return file_frame(self, m, pc);
    self->generated = true;
    struct orma_str name = orma_perf_process_jit(self->processes, process, pc, now_ns);
    if (!m)
        return intern_frame(self, intern_name(self, "[unknown]"), pc, name);
    uint64_t rel_pc = pc - m->start + m->offset, mapping = intern_mapping(self, m, process);
    uint64_t next = self->next_iid, iid = intern_frame(self, mapping, rel_pc, name);
    if (!name.len && iid == next)
        orma_perf_late_add(process, m->file, pc, rel_pc);
    return iid;
}

static void put_frame(struct orma_perf_encoder *self, size_t *num, uint64_t frame)
{
    if (*num < ORMA_PERF_FRAMES_MAX)
        self->frames[(*num)++] = frame;
}

/* The chain is leaf first; a return address belongs to the call before it. */
static void put_chain(struct orma_perf_encoder *self, struct orma_perf_process *process,
                      const struct orma_perf_record *record, uint64_t now_ns, size_t *num)
{
    bool in_kernel = false, leaf = true;

    for (size_t i = 0; i < record->chain_num; i++) {
        uint64_t pc = record->chain[i];

        if (pc >= (uint64_t)PERF_CONTEXT_MAX) { /* a marker: what follows is of this mode */
            in_kernel = pc == (uint64_t)PERF_CONTEXT_KERNEL;
            leaf = true;
            continue;
        }
        if (!pc || (self->plan->lbr && !in_kernel && !leaf)) /* what frame pointers say */
            continue;
        uint64_t at = leaf ? pc : pc - 1;
        put_frame(self, num,
                  in_kernel ? kernel_frame(self, at) : user_frame(self, process, at, now_ns));
        leaf = false;
    }
    for (size_t i = 0; i < record->calls_num; i++)
        put_frame(self, num,
                  user_frame(self, process, record->calls[i * ORMA_PERF_CALL_WORDS], now_ns));
}

/* ---- unwinding ---- */

struct code_of {
    struct orma_perf_processes *processes;
    struct orma_perf_process *process;
    uint64_t now_ns;
};

static bool find_code(void *ctx, uint64_t pc, struct orma_unwind_code *ret)
{
    const struct code_of *of = ctx;
    const struct orma_perf_mapping *m =
        orma_perf_process_find(of->processes, of->process, pc, of->now_ns);

    if (!m)
        return false;
    orma_perf_files_load(&of->processes->files, m->file, of->process->pid);
    ret->file = m->file->unwind;
    if (ret->file)
        ret->address = orma_unwind_file_address(ret->file, pc - m->start + m->offset);
    return true;
}

#if ORMA_PERF_REGS_MASK
#if defined(__x86_64__)
/* By number of register in DWARF: its place among those that are sampled. */
static const uint8_t places[ORMA_UNWIND_REGS] = {0,  3,  2,  1,  4,  5,  6,  7, 9,
                                                 10, 11, 12, 13, 14, 15, 16, 8};
#define PLACE(reg) places[reg]
#else
#define PLACE(reg) (reg)
#endif

static void start_state(struct orma_unwind_state *state, const struct orma_perf_record *record)
{
    *state = (struct orma_unwind_state){.known = ORMA_UNWIND_BIT(ORMA_UNWIND_REGS) - 1};
    if (record->regs_partial)
        state->known = ORMA_UNWIND_BIT(ORMA_UNWIND_SP) | ORMA_UNWIND_BIT(ORMA_UNWIND_PC);
    for (unsigned i = 0; i < ORMA_UNWIND_REGS; i++)
        state->regs[i] = record->regs[PLACE(i)];
    state->stack = record->stack;
    state->stack_len = record->stack_len;
    state->stack_address = state->regs[ORMA_UNWIND_SP];
}
#else
static void start_state(struct orma_unwind_state *state, const struct orma_perf_record *record)
{
    (void)record;
    *state = (struct orma_unwind_state){0};
}
#endif

static uint64_t error_of(enum orma_unwind_end end)
{
    switch (end) {
    case ORMA_UNWIND_COMPLETE:
    case ORMA_UNWIND_JOINED:
        return 0;
    case ORMA_UNWIND_CUT:
        return ORMA_PB_PROFILING_UNWIND_ERROR_MEMORY_INVALID;
    case ORMA_UNWIND_NO_RULE:
        return ORMA_PB_PROFILING_UNWIND_ERROR_UNWIND_INFO;
    case ORMA_UNWIND_NO_CODE:
        return ORMA_PB_PROFILING_UNWIND_ERROR_INVALID_MAP;
    case ORMA_UNWIND_STUCK:
        return ORMA_PB_PROFILING_UNWIND_ERROR_REPEATED_FRAME;
    case ORMA_UNWIND_TOO_DEEP:
        return ORMA_PB_PROFILING_UNWIND_ERROR_MAX_FRAMES_EXCEEDED;
    }
    return ORMA_PB_PROFILING_UNWIND_ERROR_UNKNOWN;
}

static bool is_hidden(struct orma_perf_encoder *self, struct orma_perf_process *process,
                      uint64_t pc, uint64_t now_ns)
{
    const struct orma_perf_mapping *m =
        orma_perf_process_find(self->processes, process, pc, now_ns);
    const char *slash = m ? strrchr(m->file->path, '/') : NULL;

    return slash && !strcmp(slash + 1, self->hidden);
}

/* Frames of the unwound ones that are not `hidden`. */
static void put_user_frames(struct orma_perf_encoder *self, struct orma_perf_process *process,
                            const struct orma_unwind *unwind, uint64_t now_ns, size_t *num)
{
    size_t first = 0;

    while (self->hidden && first < unwind->frames_num &&
           is_hidden(self, process, unwind->frames[first], now_ns))
        first++;
    for (size_t i = first; i < unwind->frames_num; i++)
        put_frame(self, num, user_frame(self, process, unwind->frames[i], now_ns));
}

/* Frames, or as many as there is room for, and how it ended. *ret_unseen: without seeing all of
 * the stack. */
static enum orma_unwind_end unwind_stack(struct orma_perf_encoder *self,
                                         struct orma_perf_process *process,
                                         struct orma_unwind_state *state,
                                         const struct orma_perf_record *record, uint64_t now_ns,
                                         size_t *num, bool *ret_unseen)
{
    uint64_t pcs[ORMA_PERF_FRAMES_MAX];
    struct orma_unwind_mark marks[ORMA_PERF_FRAMES_MAX];
    const struct orma_perf_kept_key key = {process->version, record->tid, self->age};
    const struct orma_unwind_state begun = *state;
    struct orma_unwind_past past;
    struct code_of of = {self->processes, process, now_ns};
    const size_t room = ORMA_PERF_FRAMES_MAX - 1, before = *num;
    struct orma_unwind unwind = {.find = find_code,
                                 .ctx = &of,
                                 .frames = pcs,
                                 .guess = record->regs_partial,
                                 .frames_max = room - before};

    /* A guess is nothing to go on from; of hidden frames there are no numbers. */
    if (!unwind.guess && !self->hidden) {
        unwind.marks = marks;
        unwind.past = orma_perf_kept_find(&self->kepts, &key, state, &past) ? &past : NULL;
    }
    self->generated = false;
    enum orma_unwind_end end = orma_unwind_run(&unwind, state);
    put_user_frames(self, process, &unwind, now_ns, num);
    const struct orma_unwind_past *joined = end == ORMA_UNWIND_JOINED ? &past : NULL;
    *ret_unseen = joined && joined->unseen;
    if (joined) {
        end = past.num - past.joined > room - *num ? ORMA_UNWIND_TOO_DEEP : ORMA_UNWIND_COMPLETE;
        *num = orma_perf_kept_rest(&self->kepts, joined, &key, self->frames, *num, room);
    }
    /* Reading mappings anew, as finding code may, makes numbers of another version. */
    if (end == ORMA_UNWIND_COMPLETE && unwind.marks && !self->generated &&
        key.version == process->version)
        orma_perf_kept_put(&self->kepts, &key, joined, marks, self->frames + before,
                           unwind.frames_num, &begun, state->regs[ORMA_UNWIND_SP]);
    return end;
}

/* In the middle of execve() the old stack and code are gone, and the new ones not there yet. */
static bool is_between_programs(struct orma_perf_encoder *self, struct orma_perf_process *process,
                                const struct orma_unwind_state *state, uint64_t now_ns)
{
    return !state->stack_len &&
           !orma_perf_process_find(self->processes, process, state->regs[ORMA_UNWIND_PC], now_ns);
}

/* Stacks that are cut begin with a frame of their own, so that trees keep them apart. Those whose
 * outer callers were not seen, but are taken to be as before, have the error alone. */
static uint64_t put_unwound(struct orma_perf_encoder *self, struct orma_perf_process *process,
                            const struct orma_perf_record *record, uint64_t now_ns, size_t *num)
{
    struct orma_unwind_state state;

    if (record->abi == PERF_SAMPLE_REGS_ABI_NONE)
        return 0; /* a thread of the kernel */
    if (record->abi != PERF_SAMPLE_REGS_ABI_64)
        return ORMA_PB_PROFILING_UNWIND_ERROR_BAD_ARCH;
    start_state(&state, record);
    if (*num && is_between_programs(self, process, &state, now_ns))
        return 0;
    bool unseen;
    enum orma_unwind_end end = unwind_stack(self, process, &state, record, now_ns, num, &unseen);
    self->too_long += end == ORMA_UNWIND_CUT && record->stack_len >= self->plan->stack_bytes;
    if (end != ORMA_UNWIND_COMPLETE)
        put_frame(self, num,
                  intern_frame(self, intern_name(self, "[unknown]"), 0, ORMA_STR("[truncated]")));
    return unseen ? ORMA_PB_PROFILING_UNWIND_ERROR_MEMORY_INVALID : error_of(end);
}

/* 0: no frame at all. */
/* `leaf`: a frame of our own at the end; NULL: none. */
static uint64_t stack_of(struct orma_perf_encoder *self, struct orma_perf_process *process,
                         const struct orma_perf_record *record, const char *leaf,
                         uint64_t *ret_error)
{
    uint64_t now_ns = orma_clock_boottime();
    size_t num = 0;

    *ret_error = 0;
    if (leaf)
        put_frame(self, &num,
                  intern_frame(self, intern_name(self, "kernel"), 0, orma_str_from(leaf)));
    put_chain(self, process, record, now_ns, &num);
    if (self->plan->unwind && num < ORMA_PERF_FRAMES_MAX - 1)
        *ret_error = put_unwound(self, process, record, now_ns, &num);
    return num ? intern_stack(self, self->frames, num) : 0;
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

struct sampled {
    uint64_t stack;   /* 0: none */
    uint64_t error;   /* of unwinding; 0: none */
    uint64_t away_ns; /* of a wait */
};

static void put_sample(struct orma_buf *out, const struct orma_perf_record *record,
                       const struct sampled *what)
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
    if (what->stack)
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_CALLSTACK_IID, what->stack);
    if (what->error)
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_UNWIND_ERROR, what->error);
    if (record->stack_skipped)
        orma_pb_put_u64(out, ORMA_PB_PERF_SAMPLE_SAMPLE_SKIPPED_REASON,
                        ORMA_PB_PERF_SAMPLE_PROFILER_SKIP_UNWIND_ENQUEUE);
    orma_pb_end(out, begun);
}

/* A wait, weighed with its time. */
static void put_wait(struct orma_buf *out, const struct orma_perf_record *record,
                     const struct sampled *what)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_STACK_SAMPLE);

    size_t in = orma_pb_begin(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT);
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT__PID, record->pid);
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT__TID, record->tid);
    orma_pb_end(out, in);
    in = orma_pb_begin(out, ORMA_PB_STACK_SAMPLE_EXECUTION_CONTEXT);
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_EXECUTION_CONTEXT__CPU, record->cpu);
    orma_pb_end(out, in);
    if (what->stack)
        orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_CALLSTACK_IID, what->stack);
    if (what->error)
        orma_pb_put_str(out, ORMA_PB_STACK_SAMPLE_UNWIND_ERROR, ORMA_STR("cut"));
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_PRIMARY_WEIGHT, what->away_ns);
    orma_pb_end(out, begun);
}

static void put_descriptor(struct orma_buf *out, uint32_t field, const char *name, const char *unit)
{
    size_t in = orma_pb_begin(out, field);

    orma_pb_put_str(out, ORMA_PB_STACK_SAMPLE_COUNTER_DESCRIPTOR_NAME, orma_str_from(name));
    orma_pb_put_str(out, ORMA_PB_STACK_SAMPLE_COUNTER_DESCRIPTOR_UNIT_STR, orma_str_from(unit));
    orma_pb_end(out, in);
}

/* Who ended a wait, at the time it did; of an interrupt, nobody. The thread it woke is counted. */
static void put_waker(struct orma_buf *out, const struct orma_perf_record *record,
                      const struct sampled *what)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_STACK_SAMPLE);

    if (!record->interrupt) {
        size_t in = orma_pb_begin(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT);

        orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT__PID, record->pid);
        orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_TASK_CONTEXT__TID, record->tid);
        orma_pb_end(out, in);
    }
    if (what->stack)
        orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_CALLSTACK_IID, what->stack);
    put_descriptor(out, ORMA_PB_STACK_SAMPLE_PRIMARY_DESCRIPTOR, "wakeup", "wakeups");
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_PRIMARY_WEIGHT, 1);
    put_descriptor(out, ORMA_PB_STACK_SAMPLE_FOLLOWER_DESCRIPTORS, "woken_thread", "tid");
    orma_pb_put_u64(out, ORMA_PB_STACK_SAMPLE_FOLLOWER_WEIGHTS, record->woken);
    orma_pb_end(out, begun);
}

/* The unit is not that of cpu time, so that nobody adds the two up. */
static void put_wait_defaults(struct orma_buf *out)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_DEFAULTS_STACK_SAMPLE_DEFAULTS);

    orma_pb_put_str(out, ORMA_PB_STACK_SAMPLE_DEFAULTS_SOURCE, ORMA_STR("off_cpu"));
    put_descriptor(out, ORMA_PB_STACK_SAMPLE_DEFAULTS_PRIMARY_DESCRIPTOR, "off_cpu_time",
                   "ns off cpu");
    orma_pb_end(out, begun);
}

/* The clock of all timestamps that follow, and what the samples count. */
static void put_defaults(struct orma_buf *out, const struct orma_perf_plan *plan)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID, plan->clock_id);
    if (plan->off_cpu)
        put_wait_defaults(out);
    else
        orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_DEFAULTS_PERF_SAMPLE_DEFAULTS,
                          plan->defaults.data, plan->defaults.len);
    orma_pb_end(out, begun);
}

static uint64_t record_clock(const void *ctx)
{
    const struct orma_perf_plan *plan = ctx;
    struct timespec now = {0};

    (void)clock_gettime(plan->events[0].attr.clockid, &now); /* the kernel took it, too */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- names ---- */

static void put_process(struct orma_perf_encoder *self, struct orma_perf_process *process)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf words = {0};
    bool is_comm = orma_perf_process_cmdline(self->processes, process, &words);
    size_t begun = orma_pb_begin(&self->packet, ORMA_PB_PROCESS_TREE_PROCESSES);

    orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_PID, process->pid);
    if (process->parent)
        orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_PPID, process->parent);
    for (size_t at = 0; at < words.len;) {
        const char *word = (const char *)words.data + at;
        size_t len = strnlen(word, words.len - at);

        orma_pb_put_bytes(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, word, len);
        at += len + 1;
    }
    if (process->start)
        orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_PROCESS_START_FROM_BOOT,
                        process->start + orma_clock_boottime() - record_clock(self->plan));
    if (is_comm)
        orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE_IS_COMM, 1);
    orma_pb_end(&self->packet, begun);
    process->told = true;
}

static void put_thread(struct orma_perf_encoder *self, struct orma_perf_thread *thread)
{
    size_t begun = orma_pb_begin(&self->packet, ORMA_PB_PROCESS_TREE_THREADS);

    orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_THREAD_TID, thread->tid);
    orma_pb_put_str(&self->packet, ORMA_PB_PROCESS_TREE_THREAD_NAME, orma_str_from(thread->name));
    orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_THREAD_TGID, thread->pid);
    orma_pb_end(&self->packet, begun);
    thread->told = true;
}

/* Who it is that was sampled, unless the trace knows. */
static void tell_names(struct orma_perf_encoder *self, struct orma_perf_process *process,
                       const struct orma_perf_record *record)
{
    struct orma_perf_thread *thread =
        orma_perf_thread_get(self->processes, record->pid, record->tid);
    struct orma_buf *out = &self->packet;

    if (process->told && (!thread || thread->told))
        return;
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, record->time);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, self->plan->clock_id);
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_PROCESS_TREE);
    if (!process->told)
        put_process(self, process);
    if (thread && !thread->told && *thread->name)
        put_thread(self, thread);
    orma_pb_end(out, begun);
    if (orma_source_sink_put_buf(self->sink, out) < 0) {
        process->told = false; /* said again with the next sample */
        if (thread)
            thread->told = false;
    }
}

/* ---- records ---- */

static void put_record(struct orma_perf_encoder *self, const struct orma_perf_record *record,
                       const struct sampled *what)
{
    uint64_t flags = ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE;
    struct orma_buf *out = &self->packet;

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
    if (record->woken)
        put_waker(out, record, what);
    else if (self->plan->off_cpu && record->kind != ORMA_PERF_LOST)
        put_wait(out, record, what);
    else
        put_sample(out, record, what);
    self->fresh = false;
    if (self->interned.failed || orma_source_sink_put_buf(self->sink, out) < 0)
        orma_perf_encoder_clear(self); /* whoever reads on must be told again */
    orma_buf_clear(out);
}

static void encode_waker(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    struct sampled what = {0};
    struct orma_perf_process *process =
        record->interrupt
            ? NULL
            : orma_perf_process_get(self->processes, record->pid, orma_clock_boottime());

    orma_buf_clear(&self->interned);
    if (process) {
        if (self->plan->names)
            tell_names(self, process, record);
        what.stack = stack_of(self, process, record, NULL, &what.error);
    }
    put_record(self, record, &what);
}

static void encode_wait(struct orma_perf_encoder *self, struct orma_perf_wait *wait, uint64_t until)
{
    const struct orma_perf_record *record = &wait->record;
    struct sampled what = {.away_ns = until - record->time};
    struct orma_perf_process *process =
        orma_perf_process_get(self->processes, record->pid, orma_clock_boottime());

    if (!process || !process->wanted)
        return;
    if (self->plan->names)
        tell_names(self, process, record);
    const char *leaf = wait->preempted       ? "[preempted]"
                       : *wait->wait_channel ? wait->wait_channel
                                             : NULL;
    if (wait->has_stack || leaf)
        what.stack = stack_of(self, process, record, leaf, &what.error);
    put_record(self, record, &what);
    if (wait->waker)
        encode_waker(self, &wait->waker->record);
}

static void end_wait(struct orma_perf_encoder *self, struct orma_perf_wait *wait, uint64_t until)
{
    if (!wait)
        return;
    if (wait->look_end > until) { /* it ran on while it was looked at */
        wait->has_stack = false;
        *wait->wait_channel = '\0';
    }
    if (until > wait->record.time && until - wait->record.time >= self->plan->off_cpu_min_ns) {
        encode_wait(self, wait, until);
    } else {
        self->waits.short_num++;
        self->waits.short_ns += until > wait->record.time ? until - wait->record.time : 0;
    }
    orma_perf_wait_free(wait);
}

static void end_all_waits(struct orma_perf_encoder *self, uint64_t until)
{
    struct orma_perf_wait *wait;

    while ((wait = orma_perf_waits_take_any(&self->waits))) {
        orma_buf_clear(&self->interned);
        end_wait(self, wait, until);
    }
    if (self->waits.refused)
        orma_log_warn(
            "linux.perf: %llu waits have no stack, as memory of the program is closed to us: "
            "its rights, or kernel.yama.ptrace_scope (0 opens it, or start it with this "
            "command)",
            (unsigned long long)self->waits.refused);
    if (self->waits.short_num)
        orma_log_info("linux.perf: %llu waits below %llu us, %.1f ms in all, were left out",
                      (unsigned long long)self->waits.short_num,
                      (unsigned long long)self->plan->off_cpu_min_ns / 1000,
                      (double)self->waits.short_ns / 1e6);
}

/* Records are as new as `until`: who was away then and is not back is worth a look. */
static void look(struct orma_perf_encoder *self, uint64_t until)
{
    if (until > LOOK_AFTER_NS)
        orma_perf_waits_look(&self->waits, self->processes->proc_fd, until - LOOK_AFTER_NS,
                             LOOKS_AT_ONCE, record_clock, self->plan);
}

/* What would have helped against stacks that are cut. */
static void tell_cut(const struct orma_perf_encoder *self)
{
    uint32_t bytes = self->plan->stack_bytes;

    if (self->too_long && bytes < ORMA_PERF_STACK_BYTES_MAX)
        orma_log_warn("linux.perf: %llu stacks are longer than the %u KiB that are copied of each: "
                      "%s",
                      (unsigned long long)self->too_long, bytes / 1024,
                      self->plan->stack_fixed
                          ? "a larger --stack-size shows where they began"
                          : "as root, or with more memory that may be locked (ulimit -l), 63 are");
}

/* What a recording of waits does with a record. */
static void encode_switch(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    if (record->kind == ORMA_PERF_SAMPLE && record->woken)
        orma_perf_waits_woken(&self->waits, record);
    else if (record->kind == ORMA_PERF_LOST && record->out)
        orma_perf_waits_clear(&self->waits);
    else if (record->kind == ORMA_PERF_LOOK)
        look(self, record->time);
    else if (record->kind == ORMA_PERF_SAMPLE)
        orma_perf_waits_keep(&self->waits, record);
    else if (record->kind == ORMA_PERF_EXIT)
        orma_perf_waits_end(&self->waits, record->tid);
    else if (record->kind == ORMA_PERF_FORK)
        orma_perf_waits_begin(&self->waits, record->tid);
    else if (record->kind == ORMA_PERF_END)
        end_all_waits(self, record->time);
    else if (record->kind == ORMA_PERF_SWITCH && record->pid && record->out)
        orma_perf_waits_out(&self->waits, record);
    else if (record->kind == ORMA_PERF_SWITCH && record->pid)
        end_wait(self, orma_perf_waits_take(&self->waits, record->tid), record->time);
}

/* Names that came after the samples. */
static void put_late_names(struct orma_perf_encoder *self, struct orma_perf_process *process,
                           uint64_t time)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf symbols = {0};
    struct orma_buf *out = &self->packet;

    while (orma_perf_late_take(self->processes, process, &symbols)) {
        if (!symbols.len)
            continue;
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, time);
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, self->plan->clock_id);
        orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_MODULE_SYMBOLS, symbols.data, symbols.len);
        (void)orma_source_sink_put_buf(self->sink, out); /* lost: they have none; it is counted */
    }
}

static void end_session(struct orma_perf_encoder *self, uint64_t time)
{
    ORMA_MAP_EACH (slot, &self->processes->by_pid)
        put_late_names(self, (struct orma_perf_process *)(uintptr_t)slot->val, time);
    tell_cut(self);
}

/* A process whose main thread ends has written all that it will. */
static void end_process(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    struct orma_perf_process *process = orma_map_get_ptr(&self->processes->by_pid, record->pid);

    if (process && record->tid == record->pid)
        put_late_names(self, process, record->time);
}

void orma_perf_encode(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    struct sampled what = {0};

    if (self->plan->names && !self->plan->on_exec && !self->scanned) {
        self->scanned = true;
        orma_perf_processes_scan(self->processes);
    }
    if (self->iids.len > INTERNED_MAX)
        orma_perf_encoder_clear(self);
    orma_buf_clear(&self->interned);
    if (self->plan->off_cpu)
        encode_switch(self, record);
    if (record->kind == ORMA_PERF_END)
        end_session(self, record->time);
    if (record->kind == ORMA_PERF_EXIT)
        end_process(self, record);
    if (record->kind != ORMA_PERF_LOST &&
        (record->kind != ORMA_PERF_SAMPLE || self->plan->off_cpu)) {
        orma_perf_processes_take(self->processes, record);
        return;
    }
    if (record->kind == ORMA_PERF_SAMPLE && self->plan->stacks) {
        struct orma_perf_process *process =
            orma_perf_process_get(self->processes, record->pid, orma_clock_boottime());

        if (!process || !process->wanted)
            return;
        if (self->plan->names)
            tell_names(self, process, record);
        what.stack = stack_of(self, process, record, NULL, &what.error);
    }
    put_record(self, record, &what);
}

void orma_perf_encode_names(struct orma_perf_encoder *self, const struct orma_perf_record *record)
{
    struct orma_perf_process *process =
        orma_perf_process_get(self->processes, record->pid, orma_clock_boottime());

    if (process)
        tell_names(self, process, record);
}

uint64_t orma_perf_encode_stack(struct orma_perf_encoder *self,
                                const struct orma_perf_record *record)
{
    struct orma_perf_process *process =
        orma_perf_process_get(self->processes, record->pid, orma_clock_boottime());
    uint64_t error, stack, flags = ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE;
    struct orma_buf *out = &self->packet;

    if (!process || self->iids.len > INTERNED_MAX) /* numbers hold until the end */
        return 0;
    orma_buf_clear(&self->interned);
    tell_names(self, process, record);
    stack = stack_of(self, process, record, NULL, &error);
    if (!self->interned.len)
        return stack;
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, record->time);
    if (self->fresh)
        flags |= ORMA_PB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED;
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, flags);
    orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_INTERNED_DATA, self->interned.data,
                      self->interned.len);
    self->fresh = false;
    (void)orma_source_sink_put_buf(self->sink, out); /* the owner of the sink notes it */
    return stack;
}
