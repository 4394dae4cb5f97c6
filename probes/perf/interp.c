#include "probes/perf/interp.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/perf/interpreter.h"
#include "probes/perf/peek.h"
#include "probes/perf/prompt.h"
#include "probes/python/match.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/log.h"
#include "sdk/base/path.h"

#define OPEN_MAX_NUM 256u /* processes whose memory is open at the same time */
#define PAGE ORMA_PERF_PEEK_PAGE
#define CPUS_MAX 1024u
#define PEEK_MS 2000   /* a page may have to come from a slow disk */
#define PAGES 128u     /* kept of a thread while it is looked at; a power of two */
#define READS_MAX 256u /* of pages, for one sample */
#define STATUS_MAX 4096u
#define THREADS_MAX 65536u

struct orma_perf_python {
    struct orma_perf_interp *owner; /* NULL: it has ended */
    uint32_t pid;
    uint64_t version;                   /* of the mappings that were looked at */
    struct orma_perf_interpreter *file; /* NULL: there is none, or it cannot be read */
    uint64_t shift;                     /* from addresses of the file to those of the process */
    const struct orma_python_layout *layout;
    struct orma_python_layout said; /* by itself */
    uint64_t cframe;                /* of match.h */
    int mem;                        /* /proc/PID/mem, which peek.h reads */
    uint64_t key;                   /* of what is open: counts them */
    atomic_bool silent;             /* a read never ended: nobody tries again */
    struct orma_map threads, ids;   /* by tid: where its state is; its id as the program has it */
    unsigned *open_num;
};

struct page {
    uint64_t base, key; /* where, and of which memory */
    uint32_t sample;    /* when it was read: of the past, it is worth nothing */
    uint32_t used;      /* when somebody wanted it */
    bool there;
    uint8_t bytes[PAGE];
};

/* Memory of one process, for one sample. Each thread has its own. */
struct reader {
    struct orma_perf_peek *peek; /* NULL: not yet */
    struct orma_perf_python *python;
    uint32_t sample; /* counts them */
    unsigned reads;
    struct page pages[PAGES];
};

struct orma_perf_interp {
    struct orma_perf_processes *processes;
    struct orma_perf_process *process; /* of the sample at hand, */
    struct orma_perf_python *python;   /* and what is known of it */
    const struct orma_perf_record *record;
    uint64_t sp[ORMA_PERF_FRAMES_MAX + 1]; /* of each frame; one more: where the last one ends */
    size_t frames_num;
    uint32_t frame_of[ORMA_PYTHON_EVALS_MAX]; /* of each run: its C frame */
    bool more;                                /* runs than that */
    bool agrees;
    struct orma_python_code code; /* get() was asked for last, */
    uint64_t instr;
    struct orma_python_sample seen;
    struct orma_python_stack stack;
    struct reader reader;
    bool told_closed, told_old, told_new, told_odd;
    uint64_t shown, changed;
    uint64_t keys;                   /* memories that were opened */
    struct orma_map all;             /* struct orma_perf_python *, of all processes */
    struct orma_perf_rings *rings;   /* NULL: nobody can be in a hurry */
    struct orma_perf_prompt *prompt; /* from the first process on; NULL: none */
    /* With the lock of `prompt`: */
    struct orma_map by_pid; /* struct orma_perf_python *, those that can be read */
    struct reader prompt_reader;
    struct orma_python_stack prompt_stack;
    struct orma_perf_peek
        *prompt_peeks[CPUS_MAX]; /* each begun by, and like, the thread of its cpu */
};

/* ---- memory ---- */

static struct page *slot_of(struct reader *self, uint64_t base)
{
    return &self->pages[base / PAGE % PAGES];
}

/* To ask costs more than to read: what the sample before needed, this one will need, too. */
static size_t guess(struct reader *self, uint64_t *bases, size_t num)
{
    const uint64_t key = self->python->key;

    for (size_t i = 0; i < PAGES && num < ORMA_PERF_PEEK_MAX; i++) {
        const struct page *page = &self->pages[i];

        if (page->key == key && page->used == self->sample - 1 && page->there &&
            page->sample != self->sample && page != slot_of(self, bases[0]))
            bases[num++] = page->base;
    }
    return num;
}

