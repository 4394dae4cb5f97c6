/* The C API: one storage, one import, one SQL engine. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/api/archived.h"
#include "processor/api/cached.h"
#include "processor/api/folder.h"
#include "processor/api/processor_impl.h"
#include "processor/api/state.h"
#include "processor/api/symbolize.h"
#include "processor/import/core/file.h"
#include "processor/metrics/metrics.h"
#include "processor/processor.h"
#include "processor/sql/engine.h"
#include "processor/sql/tables/derived.h"
#include "processor/store/spill.h"
#include "processor/threads/crew.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/plain_locale.h"

/* The progress function is called after this much input. */
#define PROGRESS_STEP ((size_t)4 << 20)
/* What it takes to parse what waits, about: an image spares that, too. */
#define LATE_NS_PER_BYTE 50

static ORMA_PRINTF(3, 4) int fail(struct orma_processor *self, int error, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(self->error, sizeof(self->error), fmt, args);
    va_end(args);
    return error;
}

/* Callers may have a header that is older, or newer as long as they set nothing of what it brought.
 */
static bool read_config(const struct orma_processor_config *config,
                        struct orma_processor_config *ret)
{
    const char *bytes = (const char *)config;

    if (config->size < sizeof(config->size))
        return false;
    for (size_t i = sizeof(*ret); i < config->size; i++) {
        if (bytes[i])
            return false;
    }
    memcpy(ret, config, ORMA_MIN(config->size, sizeof(*ret)));
    return true;
}

/* Of queries, and where files begin to be used; loads are refused for what the configuration says
 * alone. 0: what the machine has. */
static uint64_t memory_limit_of(const struct orma_processor_config *given)
{
    const char *text = getenv(ORMA_SPILL_VARIABLE);
    uint64_t bytes;

    if (given->memory_limit_bytes)
        return given->memory_limit_bytes;
    return text && orma_str_parse_size(text, &bytes) ? bytes : 0;
}

/* Number of threads; 0: nobody said. */
static unsigned threads_of(const struct orma_processor_config *given)
{
    return given->threads ? given->threads : orma_crew_from_environment();
}

int orma_processor_new_of(const struct orma_processor_config *config,
                          const struct orma_processor_parts *parts, struct orma_processor **ret)
{
    ORMA_WITH_PLAIN_LOCALE;
    struct orma_processor_config given = {0};

    if (config && !read_config(config, &given))
        return -EINVAL;
    if (given.threads > ORMA_CREW_THREADS_MAX)
        return -EINVAL;
    const unsigned threads = threads_of(&given);
    struct orma_processor *self = calloc(1, sizeof(*self));
    if (!self)
        return -ENOMEM;
    self->error_offset = -1;
    const struct orma_import_options options = {
        .no_ftrace_raw = given.no_ftrace_raw,
        .crop_track_events = given.crop_track_events,
        .analyze_content = given.analyze_content,
    };
    self->options = (given.full_sort ? ORMA_OPTION_FULL_SORT : 0) |
                    (given.no_ftrace_raw ? ORMA_OPTION_NO_FTRACE_RAW : 0) |
                    (given.crop_track_events ? ORMA_OPTION_CROP_TRACK_EVENTS : 0) |
                    (given.analyze_content ? ORMA_OPTION_ANALYZE_CONTENT : 0);
    int r = orma_storage_init(&self->storage);
    if (!r)
        r = orma_import_init(&self->import, &self->storage, parts->importers, &options);
    if (!r) {
        orma_args_log(&self->storage.args);
        r = orma_sql_open(&self->storage, &self->sql);
    }
    if (!r)
        r = orma_metrics_new(self->sql, &self->metrics);
    if (!r && !(self->crew = orma_crew_new(ORMA_MAX(threads, 1u))))
        r = -ENOMEM;
    if (r) {
        orma_processor_free(self);
        return r;
    }
    self->sql->given.export_json = parts->export_json;
    self->sql->given.export_data = self;
    self->import.reader.full_sort = given.full_sort;
    self->sql->crew = self->import.reader.crew = self->crew;
    self->import.reader.sorter.threads = !given.one_thread && orma_crew_cpus() > 1 &&
                                         (!threads || orma_crew_threads(self->crew) > 1);
    self->sql->given.file_access = given.sql_file_access;
    /* More than a century is as good as none, and fits. */
    self->sql->limits.memory.limit_bytes = memory_limit_of(&given);
    self->limited = given.memory_limit_bytes > 0;
    orma_spill_ask(orma_sql_memory_there);
    if (self->sql->limits.memory.limit_bytes)
        orma_spill_limit(self->sql->limits.memory.limit_bytes);
    self->sql->given.time_limit_ns = ORMA_MIN(given.query_timeout_ms, UINT64_C(1) << 42) * 1000000;
    *ret = self;
    return 0;
}

