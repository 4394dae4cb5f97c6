/*
 * A sample becomes a call stack, and a packet:
 *
 * A record -> its process -> a frame per address -> a call stack -> one PerfSample. Names,
 * paths, mappings, frames and stacks are interned: a hash of kind and content is mapped to
 * an id; what is new goes into `interned` of the same packet. clear() forgets all ids, so
 * that a reader can start at the next packet.
 */
#include "probes/perf/encode_parts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "probes/perf/interp.h"
#include "probes/perf/late.h"
#include "probes/unwind/unwind.h"
#include "protos/fields/common.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/hash.h"
#include "sdk/base/log.h"
#include "sdk/ftrace/kallsyms.h"
#include "sdk/wire/pb_writer.h"

/* What a hash is of; the same bytes may be interned in several roles. */
enum role {
    ROLE_FUNCTION = 1,
    ROLE_SYMBOL,  /* a function of a file, whose name need not be looked at again */
    ROLE_ADDRESS, /* one that has none */
    ROLE_PATH,
    ROLE_BUILD_ID,
    ROLE_MAPPING,
    ROLE_FRAME,
    ROLE_PLACE,  /* a frame in a file, whose name need not be looked up again */
    ROLE_KERNEL, /* the same of the kernel */
    ROLE_PYTHON, /* the same of what an interpreter runs */
    ROLE_SOURCE,
    ROLE_STACK
};

void orma_perf_encoder_clear(struct orma_perf_encoder *self)
{
    orma_map_clear(&self->iids);
    self->first_iid = self->next_iid;
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

static void put_str(struct orma_perf_encoder *self, uint32_t field, uint64_t iid, const void *data,
                    size_t len)
{
    size_t begun = orma_pb_begin(&self->interned, field);

    orma_pb_put_u64(&self->interned, ORMA_PB_INTERNED_STRING_IID, iid);
    orma_pb_put_bytes(&self->interned, ORMA_PB_INTERNED_STRING_STR, data, len);
    orma_pb_end(&self->interned, begun);
}

static uint64_t intern_str(struct orma_perf_encoder *self, enum role role, uint32_t field,
                           const void *data, size_t len)
{
    uint64_t iid;

    if (!known(self, hash_of(role, data, len), &iid))
        put_str(self, field, iid, data, len);
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

/* Without a build id, readers take what lies at the path: so it must be the path of this file. */
static const char *path_of(const struct orma_perf_file *file, char *text, size_t size)
{
    return file->seen_by && !file->build_id_len &&
                   (size_t)snprintf(text, size, "/proc/%u/root%s", file->seen_by, file->path) < size
               ? text
               : file->path;
}

/* `owner`: the process, of code that it generates. */
static uint64_t intern_mapping(struct orma_perf_encoder *self, struct orma_perf_mapping *m,
                               const struct orma_perf_process *owner)
{
    char text[PATH_MAX + 32];

    if (m->iid_age != self->age) {
        const struct place place = {
            m->start, m->end, m->offset, m->file, path_of(m->file, text, sizeof(text)), owner};

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

/* `name`: the number of the function's; 0: none. */
static void put_new_frame(struct orma_perf_encoder *self, uint64_t iid, uint64_t mapping,
                          uint64_t rel_pc, uint64_t name)
{
    size_t begun = orma_pb_begin(&self->interned, ORMA_PB_INTERNED_DATA_FRAMES);

    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_IID, iid);
    if (name)
        orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_FUNCTION_NAME_ID, name);
    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_MAPPING_ID, mapping);
    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_REL_PC, rel_pc);
    orma_pb_end(&self->interned, begun);
}

static uint64_t intern_frame(struct orma_perf_encoder *self, uint64_t mapping, uint64_t rel_pc,
                             struct orma_str function)
{
    const uint64_t name = function.len ? intern_function(self, function) : 0;
    const uint64_t key[3] = {mapping, rel_pc, name};
    uint64_t iid;

