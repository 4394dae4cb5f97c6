/*
 * Records come in the order of time, so at a sample the table is as the process was then:
 *
 *   FORK  a copy of the parent's mappings      COMM + exec  mappings are dropped, complete from
 * here MAP   goes into the table, over what lay there          EXIT  kept until room is needed
 *
 * Processes that ran before have /proc/PID/maps, read when an address is looked up, again
 * after REREAD_NS, or sooner when an address lies in none. Beyond a limit everything is
 * forgotten and read anew.
 */
#include "probes/perf/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/perf/context.h"
#include "probes/perf/interp.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/hex.h"
#include "sdk/base/log.h"
#include "sdk/base/search.h"

#define PROCESSES_MAX 16384u
#define THREADS_MAX 65536u
#define FILES_MAX 4096u
#define MAPPINGS_MAX 65536u
#define MAPS_FILE_MAX (32u << 20)
#define CMDLINE_MAX 4096u
#define REREAD_NS UINT64_C(1000000000)
#define REREAD_NS_PER_BYTE 256u /* some 4 s for 16 MiB */
#define REREAD_MISS_NS UINT64_C(50000000)
#define MISS_SHARE 100u

int orma_perf_processes_init(struct orma_perf_processes *self, const char *proc_root,
                             const Perfetto__Protos__PerfEventConfig *config)
{
    *self = (struct orma_perf_processes){.proc_fd = -1};
    self->proc_fd = open(proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->proc_fd < 0)
        return -errno;
    self->files.proc_fd = self->proc_fd;
    if (!orma_perf_scope_init(&self->scope, config)) {
        orma_perf_processes_fini(self);
        return -ENOMEM;
    }
    return 0;
}

static void jit_free(struct orma_perf_jit *jit)
{
    if (jit)
        orma_perf_jit_fini(jit);
    free(jit);
}

static void process_free(struct orma_perf_process *process)
{
    if (process->jit_share)
        (void)orma_perf_jit_share_hold(process->jit_share, process->jit_held, 0);
    jit_free(process->jit);
    jit_free(process->jit_dump);
    orma_perf_python_free(process->python);
    orma_perf_context_free(process->context);
    free(process->mappings);
    free(process->program);
    orma_buf_fini(&process->nameless);
    free(process);
}

static void forget_threads(struct orma_perf_processes *self)
{
    ORMA_MAP_EACH (slot, &self->by_tid)
        free((void *)(uintptr_t)slot->val);
    orma_map_clear(&self->by_tid);
}

static void forget_all(struct orma_perf_processes *self)
{
    ORMA_MAP_EACH (slot, &self->by_pid)
        process_free((struct orma_perf_process *)(uintptr_t)slot->val);
    orma_map_clear(&self->by_pid);
    orma_perf_files_fini(&self->files);
    forget_threads(self);
    self->age++;
}

void orma_perf_processes_fini(struct orma_perf_processes *self)
{
    forget_all(self);
    orma_map_fini(&self->by_pid);
    orma_map_fini(&self->by_tid);
    orma_perf_jit_shares_fini(&self->jit_shares);
    orma_perf_scope_fini(&self->scope);
    orma_fd_close(&self->proc_fd);
}

/* ---- processes ---- */

static bool is_alive(const struct orma_perf_processes *self, uint32_t pid)
{
    char name[16];

    snprintf(name, sizeof(name), "%u", pid);
    return faccessat(self->proc_fd, name, F_OK, 0) == 0;
}

static bool is_wanted(const struct orma_perf_processes *self, uint32_t pid)
{
    return self->all_wanted || orma_perf_scope_has(&self->scope, self->proc_fd, pid);
}