static void tell_silent(struct orma_perf_python *python)
{
    if (atomic_exchange_explicit(&python->silent, true, memory_order_relaxed))
        return; /* the other thread has */
    orma_log_warn("linux.perf: Python functions of process %u have no names from now on: reading "
                  "its memory does not finish",
                  python->pid);
}

static void fetch(struct reader *self, uint64_t base)
{
    uint64_t bases[ORMA_PERF_PEEK_MAX] = {base};
    const size_t num = guess(self, bases, 1);
    const struct orma_perf_peek_of of = {self->python->key, self->python->mem};
    const uint8_t *pages = NULL;
    uint32_t there = 0;

    if (self->peek && !atomic_load_explicit(&self->python->silent, memory_order_relaxed) &&
        orma_perf_peek_read(self->peek, of, bases, num, &pages, &there) == -ETIMEDOUT)
        tell_silent(self->python);
    for (size_t i = 0; i < num; i++) {
        struct page *page = slot_of(self, bases[i]);

        page->base = bases[i];
        page->key = of.key;
        page->sample = self->sample;
        page->there = pages && there & UINT32_C(1) << i;
        if (page->there)
            memcpy(page->bytes, pages + i * PAGE, PAGE);
    }
}

static const uint8_t *page_at(struct reader *self, uint64_t base)
{
    struct page *page = slot_of(self, base);

    if (page->sample != self->sample || page->base != base) {
        if (self->reads++ >= READS_MAX)
            return NULL;
        fetch(self, base);
    }
    page->used = self->sample;
    return page->there ? page->bytes : NULL;
}

static bool read_memory(void *ctx, uint64_t address, void *to, size_t len)
{
    uint8_t *at = to;

    while (len) {
        const size_t offset = address % PAGE, part = ORMA_MIN(len, PAGE - offset);
        const uint8_t *page = page_at(ctx, address - offset);

        if (!page)
            return false;
        memcpy(at, page + offset, part);
        at += part;
        address += part;
        len -= part;
    }
    return true;
}

static struct orma_python_memory memory_of(struct reader *self)
{
    return (struct orma_python_memory){read_memory, self};
}

/* What was read before is of the past. */
static void begin_reading(struct reader *self, struct orma_perf_python *python)
{
    self->python = python;
    self->sample++;
    self->reads = 0;
}

/* ---- threads ---- */

/* "NSpid: 4711 12": the last is what the thread itself thinks. */
static uint64_t read_id(int proc_fd, uint32_t pid, uint32_t tid)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str rest, line, word;
    uint64_t ret = tid;
    char path[48];

    snprintf(path, sizeof(path), "%u/task/%u/status", pid, tid);
    if (orma_fd_read_file(proc_fd, path, STATUS_MAX, &text) < 0)
        return ret;
    rest = orma_buf_str(&text);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (!orma_str_starts(line, ORMA_STR("NSpid:")))
            continue;
        while (line.len && orma_str_cut(&line, '\t', &word))
            (void)orma_str_to_u64(word, &ret); /* the first word is no number */
    }
    return ret;
}

static uint64_t id_of(struct orma_perf_python *self, int proc_fd, uint32_t tid)
{
    uint64_t ret = orma_map_get(&self->ids, tid);

    if (ret != ORMA_MAP_NONE)
        return ret;
    if (self->ids.len >= THREADS_MAX)
        orma_map_clear(&self->ids);
    ret = read_id(proc_fd, self->pid, tid);
    (void)orma_map_put(&self->ids, tid, ret); /* else it is read again */
    return ret;
}

static bool find_thread(struct reader *self, uint32_t tid, uint64_t id, uint64_t *ret)
{
    const struct orma_python_memory memory = memory_of(self);
    struct orma_perf_python *python = self->python;

    if (!orma_python_thread_find(&memory, python->layout, python->file->runtime + python->shift, id,
                                 ret))
        return false;
    if (python->threads.len >= THREADS_MAX)
        orma_map_clear(&python->threads);
    (void)orma_map_put(&python->threads, tid, *ret); /* else it is sought again */
    return true;
}