    if (!known(self, hash_of(ROLE_FRAME, key, sizeof(key)), &iid))
        put_new_frame(self, iid, mapping, rel_pc, name);
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

/* Many frames are of one function: its name is looked at for the first of them. 0: it has none. */
static uint64_t symbol_name(struct orma_perf_encoder *self, struct orma_perf_file *file,
                            uint64_t rel_pc)
{
    const uint64_t key[2] = {file->number, orma_perf_symtab_find(&file->elf, rel_pc)};
    const uint64_t hash = hash_of(ROLE_SYMBOL, key, sizeof(key));

    if (!key[1])
        return 0;
    uint64_t iid = orma_map_get(&self->iids, hash);
    if (iid != ORMA_MAP_NONE)
        return iid;
    const struct orma_str name = orma_perf_symtab_name(&file->elf, key[1]);
    if (!name.len)
        return 0;
    iid = intern_function(self, name);
    (void)orma_map_put(&self->iids, hash, iid); /* else it is looked at again */
    return iid;
}

/* Of a function without a name, the address where it begins: all that a stripped file has. */
static uint64_t address_name(struct orma_perf_encoder *self, const struct orma_perf_mapping *m,
                             uint64_t pc)
{
    struct orma_unwind_file *file = m->file->unwind;
    uint64_t start, iid;
    char text[32];

    if (!file || !orma_unwind_file_start(
                     file, orma_unwind_file_address(file, pc - m->start + m->offset), &start))
        return 0;
    if (!known(self, hash_of(ROLE_ADDRESS, &start, sizeof(start)), &iid))
        put_str(self, ORMA_PB_INTERNED_DATA_FUNCTION_NAMES, iid, text,
                (size_t)snprintf(text, sizeof(text), "0x%llx", (unsigned long long)start));
    return iid;
}

/*
 * Of a file, the name follows from the place. The file itself remembers the number: it was asked
 * for the rule of the same address. Of several processes that run the file it knows the first, and
 * what it forgot, it does not learn again: the table of numbers has the others.
 */
static uint64_t file_frame(struct orma_perf_encoder *self, struct orma_perf_mapping *m, uint64_t pc)
{
    struct orma_perf_file *file = m->file;
    const uint64_t offset = pc - m->start + m->offset, rel_pc = offset + file->elf.load_bias;
    const uint64_t key[2] = {intern_mapping(self, m, NULL), rel_pc};
    struct orma_unwind_note *note =
        file->unwind
            ? orma_unwind_file_note(file->unwind, orma_unwind_file_address(file->unwind, offset))
            : NULL;
    uint64_t iid = self->next_iid;

    if (note && note->owner == key[0])
        return note->value;
    if (note && note->owner < self->first_iid && iid <= UINT32_MAX) {
        *note = (struct orma_unwind_note){(uint32_t)key[0], (uint32_t)iid};
        self->next_iid++;
    } else if (known(self, hash_of(ROLE_PLACE, key, sizeof(key)), &iid)) {
        return iid;
    }
    const uint64_t name = symbol_name(self, m->file, rel_pc);
    put_new_frame(self, iid, key[0], rel_pc, name ? name : address_name(self, m, pc));
    return iid;
}

/* `m`: where `pc` lies; NULL: in no mapping that is known. */
static uint64_t frame_in(struct orma_perf_encoder *self, struct orma_perf_process *process,
                         struct orma_perf_mapping *m, uint64_t pc, uint64_t now_ns)
{
    if (m)
        orma_perf_files_load(&self->processes->files, m->file, process->pid);
    if (m && (m->file->elf.symbols_num || m->file->unwind))
        return file_frame(self, m, pc);
    self->generated = true;
    struct orma_str name = orma_perf_process_jit(self->processes, process, pc, now_ns);
    process->has_nameless |= !name.len;
    if (!m)
        return intern_frame(self, intern_name(self, "[unknown]"), pc, name);
    uint64_t rel_pc = pc - m->start + m->offset, mapping = intern_mapping(self, m, process);
    uint64_t next = self->next_iid, iid = intern_frame(self, mapping, rel_pc, name);
    if (!name.len && iid == next)
        orma_perf_late_add(process, m->file, pc, rel_pc);
    return iid;
}

static uint64_t user_frame(struct orma_perf_encoder *self, struct orma_perf_process *process,
                           uint64_t pc, uint64_t now_ns)
{
    return frame_in(self, process, orma_perf_process_find(self->processes, process, pc, now_ns), pc,
                    now_ns);
}

/* An instruction of a Python function, by its name and where that is. */
static uint64_t put_python_frame(struct orma_perf_encoder *self, uint64_t iid,
                                 const struct orma_perf_interp_frame *frame)
{
    struct orma_perf_interp_source source = {0};

    if (!orma_perf_interp_source(self->interp, &source))
        strcpy(source.path, "[unknown]");
    const uint64_t name = intern_function(self, orma_str_from(frame->name));
    const uint64_t mapping = intern_name(self, source.path);
    const uint64_t path = intern_str(self, ROLE_SOURCE, ORMA_PB_INTERNED_DATA_SOURCE_PATHS,
                                     source.path, strlen(source.path));
    size_t begun = orma_pb_begin(&self->interned, ORMA_PB_INTERNED_DATA_FRAMES);

    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_IID, iid);
    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_FUNCTION_NAME_ID, name);
    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_MAPPING_ID, mapping);
    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_REL_PC, frame->instr);
    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_SOURCE_PATH_IID, path);
    if (source.line)
        orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_LINE_NUMBER, source.line);
    orma_pb_put_u64(&self->interned, ORMA_PB_FRAME_KIND, ORMA_PB_FRAME_KIND_INTERPRETED);
    orma_pb_end(&self->interned, begun);
    return iid;
}