/* Those that are gone first; the map must not change while it is walked. */
static void make_room(struct orma_perf_processes *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf gone = {0};

    if (self->by_pid.len < PROCESSES_MAX && self->files.by_key.len < FILES_MAX)
        return;
    ORMA_MAP_EACH (slot, &self->by_pid) {
        if (((const struct orma_perf_process *)(uintptr_t)slot->val)->gone)
            orma_buf_put(&gone, &slot->key, sizeof(slot->key));
    }
    for (size_t i = 0; i + sizeof(uint64_t) <= gone.len; i += sizeof(uint64_t)) {
        uint64_t pid;

        memcpy(&pid, gone.data + i, sizeof(pid));
        process_free((struct orma_perf_process *)(uintptr_t)orma_map_take(&self->by_pid, pid));
    }
    if (self->by_pid.len >= PROCESSES_MAX / 2 || self->files.by_key.len >= FILES_MAX)
        forget_all(self);
}

static struct orma_perf_process *process_add(struct orma_perf_processes *self, uint32_t pid)
{
    make_room(self);
    struct orma_perf_process *process = calloc(1, sizeof(*process));
    if (!process)
        return NULL;
    process->pid = pid;
    process->version = ++self->versions;
    uint64_t old = orma_map_take(&self->by_pid, pid);
    if (old != ORMA_MAP_NONE)
        process_free((struct orma_perf_process *)(uintptr_t)old);
    if (orma_map_put_ptr(&self->by_pid, pid, process) < 0) {
        free(process);
        return NULL;
    }
    return process;
}

struct orma_perf_process *orma_perf_process_get(struct orma_perf_processes *self, uint32_t pid,
                                                uint64_t now_ns)
{
    struct orma_perf_process *process = orma_map_get_ptr(&self->by_pid, pid);

    if (process && process->judged_ns) {
        if (!self->all_wanted &&
            now_ns - process->judged_ns > (process->wanted ? REREAD_NS : REREAD_MISS_NS)) {
            process->wanted = is_wanted(self, pid) || (process->wanted && !is_alive(self, pid));
            process->judged_ns = now_ns;
        }
        return process;
    }
    if (!process)
        process = process_add(self, pid);
    if (!process)
        return NULL;
    process->wanted = is_wanted(self, pid);
    process->judged_ns = now_ns;
    return process;
}

void orma_perf_process_forget(struct orma_perf_processes *self, uint32_t pid)
{
    uint64_t process = orma_map_take(&self->by_pid, pid);
    uint64_t main = orma_map_take(&self->by_tid, pid);

    if (process != ORMA_MAP_NONE)
        process_free((struct orma_perf_process *)(uintptr_t)process);
    if (main != ORMA_MAP_NONE)
        free((void *)(uintptr_t)main);
}

/* ---- threads and names ---- */

struct orma_perf_thread *orma_perf_thread_get(struct orma_perf_processes *self, uint32_t pid,
                                              uint32_t tid)
{
    struct orma_perf_thread *thread = orma_map_get_ptr(&self->by_tid, tid);
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    char path[40];

    if (thread && thread->pid == pid)
        return thread;
    if (!thread) {
        if (self->by_tid.len >= THREADS_MAX)
            forget_threads(self);
        thread = calloc(1, sizeof(*thread));
        if (!thread || orma_map_put_ptr(&self->by_tid, tid, thread) < 0) {
            free(thread);
            return NULL;
        }
    }
    *thread = (struct orma_perf_thread){.tid = tid, .pid = pid};
    snprintf(path, sizeof(path), "%u/task/%u/comm", pid, tid);
    if (orma_fd_read_file(self->proc_fd, path, 64, &text) == 0 && text.len)
        snprintf(thread->name, sizeof(thread->name), "%.*s", (int)text.len - 1, text.data);
    return thread;
}

static void name_thread(struct orma_perf_processes *self, uint32_t pid, uint32_t tid,
                        struct orma_str name)
{
    struct orma_perf_thread *thread = orma_map_get_ptr(&self->by_tid, tid);

    if (!thread) {
        if (self->by_tid.len >= THREADS_MAX)
            forget_threads(self);
        thread = calloc(1, sizeof(*thread));
        if (!thread || orma_map_put_ptr(&self->by_tid, tid, thread) < 0) {
            free(thread);
            return;
        }
    }
    *thread = (struct orma_perf_thread){.tid = tid, .pid = pid};
    snprintf(thread->name, sizeof(thread->name), "%.*s", ORMA_STR_ARG(name));
}

