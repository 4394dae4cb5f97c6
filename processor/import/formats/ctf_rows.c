/*
 * Events of CTF as rows: instants on the track of their thread, but for those whose names mean
 * more:
 *
 *   lttng_ust_cyg_profile*:func_entry, func_exit     a slice
 *   lttng_ust_pthread:pthread_mutex_lock_req, _acq   a slice while it waits
 *   lttng_ust_libc:malloc, free, ...                 also a counter of what is allocated
 *   lttng_ust_statedump:bin_info, lttng_ust_dl:*     also what lies where in a process
 */
#include "processor/import/formats/ctf.h"

#include <stdlib.h>

enum rule {
    INSTANT,
    ENTRY,
    EXIT,
    LOCK_BEGIN,
    LOCK_END,
    ALLOC,
    FREE,
    BINARY,
    PROCESS_NAME,
};

static const struct {
    const char *name;
    enum rule rule;
} rules[] = {
    {"lttng_ust_cyg_profile:func_entry", ENTRY},
    {"lttng_ust_cyg_profile:func_exit", EXIT},
    {"lttng_ust_cyg_profile_fast:func_entry", ENTRY},
    {"lttng_ust_cyg_profile_fast:func_exit", EXIT},
    {"lttng_ust_pthread:pthread_mutex_lock_req", LOCK_BEGIN},
    {"lttng_ust_pthread:pthread_mutex_lock_acq", LOCK_END},
    {"lttng_ust_libc:malloc", ALLOC},
    {"lttng_ust_libc:calloc", ALLOC},
    {"lttng_ust_libc:realloc", ALLOC},
    {"lttng_ust_libc:memalign", ALLOC},
    {"lttng_ust_libc:posix_memalign", ALLOC},
    {"lttng_ust_libc:free", FREE},
    {"lttng_ust_statedump:procname", PROCESS_NAME},
    {"lttng_ust_statedump:bin_info", BINARY},
    {"lttng_ust_lib:load", BINARY},
    {"lttng_ust_dl:dlopen", BINARY},
};

/* A file that a process has mapped. */
struct mapping {
    uint32_t pid;
    uint64_t begin, end;
    uint32_t name; /* pool id */
};

struct heap {
    uint32_t pid, track;
    int64_t bytes;
};

struct rows {
    ORMA_VEC(struct mapping) mappings;
    ORMA_VEC(struct heap) heaps;
    struct orma_map sizes;     /* of allocations, by heap and address */
    struct orma_map functions; /* by pid and address → name */
    struct orma_map cpu_tracks;
    uint32_t pid, procname; /* of the environment; 0: not told */
    /* The thread that was named last. */
    uint32_t named;
    char comm[32];
};

static struct rows *rows_new(struct orma_ctf *self)
{
    const struct orma_ctf_env *env = orma_ctf_env(self, "vpid");
    const struct orma_str procname = orma_ctf_env_text(self, "procname");
    struct rows *r;

    if (!(self->rows = r = calloc(1, sizeof(*r)))) {
        orma_ctf_no_memory(self);
        return NULL;
    }
    r->named = ORMA_ID_NONE;
    if (env && env->number > 0 && env->number <= INT32_MAX)
        r->pid = (uint32_t)env->number;
    if (procname.len)
        r->procname = orma_model_str(self->file->imp->model, procname);
    return r;
}

void orma_ctf_rows_fini(struct orma_ctf *self)
{
    struct rows *r = self->rows;

    if (!r)
        return;
    ORMA_VEC_FINI(&r->mappings);
    ORMA_VEC_FINI(&r->heaps);
    orma_map_fini(&r->sizes);
    orma_map_fini(&r->functions);
    orma_map_fini(&r->cpu_tracks);
    free(r);
}

/* ---- whose ---- */

struct whose {
    uint32_t track, utid, pid; /* utid ORMA_ID_NONE, pid 0: not known */
};

static bool is_id(const struct orma_ctf_decoder *d, enum orma_ctf_role role)
{
    return orma_ctf_has_role(d, role) && d->roles[role] <= INT32_MAX;
}