static uint64_t python_frame(struct orma_perf_encoder *self, uint32_t at)
{
    struct orma_perf_interp_frame frame;
    uint64_t iid;

    if (!orma_perf_interp_get(self->interp, at, &frame))
        return intern_frame(self, intern_name(self, "[unknown]"), 0, ORMA_STR("[unknown]"));
    const uint64_t key[] = {frame.id, frame.instr,
                            hash_of(ROLE_PYTHON, frame.name, strlen(frame.name))};
    if (known(self, hash_of(ROLE_PYTHON, key, sizeof(key)), &iid))
        return iid;
    return put_python_frame(self, iid, &frame);
}

static void put_frame(struct orma_perf_encoder *self, size_t *num, uint64_t frame)
{
    if (*num < ORMA_PERF_FRAMES_MAX)
        self->frames[(*num)++] = frame;
}

/* ---- unwinding ---- */

struct code_of {
    struct orma_perf_processes *processes;
    struct orma_perf_process *process;
    uint64_t now_ns;
    struct orma_perf_interp *interp; /* NULL: it has none */
};

static void met(void *ctx, size_t frame, uint64_t pc, const struct orma_unwind_state *state)
{
    const struct code_of *of = ctx;

    orma_perf_interp_met(of->interp, frame, pc, state);
}

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