void orma_processor_free(struct orma_processor *self)
{
    if (!self)
        return;
    orma_metrics_free(self->metrics);
    orma_sql_close(self->sql);
    orma_crew_free(self->crew);
    if (self->import.table)
        orma_import_fini(&self->import);
    orma_storage_fini(&self->storage);
    orma_buf_fini(&self->sql_error);
    orma_symbolizer_free(self->symbolizer);
    free(self->proguard_maps);
    orma_mapped_close(self->mapped);
    orma_cached_fini(&self->cached);
    orma_archived_fini(&self->archived);
    free(self);
}

int orma_processor_fail(struct orma_processor *self, int error, const char *text)
{
    orma_buf_clear(&self->sql_error);
    return fail(self, error, "%s", text);
}

struct orma_sql *orma_processor_sql(struct orma_processor *self)
{
    return self->sql;
}

struct orma_metrics *orma_processor_metrics(struct orma_processor *self)
{
    return self->metrics;
}

const char *orma_processor_error(const struct orma_processor *self)
{
    if (self->error[0] || !self->sql_error.len)
        return self->error;
    return orma_buf_cstr((struct orma_buf *)(uintptr_t)&self->sql_error); /* adds a terminator */
}

int orma_processor_error_offset(const struct orma_processor *self)
{
    return self->error_offset;
}

/* ---- loading ---- */

/* The first look, before the first byte, is what the process has anyway. */
static bool is_too_large(struct orma_processor *self)
{
    if (!self->limited || self->size < self->look_at_size)
        return false;
    self->look_at_size = self->size + PROGRESS_STEP;
    return orma_sql_memory_is_out(&self->sql->limits.memory);
}

static int check(struct orma_processor *self)
{
    if (self->storage.failed)
        return fail(self, -ENOMEM, "out of memory");
    if (self->import.reader.error)
        return fail(self, self->import.error_code ? self->import.error_code : -EBADMSG, "%s",
                    self->import.reader.error);
    if (self->interrupted)
        return fail(self, -ECANCELED, "interrupted");
    if (is_too_large(self))
        return fail(self, -ENOMEM, "the trace takes more than the limit of %" PRIu64 " MiB",
                    self->sql->limits.memory.limit_bytes >> 20);
    return 0;
}

/* Before the first byte. */
static int begin(struct orma_processor *self)
{
    if (self->finished)
        return fail(self, -EBUSY, "a trace is already loaded");
    if (self->file)
        return 0;
    self->begun_ns = (int64_t)orma_clock_monotonic();
    self->sql->limits.memory.before_bytes = 0;
    (void)is_too_large(self); /* what was there before */
    self->file = orma_file_new(&self->import, NULL, 0);
    return self->file ? 0 : fail(self, -ENOMEM, "out of memory");
}

/* Bytes that went away or were written over may look like anything: whatever came of them, that is
 * the reason. */
static int check_unchanged(struct orma_processor *self, int r)
{
    if (!self->mapped || !orma_mapped_changed(self->mapped))
        return r;
    return fail(self, -ESTALE,
                "the file was overwritten or truncated while it was read; load it again when "
                "nobody writes to it");
}

static int load_mapped(struct orma_processor *self, orma_progress_fn *progress, void *data)
{
    const uint8_t *map = orma_mapped_data(self->mapped);
    size_t size = orma_mapped_size(self->mapped), pos = 0, goal = 0;
    int ret = begin(self);

    self->import.reader.source.mapped = self->import.reader.sorter.mapped = self->mapped;
    while (!ret && pos < size && goal < size) {
        /* A step ends anywhere: what is not whole is read with the next one. */
        orma_mapped_read_on(self->mapped, goal, ORMA_MIN(size, goal + PROGRESS_STEP));
        goal = ORMA_MIN(size, goal + PROGRESS_STEP);
        self->size = self->file->size = goal;
        pos += orma_file_map(self->file, map + pos, goal - pos, goal == size);
        ret = check_unchanged(self, check(self));
        if (!ret && progress && progress(data, pos, size))
            ret = fail(self, -ECANCELED, "interrupted");
    }
    return ret;
}