static void scan_tasks(struct orma_perf_processes *self, uint32_t pid)
{
    struct dirent *entry;
    char name[40];

    snprintf(name, sizeof(name), "%u/task", pid);
    int fd = openat(self->proc_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    while (dir && (entry = readdir(dir)) && self->by_tid.len < THREADS_MAX) {
        uint64_t tid;

        if (orma_str_to_u64(orma_str_from(entry->d_name), &tid))
            (void)orma_perf_thread_get(self, pid, (uint32_t)tid);
    }
    if (dir)
        closedir(dir);
    else
        orma_fd_close(&fd);
}

void orma_perf_processes_scan(struct orma_perf_processes *self, const int32_t *pids, size_t num)
{
    for (size_t i = 0; i < num; i++)
        scan_tasks(self, (uint32_t)pids[i]);
    if (num)
        return;
    int fd = openat(self->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        uint64_t pid;

        if (orma_str_to_u64(orma_str_from(entry->d_name), &pid))
            scan_tasks(self, (uint32_t)pid);
    }
    if (dir)
        closedir(dir);
    else
        orma_fd_close(&fd);
}

/* Is what runs under the pid now still what the records have last said? */
static bool is_same_program(struct orma_perf_processes *self, const struct orma_perf_process *p)
{
    const struct orma_perf_thread *main = orma_map_get_ptr(&self->by_tid, p->pid);
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    char path[40];

    if (p->gone)
        return false;
    if (!main || !*main->name)
        return true;
    snprintf(path, sizeof(path), "%u/comm", p->pid);
    if (orma_fd_read_file(self->proc_fd, path, 64, &text) < 0 || !text.len)
        return false;
    return orma_str_eq_c((struct orma_str){(const char *)text.data, text.len - 1}, main->name);
}

bool orma_perf_process_cmdline(struct orma_perf_processes *self, struct orma_perf_process *process,
                               struct orma_buf *ret)
{
    const struct orma_perf_thread *main = orma_map_get_ptr(&self->by_tid, process->pid);
    char path[40];

    snprintf(path, sizeof(path), "%u/cmdline", process->pid);
    if (is_same_program(self, process) &&
        orma_fd_read_file(self->proc_fd, path, CMDLINE_MAX, ret) < 0 && !ret->len)
        orma_buf_clear(ret);
    if (ret->len)
        return false;
    if (process->program) {
        orma_buf_put_str(ret, process->program);
        return false;
    }
    if (main)
        orma_buf_put_str(ret, main->name);
    return true;
}

/* ---- mappings ---- */

static bool reserve_mappings(struct orma_perf_process *process, size_t num)
{
    size_t cap = ORMA_MAX(process->mappings_cap * 2, (size_t)16);

    if (num <= process->mappings_cap)
        return true;
    if (num > MAPPINGS_MAX)
        return false;
    struct orma_perf_mapping *grown = realloc(process->mappings, cap * sizeof(*grown));
    if (!grown)
        return false;
    process->mappings = grown;
    process->mappings_cap = cap;
    return true;
}

/* Puts one in its place; what it covers is gone, of others a part on either side may be left. */
static void put_mapping(struct orma_perf_process *process, const struct orma_perf_mapping *new)
{
    struct orma_perf_mapping pieces[3], *m;
    size_t num = process->mappings_num, lo, hi, add = 0;

    if (!reserve_mappings(process, num + 2))
        return; /* its addresses are unknown */
    m = process->mappings;
    lo = ORMA_UPPER_BOUND(m, num, .start, new->start);
    if (lo && m[lo - 1].end > new->start)
        lo--;
    hi = ORMA_LOWER_BOUND(m, num, .start, new->end);
    if (lo < hi && m[lo].start < new->start) {
        pieces[add] = m[lo];
        pieces[add].iid_age = 0;
        pieces[add++].end = new->start;
    }
    pieces[add++] = *new;
    if (lo < hi && m[hi - 1].end > new->end) {
        pieces[add] = m[hi - 1];
        pieces[add].iid_age = 0;
        pieces[add].offset += new->end - m[hi - 1].start;
        pieces[add++].start = new->end;
    }
    memmove(&m[lo + add], &m[hi], (num - hi) * sizeof(*m));
    memcpy(&m[lo], pieces, add * sizeof(*m));
    process->mappings_num = num - (hi - lo) + add;
}

static void map(struct orma_perf_processes *self, struct orma_perf_process *process,
                const struct orma_perf_map_event *event, struct orma_str path)
{
    struct orma_perf_mapping m = {
        .start = event->start, .end = event->start + event->len, .offset = event->offset};

    m.file = orma_perf_files_get(&self->files, process->pid, event, path);
    if (m.file)
        put_mapping(process, &m);
    process->version = ++self->versions;
}

static bool hex_field(struct orma_str *rest, char sep, uint64_t *ret)
{
    struct orma_str part;

    if (!orma_str_cut(rest, sep, &part) || !part.len || part.len > 16)
        return false;
    *ret = 0;
    for (size_t i = 0; i < part.len; i++) {
        int digit = orma_hex_digit(part.data[i]);

        if (digit < 0)
            return false;
        *ret = *ret << 4 | (unsigned)digit;
    }
    return true;
}

/* "7f12-7f34 r-xp 00001000 fd:01 1234   /usr/lib/x.so". False: not a line of that kind, or data. */
static bool parse_line(struct orma_str line, struct orma_perf_map_event *ret,
                       struct orma_str *ret_path)
{
    struct orma_str part;
    uint64_t major, minor, end;

    *ret = (struct orma_perf_map_event){0};
    if (!hex_field(&line, '-', &ret->start) || !hex_field(&line, ' ', &end) ||
        !orma_str_cut(&line, ' ', &part) || part.len < 3 || part.data[2] != 'x' ||
        !hex_field(&line, ' ', &ret->offset) || !hex_field(&line, ':', &major) ||
        !hex_field(&line, ' ', &minor) || !orma_str_cut(&line, ' ', &part) ||
        !orma_str_to_u64(part, &ret->inode) || ret->start >= end)
        return false;
    ret->len = end - ret->start;
    ret->device = major << 32 | minor;
    *ret_path = orma_str_trim(line);
    if (!ret_path->len)
        *ret_path = ORMA_STR("[anon]");
    return true;
}

static void read_mappings(struct orma_perf_processes *self, struct orma_perf_process *process)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str rest, line, path;
    struct orma_perf_map_event event;
    char name[40];

    snprintf(name, sizeof(name), "%u/maps", process->pid);
    if (orma_fd_read_file(self->proc_fd, name, MAPS_FILE_MAX, &text) < 0 || !text.len)
        return; /* gone: what was known stays, its last samples may come yet */
    process->mappings_num = 0;
    rest = orma_buf_str(&text);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (parse_line(line, &event, &path))
            map(self, process, &event, path);
    }
}