/* Where its state was before is tried first: it may have ended, and another begun. */
static bool read_thread(struct reader *self, int proc_fd, uint32_t tid,
                        struct orma_python_stack *ret)
{
    const struct orma_python_memory memory = memory_of(self);
    const struct orma_python_layout *layout = self->python->layout;
    const uint64_t id = id_of(self->python, proc_fd, tid);
    uint64_t thread = orma_map_get(&self->python->threads, tid);

    if (thread != ORMA_MAP_NONE && orma_python_stack_read(&memory, layout, thread, id, ret))
        return true;
    return find_thread(self, tid, id, &thread) &&
           orma_python_stack_read(&memory, layout, thread, id, ret);
}

/* Without the room that it does not use. */
static void pack(struct orma_buf *out, const struct orma_python_stack *stack)
{
    orma_buf_put(out, stack, offsetof(struct orma_python_stack, runs));
    orma_buf_put(out, stack->runs, stack->runs_num * sizeof(*stack->runs));
    orma_buf_put(out, stack->frames, stack->frames_num * sizeof(*stack->frames));
}

static void unpack(const struct orma_buf *from, struct orma_python_stack *ret)
{
    const uint8_t *at = from->data;

    memcpy(ret, at, offsetof(struct orma_python_stack, runs));
    at += offsetof(struct orma_python_stack, runs);
    memcpy(ret->runs, at, ret->runs_num * sizeof(*ret->runs));
    at += ret->runs_num * sizeof(*ret->runs);
    memcpy(ret->frames, at, ret->frames_num * sizeof(*ret->frames));
}

/* What the thread of prompt.h does, when it hears of a sample. */
static bool read_promptly(void *ctx, uint32_t pid, uint32_t tid, struct orma_buf *ret)
{
    struct orma_perf_interp *self = ctx;
    struct orma_perf_python *python = orma_map_get_ptr(&self->by_pid, pid);

    if (!python)
        return false;
    /* To change over to a process on the same cpu is quick, to wake up another cpu is not. */
    struct orma_perf_peek **peek = &self->prompt_peeks[(unsigned)sched_getcpu() % CPUS_MAX];
    if (!*peek)
        *peek = orma_perf_peek_new(PEEK_MS);
    self->prompt_reader.peek = *peek;
    begin_reading(&self->prompt_reader, python);
    if (!read_thread(&self->prompt_reader, self->processes->proc_fd, tid, &self->prompt_stack))
        return false;
    pack(ret, &self->prompt_stack);
    return true;
}

/* ---- processes ---- */

static void close_memory(struct orma_perf_python *self)
{
    if (self->mem >= 0)
        (*self->open_num)--;
    orma_fd_close(&self->mem);
    orma_map_clear(&self->threads);
    orma_map_clear(&self->ids);
    self->file = NULL;
    self->layout = NULL;
    self->cframe = 0;
}

/* From now on the other thread may look into it. */
static void publish(struct orma_perf_interp *self, struct orma_perf_python *python)
{
    if (!self->prompt && self->rings &&
        orma_perf_prompt_new(self->rings, read_promptly, self, &self->prompt) < 0)
        self->rings = NULL; /* then they are read later */
    orma_perf_prompt_lock(self->prompt);
    (void)orma_map_put_ptr(&self->by_pid, python->pid, python); /* the same */
    orma_perf_prompt_unlock(self->prompt);
}

/* The lock is held by who calls. */
static void withdraw(struct orma_perf_python *self)
{
    if (self->owner && orma_map_get_ptr(&self->owner->by_pid, self->pid) == self)
        (void)orma_map_take(&self->owner->by_pid, self->pid);
}