/* The track of a CPU, or the one for all. */
static uint32_t cpu_track(struct orma_ctf *self, struct rows *r, int32_t cpu)
{
    struct orma_model *m = self->file->imp->model;
    const uint64_t known = orma_map_get(&r->cpu_tracks, (uint64_t)(cpu + 1));
    const struct orma_track_dim dims[] = {orma_dim(m->known.cpu, cpu)};
    uint32_t track;

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    track =
        orma_model_slice_track(m, self->file->machine, cpu < 0 ? "ctf_events" : "ctf_cpu_events",
                               orma_model_lit(m, "events"), cpu >= 0, dims);
    if (orma_map_put(&r->cpu_tracks, (uint64_t)(cpu + 1), track))
        orma_ctf_no_memory(self);
    return track;
}

static void name_thread(struct orma_ctf *self, struct rows *r, const struct orma_ctf_decoder *d,
                        const struct whose *w, uint32_t tid)
{
    if (r->named == w->utid && d->comm.len < sizeof(r->comm) && !r->comm[d->comm.len] &&
        !memcmp(r->comm, d->comm.data, d->comm.len))
        return;
    r->named = d->comm.len < sizeof(r->comm) ? w->utid : ORMA_ID_NONE;
    memset(r->comm, 0, sizeof(r->comm));
    memcpy(r->comm, d->comm.data, ORMA_MIN(d->comm.len, sizeof(r->comm) - 1));

    struct orma_model *m = self->file->imp->model;
    struct orma_processes *p = orma_model_processes(m, self->file->machine);
    const uint32_t upid = orma_processes_upid(p, w->utid), name = orma_model_str(m, d->comm);

    orma_processes_name_thread(p, w->utid, name, ORMA_THREAD_NAME_FTRACE);
    if (upid != ORMA_ID_NONE && tid == w->pid)
        orma_processes_name_process(p, upid, name, ORMA_PROCESS_NAME_OTHER);
}

static struct whose whose(struct orma_ctf *self, struct rows *r, const struct orma_ctf_decoder *d,
                          int32_t cpu)
{
    struct orma_model *m = self->file->imp->model;
    struct orma_processes *p = orma_model_processes(m, self->file->machine);
    struct whose w = {.utid = ORMA_ID_NONE, .pid = r->pid};
    const uint32_t tid = is_id(d, ORMA_CTF_TID) ? (uint32_t)d->roles[ORMA_CTF_TID] : 0;

    if (is_id(d, ORMA_CTF_PID))
        w.pid = (uint32_t)d->roles[ORMA_CTF_PID];
    if (tid)
        w.utid = w.pid ? orma_processes_thread_of(p, tid, w.pid) : orma_processes_thread(p, tid);
    else if (w.pid)
        w.utid = orma_processes_unknown_thread(p, w.pid);
    w.track = w.utid == ORMA_ID_NONE ? cpu_track(self, r, cpu)
                                     : orma_model_thread_track(m, self->file->machine, w.utid);
    if (tid && orma_ctf_has_role(d, ORMA_CTF_COMM) && d->comm.len)
        name_thread(self, r, d, &w, tid);
    if (r->procname && w.pid)
        orma_processes_name_process(p, orma_processes_process(p, w.pid), r->procname,
                                    ORMA_PROCESS_NAME_OTHER);
    return w;
}

/* ---- what means more ---- */

static void note_binary(struct orma_ctf *self, struct rows *r, uint32_t pid,
                        const struct orma_args_list *args)
{
    struct orma_model *m = self->file->imp->model;
    struct mapping map = {.pid = pid};
    uint64_t size = 0;

    if (!orma_ctf_arg(self, args, "baddr", &map.begin) ||
        !orma_ctf_arg(self, args, "memsz", &size) ||
        __builtin_add_overflow(map.begin, size, &map.end))
        return;
    map.name = orma_ctf_text_arg(self, args, "path");
    const struct orma_str path = orma_strpool_get(&m->storage->pool, map.name);
    const char *slash = map.name && path.len ? memrchr(path.data, '/', path.len) : NULL;
    if (slash)
        map.name = orma_model_str(
            m, (struct orma_str){slash + 1, (size_t)(path.data + path.len - slash) - 1});
    for (uint32_t i = 0; i < r->mappings.len; i++)
        if (r->mappings.data[i].pid == pid && r->mappings.data[i].begin == map.begin) {
            r->mappings.data[i] = map;
            return;
        }
    if (map.name && r->mappings.len < 4096 && ORMA_VEC_PUSH(&r->mappings, map))
        orma_ctf_no_memory(self);
}

static void name_process(struct orma_ctf *self, uint32_t pid, const struct orma_args_list *args)
{
    struct orma_processes *p = orma_model_processes(self->file->imp->model, self->file->machine);
    const uint32_t name = orma_ctf_text_arg(self, args, "procname");

    if (pid && name)
        orma_processes_name_process(p, orma_processes_process(p, pid), name,
                                    ORMA_PROCESS_NAME_OTHER);
}