/* Before SQL: what has come from the import, or from an image. */
static int data_ready(struct orma_processor *self)
{
    self->finished = true;
    return orma_sql_data_ready(self->sql) < 0
               ? fail(self, -EIO, "%s", orma_sql_error_text(self->sql))
               : 0;
}

/* 1: from an image of before; 0: there is none. */
static int load_cached(struct orma_processor *self, int fd, uint64_t size)
{
    if (self->symbolizer || self->proguard_maps ||
        !orma_cached_open(&self->cached, fd, self->options, &self->storage))
        return 0;
    self->size = size;
    int r = data_ready(self);
    return r ? r : 1;
}

int orma_processor_choose_cache(struct orma_processor *self, const char *setting, bool wait)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf why = {0};
    const int r = orma_cached_choose(&self->cached, setting, wait, &why);

    return r ? fail(self, r, "%s", why.len ? orma_buf_cstr(&why) : strerror(-r)) : 0;
}

int orma_processor_use_cache(struct orma_processor *self, const char *setting)
{
    return orma_processor_choose_cache(self, setting, true);
}

const char *orma_processor_cache_note(struct orma_processor *self)
{
    return orma_buf_cstr(&self->cached.note);
}

int orma_processor_kept(struct orma_processor *self, const char *name)
{
    return orma_cached_open_part(&self->cached, name);
}

void orma_processor_drop_kept(struct orma_processor *self, const char *name)
{
    orma_cached_drop_part(&self->cached, name);
}

int orma_processor_keep(struct orma_processor *self, const char *name, int64_t took_ns,
                        int (*write)(void *ctx, int fd), void *ctx, uint64_t bytes)
{
    return orma_cached_keep_part(&self->cached, name, took_ns,
                                 &(struct orma_cache_writer){write, ctx, bytes});
}

/* A pipe, or what is read whole before it is looked at: piece by piece. */
static int load_stream(struct orma_processor *self, int fd)
{
    uint8_t piece[65536];
    ssize_t n;
    int r = 0;

    while (!r && (n = read(fd, piece, sizeof(piece))) > 0)
        r = orma_processor_feed(self, piece, (size_t)n);
    if (!r && n < 0)
        r = fail(self, -errno, "%s", strerror(errno));
    return r ? r : orma_processor_finish(self);
}

static int load_whole(struct orma_processor *self, int fd, orma_progress_fn *progress, void *data)
{
    int r = orma_mapped_open(fd, &self->mapped);

    if (r)
        return fail(self, r, "%s", strerror(-r));
    r = load_mapped(self, progress, data);
    return r ? r : orma_processor_finish(self);
}

/* A folder that is a trace, or has some in it. It is not cached: what it holds has no identity of
 * its own. */
static int load_folder(struct orma_processor *self, int dir, orma_progress_fn *progress, void *data)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf why = {0};
    ORMA_AUTO(orma_fd_close) int fd = orma_folder_pack(dir, &why);

    if (fd >= 0)
        return load_whole(self, fd, progress, data);
    if (fd != -ENOENT)
        return fail(self, fd, "%s", orma_buf_cstr(&why));
    return fail(self, -EISDIR, "%s", strerror(EISDIR));
}