void orma_perf_python_free(struct orma_perf_python *self)
{
    struct orma_perf_prompt *prompt = self && self->owner ? self->owner->prompt : NULL;

    if (!self)
        return;
    orma_perf_prompt_lock(prompt);
    withdraw(self);
    orma_perf_prompt_unlock(prompt);
    if (self->owner)
        (void)orma_map_take(&self->owner->all, (uintptr_t)self);
    close_memory(self);
    orma_map_fini(&self->threads);
    orma_map_fini(&self->ids);
    free(self);
}

static bool open_memory(struct orma_perf_interp *self, struct orma_perf_python *python)
{
    char path[32];

    if (*python->open_num >= OPEN_MAX_NUM)
        return false;
    snprintf(path, sizeof(path), "%u/mem", self->process->pid);
    python->mem = openat(self->processes->proc_fd, path, O_RDONLY | O_CLOEXEC);
    if (python->mem >= 0) {
        (*python->open_num)++;
        python->key = ++self->keys;
        return true;
    }
    if ((errno == EACCES || errno == EPERM) && !self->told_closed) {
        self->told_closed = true;
        orma_log_warn("linux.perf: Python functions of process %u have no names, because its "
                      "memory cannot be read: missing permission, or kernel.yama.ptrace_scope (set "
                      "it to 0, or start the process with this command)",
                      self->process->pid);
    }
    return false;
}

static void tell_version(struct orma_perf_interp *self, const char *path, uint32_t version)
{
    bool *told = !version ? &self->told_old : &self->told_new;

    if (*told)
        return;
    *told = true;
    if (version)
        orma_log_warn(
            "linux.perf: Python functions of process %u have no names: it runs Python %u.%u, but "
            "only 3.11 to 3.13 can be read; with 'python -X perf' it writes the names itself",
            self->process->pid, version >> 24, version >> 16 & 0xff);
    else
        orma_log_warn("linux.perf: Python functions of process %u have no names: %s is older than "
                      "3.11, but only 3.11 to 3.13 can be read",
                      self->process->pid, orma_path_base(path));
}

/* How its version has things, unless nobody knows. */
static bool find_layout(struct orma_perf_interp *self, struct orma_perf_python *python,
                        const char *path)
{
    const struct orma_python_memory memory = memory_of(&self->reader);
    const uint64_t at = python->file->version + python->shift;
    uint32_t version = 0;

    if (python->file->version &&
        (!read_memory(&self->reader, at, &version, sizeof(version)) || version >> 24 != 3))
        return false; /* it has ended, or not begun */
    python->layout = orma_python_layout_of(version);
    if (!python->layout && orma_python_layout_read(&memory, python->file->runtime + python->shift,
                                                   version, &python->said))
        python->layout = &python->said;
    if (!python->layout)
        tell_version(self, path, version);
    return python->layout;
}

static struct orma_perf_mapping *find_interpreter(struct orma_perf_interp *self,
                                                  struct orma_perf_interpreter **ret)
{
    struct orma_perf_process *process = self->process;

    for (size_t i = 0; i < process->mappings_num; i++) {
        *ret = orma_perf_interpreter_of(&self->processes->files, process->mappings[i].file,
                                        process->pid);
        if (*ret)
            return &process->mappings[i];
    }
    return NULL;
}

/* Looks at what is mapped. */
static void look_for(struct orma_perf_interp *self, struct orma_perf_python *python)
{
    struct orma_perf_interpreter *file = NULL;
    const struct orma_perf_mapping *m = find_interpreter(self, &file);
    const uint64_t shift = m ? m->start - m->offset - m->file->elf.load_bias : 0;

    python->version = self->process->version;
    if (file && file == python->file && shift == python->shift)
        return;
    orma_perf_prompt_lock(self->prompt);
    withdraw(python);
    orma_perf_prompt_unlock(self->prompt);
    close_memory(python);
    if (!file)
        return;
    python->file = file;
    python->shift = shift;
    python->cframe = 0;
    begin_reading(&self->reader, python);
    if (open_memory(self, python) && find_layout(self, python, m->file->path))
        publish(self, python);
    else
        close_memory(python);
}

static struct orma_perf_python *python_new(struct orma_perf_interp *self, uint32_t pid)
{
    struct orma_perf_python *ret = calloc(1, sizeof(*ret));