/* "a.out+0x1139": the name of a function needs the symbols of the file. */
static uint32_t function(struct orma_ctf *self, struct rows *r, uint32_t pid, uint64_t addr)
{
    struct orma_strpool *pool = &self->file->imp->model->storage->pool;
    const uint64_t key = addr ^ (uint64_t)pid << 42, known = orma_map_get(&r->functions, key);
    uint32_t name = 0;

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    for (uint32_t i = r->mappings.len; i-- > 0 && !name;) {
        const struct mapping *m = &r->mappings.data[i];

        if (m->pid == pid && addr >= m->begin && addr < m->end)
            name = orma_strpool_addf(pool, "%s+0x%llx", orma_strpool_cstr(pool, m->name),
                                     (unsigned long long)(addr - m->begin));
    }
    if (!name)
        name = orma_strpool_addf(pool, "0x%llx", (unsigned long long)addr);
    if (orma_map_put(&r->functions, key, name))
        orma_ctf_no_memory(self);
    return name;
}

static uint32_t heap_of(struct orma_ctf *self, struct rows *r, uint32_t pid)
{
    struct orma_model *m = self->file->imp->model;
    struct orma_processes *p = orma_model_processes(m, self->file->machine);

    for (uint32_t i = 0; i < r->heaps.len; i++)
        if (r->heaps.data[i].pid == pid)
            return i;
    const struct orma_track_dim dims[] = {orma_dim(m->known.upid, orma_processes_process(p, pid))};
    const struct heap heap = {pid,
                              orma_model_counter_track(m, self->file->machine, "ctf_heap",
                                                       orma_model_lit(m, "heap"), "bytes",
                                                       ORMA_ARRAY_LEN(dims), dims),
                              0};
    if (r->heaps.len >= 4096 || ORMA_VEC_PUSH(&r->heaps, heap))
        return ORMA_CTF_NOTHING;
    return r->heaps.len - 1;
}

static void take_free(struct rows *r, struct heap *heap, uint64_t key)
{
    const uint64_t size = orma_map_take(&r->sizes, key);

    heap->bytes -= size == ORMA_MAP_NONE ? 0 : (int64_t)size;
}

/* What was allocated before the recording is not known. */
static void count_heap(struct orma_ctf *self, struct rows *r, int64_t ts, uint32_t pid,
                       const struct orma_args_list *args, bool frees)
{
    uint64_t ptr = 0, old = 0, size = 0, num = 1;
    const uint32_t at = pid ? heap_of(self, r, pid) : ORMA_CTF_NOTHING;

    if (at == ORMA_CTF_NOTHING)
        return;
    struct heap *heap = &r->heaps.data[at];
    const int64_t before = heap->bytes;
    (void)orma_ctf_arg(self, args, "size", &size);
    (void)orma_ctf_arg(self, args, "nmemb", &num);
    if (orma_ctf_arg(self, args, "in_ptr", &old) && old)
        take_free(r, heap, (uint64_t)at << 48 ^ old);
    if (!orma_ctf_arg(self, args, "ptr", &ptr) && !orma_ctf_arg(self, args, "out_ptr", &ptr))
        ptr = 0;
    const uint64_t key = (uint64_t)at << 48 ^ ptr;
    if (ptr)
        take_free(r, heap, key);
    if (ptr && !frees && !__builtin_mul_overflow(size, num, &size) &&
        size <= (uint64_t)(INT64_MAX - heap->bytes)) { /* which is a sum of such sizes */
        heap->bytes += (int64_t)size;
        if (orma_map_put(&r->sizes, key, size))
            orma_ctf_no_memory(self);
    }
    if (heap->bytes != before)
        orma_model_counter(self->file->imp->model, ts, heap->track, (double)heap->bytes);
}

/* ---- an event ---- */

static struct orma_str provider_of(struct orma_str name)
{
    const char *colon = name.len ? memchr(name.data, ':', name.len) : NULL;

    return (struct orma_str){name.data, colon ? (size_t)(colon - name.data) : 0};
}

