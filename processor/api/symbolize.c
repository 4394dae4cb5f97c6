/*
 *   frames without symbols ─► by module and address ─► a job for each module
 *       ─► threads with a symbolizer each ─► packets, in the order of the modules
 */
#include "processor/api/symbolize.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/api/processor_impl.h"
#include "processor/import/core/import.h"
#include "processor/store/storage.h"
#include "processor/symbols/kernel.h"
#include "processor/symbols/proguard.h"
#include "processor/threads/crew.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

/* A packet is closed when it is so large; readers hold one in memory. */
#define PACKET_BYTES ((size_t)256 << 10)
/* Threads, and processes that read binaries. The address sanitizer's locks are not for children
 * that a thread forks. */
#if defined(__SANITIZE_ADDRESS__)
#define THREADS_MAX 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define THREADS_MAX 1
#endif
#endif
#ifndef THREADS_MAX
#define THREADS_MAX 4
#endif
#define MAP_BYTES_MAX ((size_t)1 << 30)

/* A place that needs a name. */
struct place {
    uint32_t path, build_id; /* pool ids */
    uint64_t load_bias, pc;
};

static int by_module(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    if (x->build_id != y->build_id)
        return x->build_id < y->build_id ? -1 : 1;
    if (x->load_bias != y->load_bias)
        return x->load_bias < y->load_bias ? -1 : 1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static bool same_module(const struct place *a, const struct place *b)
{
    return a->path == b->path && a->build_id == b->build_id && a->load_bias == b->load_bias;
}

/* ---- what needs names ---- */

/* Nothing but the path says which file it was: so it must have been there all the time. */
static bool is_unchanged(struct orma_str path, uint64_t since_ns)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct stat st;

    if (!path.len || *path.data != '/' || memchr(path.data, '\0', path.len))
        return false;
    orma_buf_put(&text, path.data, path.len);
    return stat(orma_buf_cstr(&text), &st) == 0 && S_ISREG(st.st_mode) &&
           (uint64_t)st.st_ctim.tv_sec * 1000000000u + (uint64_t)st.st_ctim.tv_nsec < since_ns;
}

static void collect(const struct orma_storage *st, uint64_t since_ns, struct orma_buf *places)
{
    const struct orma_table *frames = &st->tables[ORMA_TABLE_STACK_PROFILE_FRAME];
    const struct orma_table *mappings = &st->tables[ORMA_TABLE_STACK_PROFILE_MAPPING];

    for (uint32_t i = 0; i < frames->rows; i++) {
        uint32_t m = (uint32_t)orma_table_int(frames, ORMA_STACK_PROFILE_FRAME_MAPPING, i);

        if (m >= mappings->rows ||
            !orma_table_is_null(frames, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, i))
            continue;
        uint32_t path = (uint32_t)orma_table_int(mappings, ORMA_STACK_PROFILE_MAPPING_NAME, m);
        bool kernel = orma_lookup_kernel_is(orma_strpool_get(&st->pool, path));
        const struct place p = {
            .path = path,
            .build_id = (uint32_t)orma_table_int(mappings, ORMA_STACK_PROFILE_MAPPING_BUILD_ID, m),
            .load_bias = (uint64_t)orma_table_int(mappings,
                                                  kernel ? ORMA_STACK_PROFILE_MAPPING_EXACT_OFFSET
                                                         : ORMA_STACK_PROFILE_MAPPING_LOAD_BIAS,
                                                  m),
            .pc = (uint64_t)orma_table_int(frames, ORMA_STACK_PROFILE_FRAME_REL_PC, i),
        };
        if (since_ns || orma_strpool_get(&st->pool, p.build_id).len)
            orma_buf_put(places, &p, sizeof(p));
    }
}

/* ---- packets ---- */