    if (!ret)
        return NULL;
    ret->owner = self;
    ret->pid = pid;
    ret->mem = -1;
    ret->open_num = &self->processes->pythons_open;
    if (orma_map_put_ptr(&self->all, (uintptr_t)ret, ret) == 0)
        return ret;
    free(ret);
    return NULL;
}

struct orma_perf_interp *orma_perf_interp_new(struct orma_perf_processes *processes,
                                              struct orma_perf_rings *rings)
{
    struct orma_perf_interp *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    self->processes = processes;
    self->rings = rings;
    self->reader.peek = orma_perf_peek_new(PEEK_MS); /* NULL: nothing is there */
    return self;
}

void orma_perf_interp_free(struct orma_perf_interp *self)
{
    if (!self)
        return;
    orma_perf_prompt_free(self->prompt);
    orma_perf_peek_free(self->reader.peek);
    for (size_t i = 0; i < CPUS_MAX; i++)
        orma_perf_peek_free(self->prompt_peeks[i]);
    ORMA_MAP_EACH (slot, &self->all)
        ((struct orma_perf_python *)(uintptr_t)slot->val)->owner = NULL;
    orma_map_fini(&self->all);
    orma_map_fini(&self->by_pid);
    free(self);
}

bool orma_perf_interp_begin(struct orma_perf_interp *self, struct orma_perf_process *process,
                            const struct orma_perf_record *record)
{
    struct orma_perf_python *python = process->python;

    self->process = process;
    self->record = record;
    self->frames_num = self->seen.evals_num = 0;
    self->more = self->agrees = false;
    if (!python)
        python = process->python = python_new(self, process->pid);
    if (!python)
        return false;
    if (python->version != process->version)
        look_for(self, python);
    self->python = python;
    return python->file && python->layout;
}

/* ---- the native stack ---- */

static bool is_eval(const struct orma_perf_python *python, uint64_t pc)
{
    const struct orma_perf_interpreter *file = python->file;
    const uint64_t at = pc - python->shift;

    return (at >= file->eval && at < file->eval_end) ||
           (at >= file->eval_cold && at < file->cold_end);
}

void orma_perf_interp_met(struct orma_perf_interp *self, size_t frame, uint64_t pc,
                          const struct orma_unwind_state *state)
{
    struct orma_python_sample *seen = &self->seen;

    if (frame >= ORMA_PERF_FRAMES_MAX)
        return;
    self->sp[frame] = state->regs[ORMA_UNWIND_SP];
    self->frames_num = frame + 1;
    if (!frame) {
        seen->stack = state->stack;
        seen->stack_len = state->stack_len;
        seen->stack_address = state->stack_address;
    }
    if (!is_eval(self->python, pc))
        return;
    if (seen->evals_num == ORMA_PYTHON_EVALS_MAX) {
        self->more = true;
        return;
    }
    self->frame_of[seen->evals_num] = (uint32_t)frame;
    struct orma_python_eval *eval = &seen->evals[seen->evals_num++];
    *eval = (struct orma_python_eval){.sp = state->regs[ORMA_UNWIND_SP], .leaf = !frame};
    for (unsigned i = 0; i < ORMA_UNWIND_REGS; i++) {
        const uint64_t bit = ORMA_UNWIND_BIT(i);

        if (i != ORMA_UNWIND_SP && i != ORMA_UNWIND_PC && state->known & bit &&
            (!frame || bit & ORMA_UNWIND_KEPT))
            eval->regs[eval->regs_num++] = state->regs[i];
    }
}

/* Where each C frame of a run ends: where its caller's begins. */
static void set_ends(struct orma_perf_interp *self, uint64_t sp, bool whole)
{
    struct orma_python_sample *seen = &self->seen;

    self->sp[self->frames_num] = sp;
    for (size_t i = 0; i < seen->evals_num; i++)
        seen->evals[i].cfa = self->sp[self->frame_of[i] + 1];
    seen->whole = whole && !self->more;
    /* Of the last frame of a stack that is cut, nobody knows where it ends. */
    if (!whole && seen->evals_num && self->frame_of[seen->evals_num - 1] + 1 == self->frames_num)
        seen->evals_num--;
}