static void know(struct orma_ctf *self, struct orma_ctf_event *e)
{
    struct orma_model *m = self->file->imp->model;
    const struct orma_str provider = provider_of(e->name);

    e->is_known = true;
    e->text = e->name.len
                  ? orma_model_str(m, e->name)
                  : orma_strpool_addf(&m->storage->pool, "event %llu", (unsigned long long)e->id);
    e->category = provider.len ? orma_model_str(m, provider) : 0;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(rules); i++)
        if (orma_str_eq_c(e->name, rules[i].name))
            e->rule = (uint8_t)rules[i].rule;
}

static struct orma_unit_end end_of(struct orma_file *file, uint32_t slice)
{
    return slice == ORMA_SLICE_NONE ? orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ,
                                                        "events that lie in too many slices")
                                    : orma_file_took(file);
}

static struct orma_unit_end end_slice(struct orma_ctf *self, int64_t ts, const struct whose *w,
                                      uint32_t category, uint32_t name,
                                      const struct orma_args_list *args)
{
    return orma_slices_end(&self->file->imp->model->slices, ts, w->track, category, name, args) ==
                   ORMA_SLICE_NONE
               ? orma_file_skipped(self->file, ORMA_ACCOUNT_NO_BEGIN, "ends of slices")
               : orma_file_took(self->file);
}

static struct orma_unit_end program_event(struct orma_ctf *self, struct rows *r, int64_t ts,
                                          const struct orma_ctf_event *e, const struct whose *w,
                                          const struct orma_args_list *args)
{
    struct orma_model *m = self->file->imp->model;
    struct orma_slices *slices = &m->slices;
    uint64_t addr = 0;

    switch ((enum rule)e->rule) {
    case ENTRY:
        (void)orma_ctf_arg(self, args, "addr", &addr);
        return end_of(self->file, orma_slices_begin(slices, ts, w->track, e->category,
                                                    function(self, r, w->pid, addr), args));
    case EXIT:
        return end_slice(self, ts, w, e->category, 0, NULL);
    case LOCK_BEGIN:
        return end_of(self->file, orma_slices_begin(slices, ts, w->track, e->category,
                                                    orma_model_lit(m, "lock wait"), args));
    case LOCK_END:
        return end_slice(self, ts, w, e->category, orma_model_lit(m, "lock wait"), args);
    case ALLOC:
    case FREE:
        count_heap(self, r, ts, w->pid, args, e->rule == FREE);
        break;
    case BINARY:
        note_binary(self, r, w->pid, args);
        break;
    case PROCESS_NAME:
        name_process(self, w->pid, args);
        break;
    case INSTANT:
        break;
    }
    return end_of(self->file,
                  orma_slices_complete(slices, ts, 0, w->track, e->category, e->text, args));
}

static const struct orma_ctf_packet *packet_at(struct orma_ctf *self, const uint8_t *at)
{
    const struct orma_ctf_packet *p = &self->packets.data[self->last_packet];

    if (at >= p->begin && at < p->end)
        return p;
    uint32_t low = 0, high = self->packets.len;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;

        if (self->packets.data[mid].begin <= at)
            low = mid + 1;
        else
            high = mid;
    }
    self->last_packet = low ? low - 1 : 0;
    return &self->packets.data[self->last_packet];
}

struct orma_unit_end orma_ctf_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_ctf *self = file->state;
    const struct orma_ctf_packet *p = packet_at(self, item->data);
    struct orma_ctf_stream_class *c = &self->classes.data[p->class];
    struct orma_ctf_decoder *d = &self->decoder;
    struct rows *r = self->rows ? self->rows : rows_new(self);

    if (!r)
        return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "events");
    orma_ctf_decoder_begin(self, p, (uint64_t)(item->data - p->begin) * 8 + item->len - 1);
    if (self->is_kernel)
        return orma_ctf_kernel_event(self, item, p, c, d);
    ORMA_MODEL_ARGS(args, file->imp->model);
    orma_ctf_want_args(d, self, args);
    struct orma_ctf_event *e = orma_ctf_next_event(self, c, d);
    if (e)
        orma_ctf_decode(d, e->fields);
    if (!e || d->failed)
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, ORMA_CTF_TOO_LONG);
    if (!e->is_known)
        know(self, e);
    if (e->loglevel >= 0)
        orma_args_put_int(args, orma_model_lit(file->imp->model, "loglevel"), e->loglevel);
    const struct whose w =
        whose(self, r, d,
              orma_ctf_has_role(d, ORMA_CTF_CPU) && d->roles[ORMA_CTF_CPU] <= INT32_MAX
                  ? (int32_t)d->roles[ORMA_CTF_CPU]
                  : p->cpu);
    return program_event(self, r, item->ts, e, &w, args);
}