static void put_build_id(struct orma_buf *out, struct orma_str hex)
{
    uint8_t bytes[ORMA_BUILD_ID_MAX];
    size_t len = 0;

    for (size_t i = 0; i + 1 < hex.len && len < sizeof(bytes); i += 2) {
        char pair[3] = {hex.data[i], hex.data[i + 1], 0};

        bytes[len++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    orma_pb_put_bytes(out, ORMA_PB_MODULE_SYMBOLS_BUILD_ID, bytes, len);
}

static void put_address(struct orma_buf *out, uint64_t pc, const struct orma_source_frame *frames,
                        size_t num)
{
    size_t address = orma_pb_begin(out, ORMA_PB_MODULE_SYMBOLS_ADDRESS_SYMBOLS);

    orma_pb_put_u64(out, ORMA_PB_ADDRESS_SYMBOLS_ADDRESS, pc);
    for (size_t i = 0; i < num; i++) {
        size_t line = orma_pb_begin(out, ORMA_PB_ADDRESS_SYMBOLS_LINES);

        orma_pb_put_cstr(out, ORMA_PB_LINE_FUNCTION_NAME, frames[i].function);
        if (*frames[i].file)
            orma_pb_put_cstr(out, ORMA_PB_LINE_SOURCE_FILE_NAME, frames[i].file);
        if (frames[i].line)
            orma_pb_put_u64(out, ORMA_PB_LINE_LINE_NUMBER, frames[i].line);
        orma_pb_end(out, line);
    }
    orma_pb_end(out, address);
}

/* ---- one module ---- */

/* What is to be done for it, and what came of that. */
struct job {
    struct orma_symbolizer_module module; /* its texts are the pool's, which never move */
    const struct place *places;
    size_t num;
    bool hopeless; /* there is no file for it, and nobody is asked */

    struct orma_buf packets;
    struct orma_buf file; /* of its symbols; empty: none was found */
    uint64_t named;
    bool failed; /* no memory */
};

ORMA_VEC_STRUCT(jobs, struct job);

/* A packet that is being written. */
struct writer {
    struct orma_buf *out;
    size_t packet, symbols;
    bool open;
};

static void open_packet(struct writer *w, const struct orma_symbolizer_module *m)
{
    w->packet = orma_pb_begin(w->out, ORMA_PB_TRACE_PACKET);
    w->symbols = orma_pb_begin(w->out, ORMA_PB_TRACE_PACKET_MODULE_SYMBOLS);
    orma_pb_put_str(w->out, ORMA_PB_MODULE_SYMBOLS_PATH, m->path);
    put_build_id(w->out, m->build_id);
    w->open = true;
}

static void close_packet(struct writer *w)
{
    if (!w->open)
        return;
    w->open = false;
    orma_pb_end(w->out, w->symbols);
    orma_pb_end(w->out, w->packet);
}

static void work_on(struct orma_symbolizer *symbolizer, struct job *job, const atomic_bool *stop)
{
    struct orma_source_frame frames[ORMA_SOURCE_FRAMES_MAX];
    struct writer w = {.out = &job->packets};
    const char *file = job->hopeless ? NULL : orma_symbolizer_file(symbolizer, &job->module);
    size_t begin = 0;

    if (file)
        orma_buf_put_str(&job->file, file);
    for (size_t i = 0; file && i < job->num && !atomic_load_explicit(stop, memory_order_relaxed);
         i++) {
        if (i && job->places[i].pc == job->places[i - 1].pc)
            continue;
        size_t found = orma_symbolizer_frames(symbolizer, &job->module, job->places[i].pc, frames);
        if (!found)
            continue;
        job->named++;
        if (!w.open) {
            begin = w.out->len;
            open_packet(&w, &job->module);
        }
        put_address(w.out, job->places[i].pc, frames, found);
        if (w.out->len - begin >= PACKET_BYTES)
            close_packet(&w);
    }
    close_packet(&w);
    job->failed = job->packets.failed || job->file.failed;
}

/* ---- all of them ---- */

/*
 * Reading the debug information of a binary is what takes long, and each thread has a process that
 * does it. A module is one thread's: two would read the same twice.
 */
struct work {
    struct orma_symbolize *of;
    struct jobs jobs;
    struct orma_symbolizer *symbolizers[THREADS_MAX]; /* by thread */
    unsigned num;                                     /* 0: all is done with that of the caller */
    atomic_bool stop;
    int result;
};

/* One for each thread. */
static void share(struct work *w)
{
    size_t wanted = 0;

    for (size_t i = 0; i < w->jobs.len; i++)
        wanted += !w->jobs.data[i].hopeless;
    wanted = ORMA_MIN(ORMA_MIN(wanted, (size_t)orma_crew_cpus()), (size_t)THREADS_MAX);
    for (; wanted > 1 && w->num < wanted; w->num++) { /* all processes before the first thread */
        if (orma_symbolizer_share(w->of->symbolizer, &w->symbolizers[w->num]) < 0)
            break;
        orma_symbolizer_start(w->symbolizers[w->num]);
    }
}

static int hand_over(struct orma_symbolize *self, struct job *job)
{
    const char *file = job->file.len ? orma_buf_cstr(&job->file) : NULL;

    self->result.modules++;
    self->result.modules_found += file != NULL;
    self->result.frames_named += job->named;
    if (job->failed)
        return -ENOMEM;
    if (self->told)
        self->told(self->data, job->module.path, job->module.build_id, file);
    return job->packets.len ? self->put(self->data, &job->packets) : 0;
}

static bool make_packets(void *data, size_t piece, unsigned thread)
{
    struct work *w = data;

    work_on(w->num ? w->symbolizers[thread] : w->of->symbolizer, &w->jobs.data[piece], &w->stop);
    return true;
}

static bool take_packets(void *data, size_t piece)
{
    struct work *w = data;

    w->result = hand_over(w->of, &w->jobs.data[piece]);
    orma_buf_fini(&w->jobs.data[piece].packets);
    if (w->result)
        atomic_store_explicit(&w->stop, true,
                              memory_order_relaxed); /* nothing else is told by it */
    return !w->result;
}

static int run_all(struct work *w)
{
    struct orma_symbolize_result *result = &w->of->result;

    share(w);
    struct orma_crew *crew = w->num ? orma_crew_new(w->num) : NULL;
    (void)orma_crew_run(
        crew, &(struct orma_crew_job){
                  .work = make_packets, .take = take_packets, .data = w, .pieces = w->jobs.len});
    orma_crew_free(crew);
    result->modules_broken = orma_symbolizer_broken(w->of->symbolizer);
    for (unsigned i = 0; i < w->num; i++) {
        result->modules_broken += orma_symbolizer_broken(w->symbolizers[i]);
        orma_symbolizer_free(w->symbolizers[i]);
    }
    return w->result;
}

/* Places in order, by module. */
static int make_jobs(const struct orma_symbolize *self, const struct orma_storage *st,
                     const struct place *places, size_t num, struct jobs *ret)
{
    for (size_t i = 0, end; i < num; i = end) {
        for (end = i + 1; end < num && same_module(&places[end], &places[i]);)
            end++;
        struct job job = {.module = {orma_strpool_get(&st->pool, places[i].path),
                                     orma_strpool_get(&st->pool, places[i].build_id),
                                     places[i].load_bias},
                          .places = &places[i],
                          .num = end - i};
        if (!job.module.build_id.len && !is_unchanged(job.module.path, self->unchanged_since_ns))
            continue;
        job.hopeless = !orma_symbolizer_may_find(self->symbolizer, &job.module);
        if (ORMA_VEC_PUSH(ret, job))
            return -ENOMEM;
    }
    return 0;
}

int orma_symbolize_storage(struct orma_symbolize *self, const struct orma_storage *storage)
{
    struct work work = {.of = self};
    struct orma_buf buf = {0};

    self->result = (struct orma_symbolize_result){0};
    collect(storage, self->unchanged_since_ns, &buf);
    struct place *places = (struct place *)(void *)buf.data;
    size_t num = buf.len / sizeof(*places);
    if (num)
        qsort(places, num, sizeof(*places), by_module);
    for (size_t i = 0; i < num; i++)
        self->result.frames += !i || by_module(&places[i], &places[i - 1]) != 0;
    int r = buf.failed ? -ENOMEM : make_jobs(self, storage, places, num, &work.jobs);
    if (r == 0)
        r = run_all(&work);
    for (size_t i = 0; i < work.jobs.len; i++) {
        struct job *job = &work.jobs.data[i];

        orma_buf_fini(&job->packets);
        orma_buf_fini(&job->file);
    }
    ORMA_VEC_FINI(&work.jobs);
    orma_buf_fini(&buf);
    return r;
}

/* ---- short names ---- */

int orma_deobfuscate_file(const char *map, struct orma_buf *out, struct orma_buf *error)
{
    const char *equals = strchr(map, '='), *path = equals ? equals + 1 : map;
    struct orma_str package = {map, equals ? (size_t)(equals - map) : 0};
    struct orma_buf text = {0};
    unsigned line = 0;
    int r = orma_fd_read_file(AT_FDCWD, path, MAP_BYTES_MAX, &text);

    if (r < 0 && error)
        orma_buf_printf(error, "%s: %s", path, strerror(-r));
    if (r == 0) {
        r = orma_proguard_packets(orma_buf_str(&text), package, out, &line);
        if (r == -EBADMSG && error)
            orma_buf_printf(error, "%s:%u: not a line of a ProGuard mapping", path, line);
        else if (r < 0 && error)
            orma_buf_printf(error, "%s: %s", path, strerror(-r));
    }
    orma_buf_fini(&text);
    return r;
}

int orma_deobfuscate_packets(const char *maps, struct orma_buf *out, struct orma_buf *error)
{
    char *list = strdup(maps), *rest = list, *map;
    int r = list ? 0 : -ENOMEM;

    while (r == 0 && (map = strsep(&rest, ":"))) {
        if (*map)
            r = orma_deobfuscate_file(map, out, error);
    }
    free(list);
    return r;
}

/* ---- into the tables ---- */

static void frames_and_symbols(struct orma_import *imp, const struct orma_pb_field *f)
{
    if (f->id == ORMA_PB_TRACE_PACKET_MODULE_SYMBOLS)
        imp->ports.profile.symbols(imp->ports.profile.module, 0, orma_pb_str(f));
    else if (f->id == ORMA_PB_TRACE_PACKET_DEOBFUSCATION_MAPPING)
        imp->ports.profile.deobfuscate(imp->ports.profile.module, orma_pb_str(f));
}

static void heap_graphs(struct orma_import *imp, const struct orma_pb_field *f)
{
    if (f->id == ORMA_PB_TRACE_PACKET_DEOBFUSCATION_MAPPING)
        imp->ports.profile.heap_names(imp->ports.profile.module, orma_pb_str(f));
}

static void each_field(struct orma_import *imp, const struct orma_buf *packets,
                       void (*take)(struct orma_import *, const struct orma_pb_field *))
{
    struct orma_pb_reader r = orma_pb_reader(packets->data, packets->len);
    struct orma_pb_field packet, f;

    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader sub = orma_pb_sub(&packet);

        while (packet.id == ORMA_PB_TRACE_PACKET && orma_pb_next(&sub, &f))
            take(imp, &f);
    }
}

void orma_symbolize_announce(struct orma_import *imp, const struct orma_buf *packets)
{
    each_field(imp, packets, heap_graphs);
}

void orma_symbolize_apply(struct orma_import *imp, const struct orma_buf *packets)
{
    each_field(imp, packets, frames_and_symbols);
}