/* An address that lies in none is a library that came meanwhile, or nothing: as it may be the
 * first, all is read again soon, but not so often that reading costs more than MISS_SHARE says. */
void orma_perf_process_read(struct orma_perf_processes *self, struct orma_perf_process *process,
                            uint64_t now_ns)
{
    uint64_t begun = orma_clock_monotonic();

    process->read_ns = now_ns;
    read_mappings(self, process);
    uint64_t took = orma_clock_monotonic() - begun;
    process->miss_ns = ORMA_MIN(took * MISS_SHARE, REREAD_MISS_NS);
}

/* Callers are often of the same file. */
static struct orma_perf_mapping *find(struct orma_perf_process *process, uint64_t address)
{
    struct orma_perf_mapping *m = process->mappings;
    size_t i = process->last;

    if (i < process->mappings_num && address - m[i].start < m[i].end - m[i].start)
        return &m[i];
    i = ORMA_OFFSET_FIND(m, process->mappings_num, .start, address);
    if (i >= process->mappings_num || address >= m[i].end)
        return NULL;
    process->last = i;
    return &m[i];
}

struct orma_perf_mapping *orma_perf_process_find(struct orma_perf_processes *self,
                                                 struct orma_perf_process *process,
                                                 uint64_t address, uint64_t now_ns)
{
    struct orma_perf_mapping *m = find(process, address);
    uint64_t age_ns = now_ns - process->read_ns;

    if (process->complete || (process->read_ns && age_ns < (m ? REREAD_NS : process->miss_ns)))
        return m;
    orma_perf_process_read(self, process, now_ns);
    return find(process, address);
}