/* As it was read when the sample came, else as it is now. */
static bool read_stack(struct orma_perf_interp *self)
{
    const struct orma_perf_record *r = self->record;
    ORMA_AUTO(orma_buf_fini) struct orma_buf kept = {0};

    if (orma_perf_prompt_take(self->prompt, r->tid, r->time, &kept)) {
        unpack(&kept, &self->stack);
        return true;
    }
    orma_perf_prompt_lock(self->prompt); /* both know the threads */
    bool ret = read_thread(&self->reader, self->processes->proc_fd, r->tid, &self->stack);
    orma_perf_prompt_unlock(self->prompt);
    return ret;
}

void orma_perf_interp_end(struct orma_perf_interp *self, uint64_t sp, bool whole)
{
    const struct orma_python_memory memory = memory_of(&self->reader);
    struct orma_perf_python *python = self->python;

    set_ends(self, sp, whole);
    if (!self->seen.evals_num)
        return;
    begin_reading(&self->reader, python);
    self->agrees =
        read_stack(self) &&
        orma_python_match(&memory, python->layout, python->file->code_type + python->shift,
                          &self->stack, &self->seen, &python->cframe);
    self->shown += self->agrees;
    self->changed += !self->agrees;
}

/* ---- what is shown ---- */

bool orma_perf_interp_run(const struct orma_perf_interp *self, size_t frame, uint32_t *ret_from,
                          uint32_t *ret_to)
{
    for (size_t i = 0; self->agrees && i < self->seen.evals_num; i++) {
        if (self->frame_of[i] != frame)
            continue;
        *ret_from = self->seen.evals[i].first;
        *ret_to = self->seen.evals[i].end;
        return true;
    }
    return false;
}

/* Of the first frame of a run, the sample itself says where it is. */
static uint64_t instr_of(const struct orma_perf_interp *self, uint32_t at)
{
    for (size_t i = 0; i < self->seen.evals_num; i++) {
        if (self->seen.evals[i].first == at)
            return self->seen.evals[i].instr;
    }
    return self->stack.frames[at].instr;
}

bool orma_perf_interp_get(struct orma_perf_interp *self, uint32_t at,
                          struct orma_perf_interp_frame *ret)
{
    const struct orma_python_memory memory = memory_of(&self->reader);
    const struct orma_perf_python *python = self->python;

    const uint64_t code = self->stack.frames[at].code;
    self->instr = instr_of(self, at);
    if (!orma_python_code_read(&memory, python->layout, python->file->code_type + python->shift,
                               code, &self->code) ||
        orma_python_code_print(&self->code) != self->stack.frames[at].print ||
        !orma_python_text(&memory, python->layout, self->code.qualname, ret->name,
                          sizeof(ret->name)))
        return false;
    const uint64_t parts[] = {self->process->pid,   code,
                              self->code.linetable, self->code.filename,
                              self->code.line,      self->code.len};
    ret->id = orma_hash_bytes_from(0, parts, sizeof(parts));
    ret->instr = self->instr > self->code.begin ? self->instr - self->code.begin : 0;
    return true;
}

bool orma_perf_interp_source(struct orma_perf_interp *self, struct orma_perf_interp_source *ret)
{
    const struct orma_python_memory memory = memory_of(&self->reader);
    const struct orma_python_layout *layout = self->python->layout;

    ret->line = orma_python_line(&memory, layout, &self->code, self->instr);
    return orma_python_text(&memory, layout, self->code.filename, ret->path, sizeof(ret->path));
}

void orma_perf_interp_tell(const struct orma_perf_interp *self)
{
    const uint64_t all = self->shown + self->changed;

    if (self->changed)
        orma_log_warn("linux.perf: %llu of %llu stacks in Python (%.1f %%) lack Python functions: "
                      "the stacks changed before they could be read",
                      (unsigned long long)self->changed, (unsigned long long)all,
                      100.0 * (double)self->changed / (double)all);
}