static bool find_start(void *ctx, uint64_t pc, uint64_t *ret)
{
    const struct code_of *of = ctx;
    const struct orma_perf_mapping *m =
        orma_perf_process_find(of->processes, of->process, pc, of->now_ns);
    const uint64_t shift = m ? m->start - m->offset - m->file->elf.load_bias : 0;

    if (!m || !orma_perf_symtab_start(&m->file->elf, pc - shift, ret))
        return false;
    *ret += shift;
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

/* ---- what the kernel has found ---- */

/* The stack of frame pointers leaves a caller out where the leaf has no frame; 0: it does not. */
static uint64_t caller_left_out(struct orma_perf_encoder *self, struct orma_perf_process *process,
                                const struct orma_perf_record *record, uint64_t now_ns)
{
    struct code_of of = {self->processes, process, now_ns, NULL};
    const struct orma_unwind unwind = {.find = find_code, .ctx = &of};
    struct orma_unwind_state state;
    uint64_t caller;

    if (!self->plan->leaf || record->abi != PERF_SAMPLE_REGS_ABI_64)
        return 0;
    start_state(&state, record);
    return orma_unwind_leaf_caller(&unwind, &state, &caller) ? caller : 0;
}

/* Where threads of Go begin there may be anything in the frame pointer. */
static bool is_first(const struct orma_perf_mapping *m, uint64_t pc)
{
    struct orma_unwind_file *file = m && m->file->elf.go ? m->file->unwind : NULL;

    return file && orma_unwind_file_is_first(
                       file, orma_unwind_file_address(file, pc - m->start + m->offset));
}

static bool is_marker(uint64_t pc)
{
    return pc >= (uint64_t)PERF_CONTEXT_MAX;
}

/* The chain is leaf first; a return address belongs to the call before it. */
static void put_user_chain(struct orma_perf_encoder *self, struct orma_perf_process *process,
                           const struct orma_perf_record *record, size_t from, uint64_t now_ns,
                           size_t *num)
{
    const uint64_t *chain = record->chain + from;
    size_t len = 0;

    while (from + len < record->chain_num && !is_marker(chain[len]))
        len++;
    for (size_t i = 0; i < len && !(i && self->plan->lbr); i++) { /* not what frame pointers say */
        if (!chain[i])
            continue;
        const uint64_t at = i ? chain[i] - 1 : chain[i];
        struct orma_perf_mapping *m = orma_perf_process_find(self->processes, process, at, now_ns);
        put_frame(self, num, frame_in(self, process, m, at, now_ns));
        if (is_first(m, at))
            return;
        const uint64_t caller = i ? 0 : caller_left_out(self, process, record, now_ns);
        if (caller)
            put_frame(self, num, user_frame(self, process, caller - 1, now_ns));
    }
}

static void put_chain(struct orma_perf_encoder *self, struct orma_perf_process *process,
                      const struct orma_perf_record *record, uint64_t now_ns, size_t *num)
{
    bool in_kernel = false, leaf = true;

    if (record->chain_num && !is_marker(record->chain[0]))
        put_user_chain(self, process, record, 0, now_ns, num);
    for (size_t i = 0; i < record->chain_num; i++) {
        const uint64_t pc = record->chain[i];

        if (is_marker(pc)) { /* what follows is of this mode */
            in_kernel = pc == (uint64_t)PERF_CONTEXT_KERNEL;
            leaf = true;
            if (!in_kernel)
                put_user_chain(self, process, record, i + 1, now_ns, num);
        } else if (in_kernel && pc) {
            put_frame(self, num, kernel_frame(self, leaf ? pc : pc - 1));
            leaf = false;
        }
    }
    for (size_t i = 0; i < record->calls_num; i++)
        put_frame(self, num,
                  user_frame(self, process, record->calls[i * ORMA_PERF_CALL_WORDS], now_ns));
}

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

/* Frames of the unwound ones that are not `hidden`; in place of an interpreter, what it runs.
 * False: there is no room for the outer ones. */
static bool put_user_frames(struct orma_perf_encoder *self, struct orma_perf_process *process,
                            const struct orma_unwind *unwind, uint64_t now_ns, size_t room,
                            size_t *num)
{
    const struct code_of *of = unwind->ctx;
    uint32_t from, to;
    size_t first = 0;

    while (self->hidden && first < unwind->frames_num &&
           is_hidden(self, process, unwind->frames[first], now_ns))
        first++;
    for (size_t i = first; i < unwind->frames_num; i++) {
        bool is_native = !of->interp || !orma_perf_interp_run(of->interp, i, &from, &to);

        if (is_native && *num < room)
            put_frame(self, num, user_frame(self, process, unwind->frames[i], now_ns));
        else if (is_native)
            return false;
        for (; !is_native && from < to && *num < room; from++)
            put_frame(self, num, python_frame(self, from));
        if (!is_native && from < to)
            return false;
    }
    return true;
}

/* NULL: the program has none, or nobody can look into it. */
static struct orma_perf_interp *interp_of(struct orma_perf_encoder *self,
                                          struct orma_perf_process *process,
                                          const struct orma_perf_record *record)
{
    if (!self->interp)
        self->interp = orma_perf_interp_new(self->processes, self->rings);
    return self->interp && orma_perf_interp_begin(self->interp, process, record) ? self->interp
                                                                                 : NULL;
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
    struct code_of of = {self->processes, process, now_ns, interp_of(self, process, record)};
    const size_t room = ORMA_PERF_FRAMES_MAX - 1, before = *num;
    struct orma_unwind unwind = {.find = find_code,
                                 .start = find_start,
                                 .ctx = &of,
                                 .met = of.interp ? met : NULL,
                                 .frames = pcs,
                                 .guess = record->regs_partial,
                                 .frames_max = room - before};

    /* A guess is nothing to go on from; of hidden frames there are no numbers; what an interpreter
     * runs is no part of a C frame. */
    if (!unwind.guess && !self->hidden && !of.interp) {
        unwind.marks = marks;
        unwind.past = orma_perf_kept_find(&self->kepts, &key, state, &past) ? &past : NULL;
    }
    self->generated = false;
    enum orma_unwind_end end = orma_unwind_run(&unwind, state);
    if (of.interp)
        orma_perf_interp_end(of.interp, state->regs[ORMA_UNWIND_SP], end == ORMA_UNWIND_COMPLETE);
    if (!put_user_frames(self, process, &unwind, now_ns, room, num))
        end = ORMA_UNWIND_TOO_DEEP;
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
    self->cut += end != ORMA_UNWIND_COMPLETE;
    if (end != ORMA_UNWIND_COMPLETE)
        put_frame(self, num,
                  intern_frame(self, intern_name(self, "[unknown]"), 0, ORMA_STR("[truncated]")));
    return unseen ? ORMA_PB_PROFILING_UNWIND_ERROR_MEMORY_INVALID : error_of(end);
}

uint64_t orma_perf_encode_stack_of(struct orma_perf_encoder *self,
                                   struct orma_perf_process *process,
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

/* ---- records ---- */

void orma_perf_encode_record(struct orma_perf_encoder *self, const struct orma_perf_record *record,
                             const struct orma_perf_sampled *what)
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
        orma_perf_put_defaults(out, self->plan);
    }
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, flags);
    if (self->interned.len)
        orma_pb_put_bytes(out, ORMA_PB_TRACE_PACKET_INTERNED_DATA, self->interned.data,
                          self->interned.len);
    if (record->woken)
        orma_perf_put_waker(out, record, what);
    else if (self->plan->off_cpu && record->kind != ORMA_PERF_LOST)
        orma_perf_put_wait(out, record, what);
    else
        orma_perf_put_sample(out, record, what);
    self->fresh = false;
    if (self->interned.failed || orma_source_sink_put_buf(self->sink, out) < 0)
        orma_perf_encoder_clear(self); /* whoever reads on must be told again */
    orma_buf_clear(out);
}