/* Is it time to read a file of names again? */
static bool is_old(struct orma_perf_jit **jit, uint64_t now_ns, uint64_t keep_ns)
{
    if (!*jit)
        *jit = calloc(1, sizeof(**jit));
    if (!*jit || ((*jit)->read_ns && now_ns - (*jit)->read_ns < keep_ns))
        return false;
    (*jit)->read_ns = now_ns;
    return true;
}

static void read_dump(struct orma_perf_processes *self, struct orma_perf_process *process)
{
    for (size_t i = 0; i < process->mappings_num; i++) {
        const char *path = process->mappings[i].file->path;

        if (!orma_perf_jit_is_dump(path))
            continue;
        ORMA_AUTO(orma_fd_close)
        int fd = orma_perf_jit_open_dump(self->proc_fd, process->pid, path);
        if (fd >= 0)
            orma_perf_jit_read_dump(process->jit_dump, fd);
        return;
    }
}

static struct orma_str find_jit(const struct orma_perf_process *process, uint64_t address)
{
    struct orma_str ret = {"", 0};

    if (process->jit_dump)
        ret = orma_perf_jit_find(process->jit_dump, address);
    if (!ret.len && process->jit)
        ret = orma_perf_jit_find(process->jit, address);
    return ret;
}

static size_t held_by(const struct orma_perf_jit *jit)
{
    return jit->functions.cap + jit->names.cap + jit->index.cap * sizeof(*jit->index.slots);
}

/* The names are forgotten if their user has too many. */
static void settle_share(struct orma_perf_process *process)
{
    size_t before = process->jit_held;

    process->jit_held = held_by(process->jit) + held_by(process->jit_dump);
    if (orma_perf_jit_share_hold(process->jit_share, before, process->jit_held))
        return;
    orma_perf_jit_forget(process->jit);
    orma_perf_jit_forget(process->jit_dump);
    (void)orma_perf_jit_share_hold(process->jit_share, process->jit_held, 0); /* less is fine */
    process->jit_held = 0;
}

static void read_map(struct orma_perf_processes *self, struct orma_perf_process *process)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    int r = orma_perf_jit_read(self->proc_fd, process->pid, &text);

    if (r == 0) {
        orma_perf_jit_parse(process->jit, orma_buf_str(&text));
        process->jit->bytes = text.len;
    } else if (r == -EFBIG && !process->jit->told) {
        process->jit->told = true;
        orma_log_warn(
            "perf-%u.map is longer than %u MiB: functions that are listed only there have no names",
            process->pid, ORMA_PERF_JIT_MAP_MAX >> 20);
    }
}

static void read_names(struct orma_perf_processes *self, struct orma_perf_process *process,
                       bool dump, bool map)
{
    if (!process->jit_share)
        process->jit_share = orma_perf_jit_share_of(&self->jit_shares, self->proc_fd, process->pid);
    if (!process->jit || !process->jit_dump || !process->jit_share ||
        !orma_perf_jit_share_has_time(process->jit_share))
        return;
    uint64_t begun_ns = orma_perf_jit_share_begin();
    if (dump)
        read_dump(self, process);
    if (map)
        read_map(self, process);
    settle_share(process);
    orma_perf_jit_share_end(process->jit_share, begun_ns);
}

/* A long map is read anew less often. */
static uint64_t keep_of(const struct orma_perf_jit *jit)
{
    return REREAD_NS + (jit ? jit->bytes * REREAD_NS_PER_BYTE : 0);
}

struct orma_str orma_perf_process_jit(struct orma_perf_processes *self,
                                      struct orma_perf_process *process, uint64_t address,
                                      uint64_t now_ns)
{
    struct orma_str ret = find_jit(process, address);

    if (ret.len)
        return ret;
    bool dump = is_old(&process->jit_dump, now_ns, REREAD_MISS_NS),
         map = is_old(&process->jit, now_ns, keep_of(process->jit));
    if (dump || map)
        read_names(self, process, dump, map);
    return find_jit(process, address);
}