int orma_processor_load_file(struct orma_processor *self, const char *path,
                             orma_progress_fn *progress, void *data)
{
    ORMA_WITH_PLAIN_LOCALE;
    ORMA_AUTO(orma_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (self->finished || self->size)
        return fail(self, -EBUSY, "a trace is already loaded");
    if (fd < 0 || fstat(fd, &st) < 0)
        return fail(self, -errno, "%s", strerror(errno));
    self->sql->given.input_dev = st.st_dev;
    self->sql->given.input_ino = st.st_ino;
    if (S_ISDIR(st.st_mode))
        return load_folder(self, fd, progress, data);
    if (!S_ISREG(st.st_mode))
        return load_stream(self, fd);
    if (!st.st_size) /* a trace of no packets */
        return orma_processor_finish(self);
    if (orma_archived_is(fd)) {
        (void)orma_buf_reserve(&self->archived.bytes, (size_t)st.st_size); /* else it grows */
        return load_stream(self, fd);
    }
    int r = load_cached(self, fd, (uint64_t)st.st_size);
    if (r)
        return r < 0 ? r : 0;
    r = load_whole(self, fd, progress, data);
    const struct orma_processor_damage damage = orma_processor_damage(self);
    if (!r)
        orma_cached_write(&self->cached, &self->storage, &damage,
                          (int64_t)orma_clock_monotonic() - self->begun_ns +
                              (int64_t)(self->storage.late.bytes * LATE_NS_PER_BYTE));
    return r;
}

/* Bytes that are not those of an archive. */
static int feed_file(struct orma_processor *self, const void *data, size_t len)
{
    int r = begin(self);

    if (r)
        return r;
    orma_file_feed(self->file, data, len);
    return check(self);
}

/* What was kept until it was clear that it is none. */
static int feed_kept(struct orma_processor *self)
{
    struct orma_buf kept = self->archived.bytes;
    int r = 0;

    self->archived.bytes = (struct orma_buf){0};
    if (kept.len)
        r = feed_file(self, kept.data, kept.len);
    orma_buf_fini(&kept);
    return r;
}

int orma_processor_feed(struct orma_processor *self, const void *data, size_t len)
{
    ORMA_WITH_PLAIN_LOCALE;
    if (self->finished)
        return fail(self, -EBUSY, "a trace is already loaded");
    if (orma_archived_feed(&self->archived, data, len) != ORMA_ARCHIVED_NONE) {
        self->size += len;
        return self->archived.bytes.failed ? fail(self, -ENOMEM, "out of memory") : check(self);
    }
    int r = feed_kept(self);
    self->size += len;
    return r ? r : feed_file(self, data, len);
}

static int load_archive(struct orma_processor *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf why = {0};
    const struct orma_buf *bytes = &self->archived.bytes;
    int r = orma_archived_read(&self->storage, bytes->data, bytes->len, self->options,
                               &self->archived.facts, &why);

    if (r)
        return fail(self, r, "%s", why.failed ? strerror(ENOMEM) : orma_buf_cstr(&why));
    self->archived.loaded = true;
    self->size = self->archived.facts.size;
    return data_ready(self);
}

int orma_processor_write_archive(struct orma_processor *self, int fd, struct orma_buf *error)
{
    const struct orma_archived_facts facts = {
        .size = self->size,
        .options = self->archived.loaded ? self->archived.facts.options : self->options,
        .damage = orma_processor_damage(self),
    };

    if (!self->finished) {
        orma_buf_put_str(error, "no trace is loaded");
        return -EINVAL;
    }
    if (orma_derived_any(self->sql)) {
        orma_buf_put_str(
            error,
            "queries have added events to the trace: reset the session first, which removes them");
        return -EBUSY;
    }
    int r = orma_archived_write(&self->storage, &facts, fd);
    if (r == -ESTALE)
        orma_buf_put_str(error, "the trace file has changed since it was loaded");
    else if (r)
        orma_buf_put_str(error, strerror(-r));
    return r;
}

/* A copy instead of what was there. False when memory is out. */
static bool set_text(char **at, const char *text)
{
    free(*at);
    *at = text ? strdup(text) : NULL;
    return *at || !text;
}

void orma_processor_protect(struct orma_processor *self, const char *(*is_input)(const char *path))
{
    self->sql->given.is_input = is_input;
}

int orma_processor_set_symbols(struct orma_processor *self,
                               const struct orma_processor_symbols *symbols)
{
    enum orma_symbolizer_mode mode;

    if (!orma_symbolizer_mode_of(symbols->mode, &mode))
        return fail(self, -EINVAL, "unknown way to find binaries '%s': find or index",
                    symbols->mode);
    orma_symbolizer_free(ORMA_STEAL(self->symbolizer));
    if (!set_text(&self->proguard_maps, symbols->proguard_maps) ||
        !set_text(&self->sql->given.binary_paths, symbols->binary_paths) ||
        !set_text(&self->sql->given.binary_mode, symbols->mode))
        return fail(self, -ENOMEM, "out of memory");
    int r = symbols->binary_paths || symbols->this_machine
                ? orma_symbolizer_new(symbols->binary_paths, mode, &self->symbolizer)
                : 0;
    if (r == -ENOTSUP)
        return fail(self, r, "this build cannot read binaries: it was built without libdw");
    self->names = symbols->names;
    self->unchanged_since_ns = symbols->binary_paths ? 0 : symbols->unchanged_since_ns;
    if (r == 0 && self->symbolizer && symbols->servers) {
        r = orma_symbolizer_set_servers(self->symbolizer, symbols->servers);
        if (r == -ENOTSUP)
            return fail(self, r, "cannot ask debuginfod servers: install libdebuginfod1");
    }
    return r < 0 ? fail(self, r, "%s", strerror(-r)) : 0;
}

static int apply_packets(void *data, struct orma_buf *packets)
{
    struct orma_processor *self = data;

    orma_symbolize_apply(&self->import, packets);
    if (self->names.put)
        self->names.put(self->names.data, packets->data, packets->len);
    return self->interrupted ? -ECANCELED : 0;
}

static void tell_module(void *data, struct orma_str module, struct orma_str build_id,
                        const char *file)
{
    struct orma_processor *self = data;
    char *name = self->names.told ? orma_str_dup(module) : NULL;

    (void)build_id;
    (void)file;
    if (name)
        self->names.told(self->names.data, name);
    free(name);
}

static bool is_of_packets(const struct orma_processor *self)
{
    for (const struct orma_file *f = self->import.files; f; f = f->next) {
        if (f->format == ORMA_FORMAT_PROTO)
            return true;
    }
    return false;
}

static int read_maps(struct orma_processor *self, struct orma_buf *packets)
{
    struct orma_buf error = {0};
    int r = self->proguard_maps && is_of_packets(self)
                ? orma_deobfuscate_packets(self->proguard_maps, packets, &error)
                : 0;

    if (r)
        r = fail(self, r, "%s", error.len ? orma_buf_cstr(&error) : strerror(-r));
    orma_buf_fini(&error);
    return r;
}

static int find_symbols(struct orma_processor *self)
{
    struct orma_symbolize s = {.symbolizer = self->symbolizer,
                               .put = apply_packets,
                               .told = tell_module,
                               .data = self,
                               .unchanged_since_ns = self->unchanged_since_ns};
    int r = 0;

    if (self->symbolizer)
        r = orma_symbolize_storage(&s, &self->storage);
    orma_symbolizer_free(ORMA_STEAL(self->symbolizer)); /* its process has done its work */
    return r ? fail(self, r, "%s", strerror(-r)) : 0;
}

/* The end of the import; names come before anybody can see the tables. */
static int finish_import(struct orma_processor *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf names = {0};
    int r = read_maps(self, &names);

    if (r)
        return r;
    orma_symbolize_announce(&self->import, &names);
    orma_import_finish(&self->import);
    orma_symbolize_apply(&self->import, &names);
    return find_symbols(self);
}

int orma_processor_finish(struct orma_processor *self)
{
    ORMA_WITH_PLAIN_LOCALE;
    if (!self->finished && self->archived.state == ORMA_ARCHIVED_TAKEN)
        return load_archive(self);
    int r = begin(self);

    if (!r)
        r = feed_kept(self);
    if (r)
        return r;
    orma_file_finish(self->file);
    self->look_at_size = 0;
    r = check(self);
    if (!r)
        r = finish_import(self);
    if (r)
        return check_unchanged(self, r);
    orma_stats_set(&self->storage.stats[0], ORMA_STAT_PARSE_TRACE_DURATION_NS,
                   (int64_t)orma_clock_monotonic() - self->begun_ns);
    orma_storage_write_stats(&self->storage, self->import.model.machines_num);
    r = check_unchanged(self, check(self));
    orma_args_log_end(&self->storage.args);
    self->finished = true;
    orma_mapped_let_go_all(self->mapped);
    return r ? r : data_ready(self);
}

struct orma_processor_damage orma_processor_damage(const struct orma_processor *self)
{
    if (self->archived.loaded)
        return self->archived.facts.damage;
    if (self->cached.mapped)
        return orma_cached_damage(&self->cached);
    return (struct orma_processor_damage){
        .places = self->import.model.damage.places,
        .bytes = self->import.model.damage.bytes,
        .first_offset = self->import.model.damage.first,
        .truncated_bytes = self->import.model.damage.truncated,
    };
}

static const char *account_text(const struct orma_processor *self, unsigned column, uint32_t row)
{
    const struct orma_table *t = &self->storage.tables[ORMA_TABLE_IMPORT_ACCOUNT];

    return orma_strpool_cstr(&self->storage.pool, (uint32_t)orma_table_int(t, column, row));
}

static const char *unread(const struct orma_processor *self, uint32_t n, bool stats)
{
    const struct orma_table *t = &self->storage.tables[ORMA_TABLE_IMPORT_ACCOUNT];

    for (uint32_t row = 0; row < t->rows; row++) {
        if (orma_table_is_null(t, ORMA_IMPORT_ACCOUNT_MESSAGE, row) ||
            (!stats && !strcmp(account_text(self, ORMA_IMPORT_ACCOUNT_UNIT, row), "statistic")))
            continue;
        if (n-- == 0)
            return account_text(self, ORMA_IMPORT_ACCOUNT_MESSAGE, row);
    }
    return NULL;
}

const char *orma_processor_unread(const struct orma_processor *self, uint32_t n)
{
    return unread(self, n, true);
}

uint32_t orma_processor_unread_num(const struct orma_processor *self)
{
    const struct orma_table *t = &self->storage.tables[ORMA_TABLE_IMPORT_ACCOUNT];
    uint32_t num = 0;

    for (uint32_t row = 0; row < t->rows; row++)
        num += !orma_table_is_null(t, ORMA_IMPORT_ACCOUNT_MESSAGE, row);
    return num;
}

const char *orma_processor_unread_unit(const struct orma_processor *self, uint32_t n)
{
    return unread(self, n, false);
}

uint64_t orma_processor_edges(const struct orma_processor *self)
{
    const struct orma_table *t = &self->storage.tables[ORMA_TABLE_IMPORT_ACCOUNT];
    const char *edge = orma_account_reason_names[ORMA_ACCOUNT_NOT_ASKED];
    uint64_t units = 0;

    for (uint32_t row = 0; row < t->rows; row++) {
        uint32_t reason = (uint32_t)orma_table_int(t, ORMA_IMPORT_ACCOUNT_REASON, row);

        if (!strcmp(orma_strpool_cstr(&self->storage.pool, reason), edge))
            units += (uint64_t)orma_table_int(t, ORMA_IMPORT_ACCOUNT_COUNT, row);
    }
    return units;
}

void orma_processor_interrupt(struct orma_processor *self)
{
    self->interrupted = true;
    orma_sql_interrupt(self->sql);
}

void orma_processor_ask_to_stop(struct orma_processor *self, orma_stop_fn *should_stop, void *data)
{
    self->sql->given.should_stop = should_stop;
    self->sql->given.should_stop_data = data;
}

/* ---- statistics ---- */

bool orma_processor_stat(const struct orma_processor *self, uint32_t n,
                         struct orma_processor_stat *ret)
{
    const struct orma_table *t = &self->storage.tables[ORMA_TABLE_STATS];

    /* What waits counts, too. If it can't be had, the queries for it say so. */
    if (t->waits)
        (void)orma_storage_settle_all((struct orma_storage *)(uintptr_t)&self->storage);
    if (t->waits || n >= t->rows)
        return false;
    uint64_t key = (uint64_t)orma_table_int(t, ORMA_STATS_KEY, n);
    if (key >= ORMA_STATS_NUM)
        return false; /* of an image that was tampered with */
    const struct orma_stat_def *def = &orma_stat_defs[key];
    *ret = (struct orma_processor_stat){
        .name = def->name,
        .indexed = def->kind == ORMA_STAT_INDEXED,
        .idx = orma_table_int(t, ORMA_STATS_IDX, n),
        .severity = orma_severity_names[def->severity],
        .source = orma_stat_source_names[def->source],
        .value = orma_table_int(t, ORMA_STATS_VALUE, n),
    };
    return true;
}

uint64_t orma_processor_size(const struct orma_processor *self)
{
    return self->size;
}

int orma_symbolize_processor(struct orma_symbolize *self, struct orma_processor *tp)
{
    return orma_symbolize_storage(self, orma_processor_sql(tp)->storage);
}