struct orma_str orma_perf_process_jit_late(struct orma_perf_processes *self,
                                           struct orma_perf_process *process, uint64_t address)
{
    if (!process->late_read && process->jit && process->jit_dump)
        read_names(self, process, true, true);
    process->late_read = true;
    return find_jit(process, address);
}

/* ---- records ---- */

/* A child begins as its parent was: the same memory, the same program. */
static void inherit(struct orma_perf_process *child, const struct orma_perf_process *parent)
{
    size_t num = parent->mappings_num;

    child->program = parent->program ? strdup(parent->program) : NULL;
    child->mappings = num ? malloc(num * sizeof(*child->mappings)) : NULL;
    if (!child->mappings)
        return;
    memcpy(child->mappings, parent->mappings, num * sizeof(*child->mappings));
    child->mappings_num = child->mappings_cap = num;
    child->complete = parent->complete;
    child->read_ns = parent->read_ns;
}

static void take_fork(struct orma_perf_processes *self, const struct orma_perf_record *r)
{
    const struct orma_perf_thread *from = orma_map_get_ptr(&self->by_tid, r->parent_tid);

    if (from && *from->name) {
        char name[ORMA_PERF_NAME_SIZE];

        memcpy(name, from->name, sizeof(name));
        name_thread(self, r->pid, r->tid, orma_str_from(name));
    }
    if (r->pid == r->parent_pid)
        return; /* a thread */
    struct orma_perf_process *child = process_add(self, r->pid);
    const struct orma_perf_process *parent = orma_map_get_ptr(&self->by_pid, r->parent_pid);
    if (!child)
        return;
    child->parent = r->parent_pid;
    child->start = r->time;
    if (parent)
        inherit(child, parent);
}

static void take_exec(struct orma_perf_processes *self, uint32_t pid)
{
    struct orma_perf_process *process = orma_map_get_ptr(&self->by_pid, pid);

    if (!process)
        process = process_add(self, pid);
    if (!process)
        return;
    process->mappings_num = 0;
    process->version = ++self->versions;
    process->complete = process->fresh_program = true;
    process->told = false;
    orma_perf_python_free(process->python);
    process->python = NULL;
    orma_perf_context_free(process->context);
    process->context = NULL;
    process->judged_ns = 0; /* another program may be wanted, or not */
    free(process->program);
    process->program = NULL;
}

/* Of a process that nothing is known of yet, /proc/PID/maps will tell it all. */
static void take_map(struct orma_perf_processes *self, const struct orma_perf_record *r)
{
    struct orma_perf_process *process = orma_map_get_ptr(&self->by_pid, r->pid);

    if (!process || (!process->complete && !process->read_ns) ||
        (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
        return;
    if (process->fresh_program && r->text.len && *r->text.data == '/') {
        process->fresh_program = false;
        process->program = strndup(r->text.data, r->text.len);
    }
    map(self, process, &r->map, r->text);
}

void orma_perf_processes_take(struct orma_perf_processes *self,
                              const struct orma_perf_record *record)
{
    struct orma_perf_process *process;

    switch (record->kind) {
    case ORMA_PERF_COMM:
        name_thread(self, record->pid, record->tid, record->text);
        if (record->exec)
            take_exec(self, record->pid);
        break;
    case ORMA_PERF_FORK:
        take_fork(self, record);
        break;
    case ORMA_PERF_EXIT:
        process = orma_map_get_ptr(&self->by_pid, record->pid);
        if (process && record->tid == record->pid) {
            process->gone = true;
            orma_perf_python_free(process->python);
            process->python = NULL;
            orma_perf_context_free(process->context);
            process->context = NULL;
        }
        break;
    case ORMA_PERF_MAP:
        take_map(self, record);
        break;
    case ORMA_PERF_SAMPLE:
    case ORMA_PERF_LOST:
    case ORMA_PERF_SWITCH:
    case ORMA_PERF_CPU_TIME:
    case ORMA_PERF_LOOK:
    case ORMA_PERF_END:
        break;
    }
}
