/* CTF: the metadata as text, clocks, and what is said of the machine. */
#include "processor/import/formats/ctf.h"

#include <errno.h>

#include "processor/import/core/ports.h"
#include "processor/import/formats/formats.h"

#define PACKET_MAGIC 0x75d11d57
#define PACKET_HEAD 37
/* Places in it. */
#define CONTENT_AT 24
#define PACKET_AT 28
#define SCHEMES_AT 32 /* compression, encryption, checksum */
#define MAJOR_AT 35

/* ---- metadata ---- */

static uint32_t number_at(const uint8_t *at, bool big)
{
    uint32_t val = 0;

    for (unsigned i = 0; i < 4; i++)
        val = val << 8 | at[big ? i : 3 - i];
    return val;
}

/* Text in packets, one behind the other. */
static bool join_packets(struct orma_ctf *self, const uint8_t *data, size_t len)
{
    const bool big = number_at(data, true) == PACKET_MAGIC;

    while (len) {
        if (len < PACKET_HEAD || number_at(data, big) != PACKET_MAGIC) {
            orma_ctf_fail(self, 0, "a packet of the metadata is malformed");
            return false;
        }
        const uint64_t content = number_at(data + CONTENT_AT, big) / 8,
                       size = number_at(data + PACKET_AT, big) / 8;
        if (data[SCHEMES_AT] || data[SCHEMES_AT + 1] || data[SCHEMES_AT + 2]) {
            orma_ctf_fail(self, 0, "packets of the metadata are compressed, encrypted or summed");
            return false;
        }
        if (size < PACKET_HEAD || size > len || content > size) {
            orma_ctf_fail(self, 0, "a packet of the metadata has an impossible size");
            return false;
        }
        if (content > PACKET_HEAD)
            orma_buf_put(&self->joined, data + PACKET_HEAD, (size_t)content - PACKET_HEAD);
        data += size;
        len -= (size_t)size;
    }
    if (self->joined.failed)
        orma_ctf_no_memory(self);
    self->text = orma_buf_str(&self->joined);
    return !self->joined.failed;
}

static bool read_metadata(struct orma_ctf *self, const uint8_t *data, size_t len)
{
    self->text = (struct orma_str){(const char *)data, len};
    if (len >= 4 &&
        (number_at(data, true) == PACKET_MAGIC || number_at(data, false) == PACKET_MAGIC) &&
        !join_packets(self, data, len))
        return false;
    self->is_2 = self->text.len && (*self->text.data == 0x1e || *self->text.data == '{');
    return self->is_2 ? orma_ctf_read_json(self) : orma_ctf_read_tsdl(self);
}

/* ---- clocks ---- */

static bool holds(struct orma_str text, const char *what)
{
    return orma_str_find(text, orma_str_from(what)) != NULL;
}

static bool is_monotonic(const struct orma_ctf *self, const struct orma_ctf_clock *clock)
{
    return self->is_lttng || orma_str_eq_c(clock->name, "monotonic") ||
           holds(clock->description, "onotonic");
}

/* The same clock in another trace of the archive: its offset counts for both. */
static bool is_told(const struct orma_ctf *self, const struct orma_ctf_clock *clock)
{
    const struct orma_file *file = self->file;

    for (const struct orma_file *f = file->import->files; f; f = f->next) {
        const struct orma_ctf *other = f->state;

        if (f == file || f->ops != file->ops || f->machine != file->machine || !other ||
            other->clock_kind != ORMA_CLOCK_MONOTONIC)
            continue;
        for (uint32_t i = 0; i < other->clocks.len; i++)
            if (clock->uuid.len && orma_str_eq(other->clocks.data[i].uuid, clock->uuid))
                return true;
    }
    return false;
}

/* The clock of the first stream that has one is that of the file. */
static void set_clock(struct orma_ctf *self)
{
    const struct orma_ctf_clock *clock = NULL;
    const struct orma_ctf_stream_class *class = NULL;
    int64_t offset = 0;

    for (uint32_t i = 0; i < self->classes.len && !clock; i++)
        if (self->classes.data[i].clock_idx != ORMA_CTF_NOTHING) {
            class = &self->classes.data[i];
            clock = &self->clocks.data[class->clock_idx];
        }
    self->clock_kind = ORMA_CLOCK_TRACE_FILE;
    if (clock && (!orma_ctf_time(self, class, 0, &offset) || offset))
        self->clock_kind = ORMA_CLOCK_REALTIME;
    if (clock && is_monotonic(self, clock))
        self->clock_kind = ORMA_CLOCK_MONOTONIC;
    orma_file_set_clock(self->file, self->clock_kind);
    if (self->clock_kind != ORMA_CLOCK_MONOTONIC || offset <= 0)
        return;
    self->base_ns = offset;
    if (is_told(self, clock))
        return;
    const struct orma_clock_value pair[] = {{ORMA_CLOCK_MONOTONIC, 1, 1, false},
                                            {ORMA_CLOCK_REALTIME, offset + 1, 1, false}};
    orma_port_clock_snapshot(self->file->imp, self->file->machine, NULL, pair, ORMA_ARRAY_LEN(pair),
                             0);
}

/* ---- what is said of the machine ---- */

static void note_text(struct orma_ctf *self, const char *env, const char *key,
                      enum orma_metadata_scope scope)
{
    struct orma_model *m = self->file->imp->model;
    const struct orma_str text = orma_ctf_env_text(self, env);

    if (text.len)
        orma_metadata_str(m, key, false, scope,
                          scope == ORMA_METADATA_MACHINE ? self->file->machine : 0,
                          orma_model_str(m, text));
}

static int64_t env_number(const struct orma_ctf *self, const char *name)
{
    const struct orma_ctf_env *env = orma_ctf_env(self, name);

    return env && !env->text.data ? env->number : 0;
}

static void note_env(struct orma_ctf *self)
{
    struct orma_model *m = self->file->imp->model;
    const struct orma_str tracer = orma_ctf_env_text(self, "tracer_name");

    note_text(self, "sysname", "system_name", ORMA_METADATA_MACHINE);
    note_text(self, "kernel_release", "system_release", ORMA_METADATA_MACHINE);
    note_text(self, "release", "system_release", ORMA_METADATA_MACHINE);
    note_text(self, "kernel_version", "system_version", ORMA_METADATA_MACHINE);
    note_text(self, "machine", "system_machine", ORMA_METADATA_MACHINE);
    note_text(self, "hostname", "ctf_hostname", ORMA_METADATA_TRACE);
    note_text(self, "host", "ctf_hostname", ORMA_METADATA_TRACE);
    note_text(self, "trace_name", "ctf_trace_name", ORMA_METADATA_TRACE);
    if (tracer.len)
        orma_metadata_str(m, "tracing_tool", false, ORMA_METADATA_TRACE, 0,
                          !orma_ctf_env(self, "tracer_major")
                              ? orma_model_str(m, tracer)
                              : orma_strpool_addf(&m->storage->pool, "%.*s %lld.%lld",
                                                  (int)ORMA_MIN(tracer.len, (size_t)100),
                                                  tracer.data,
                                                  (long long)env_number(self, "tracer_major"),
                                                  (long long)env_number(self, "tracer_minor")));
}

/* ---- all ---- */

static size_t ctf_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_ctf *self = file->state;

    (void)at_end; /* it is read once, whole */
    self->file = file;
    if (!file->parts_num) {
        orma_file_error(file, -EBADMSG,
                        "the file 'metadata' of a CTF trace: give the folder, or an archive of it");
        return len;
    }
    bool good = read_metadata(self, data, len);
    self->is_lttng = orma_str_starts(orma_ctf_env_text(self, "tracer_name"), ORMA_STR("lttng"));
    self->is_perf = orma_str_eq_c(orma_ctf_env_text(self, "tracer_name"), "perf");
    self->is_kernel = orma_str_eq_c(orma_ctf_env_text(self, "domain"), "kernel");
    if (good && orma_ctf_lay_out(self)) {
        set_clock(self);
        note_env(self);
        orma_ctf_read_streams(self);
        if (self->is_kernel)
            orma_ctf_kernel_begin(self);
    } else if (!orma_file_failed(file)) {
        orma_file_error(file, -EBADMSG, "the metadata of a CTF trace can't be read: %.*s",
                        ORMA_STR_ARG(self->error));
    }
    return len;
}

static void ctf_fini(struct orma_file *file)
{
    struct orma_ctf *self = file->state;

    if (self->file) {
        orma_ctf_kernel_fini(self);
        orma_ctf_rows_fini(self);
    }
    for (uint32_t i = 0; i < self->classes.len; i++)
        orma_map_fini(&self->classes.data[i].events);
    ORMA_VEC_FINI(&self->clocks);
    ORMA_VEC_FINI(&self->classes);
    ORMA_VEC_FINI(&self->events);
    ORMA_VEC_FINI(&self->env);
    ORMA_VEC_FINI(&self->packets);
    ORMA_VEC_FINI(&self->cpus);
    orma_buf_fini(&self->joined);
    orma_buf_fini(&self->decoder.path);
    orma_buf_fini(&self->decoder.scratch);
    orma_arena_fini(&self->arena);
}

const struct orma_format_ops orma_format_ctf = {
    .state_bytes = sizeof(struct orma_ctf),
    .clock = ORMA_CLOCK_TRACE_FILE,
    .unit = "event",
    .whole = true,
    .read = ctf_read,
    .parse = orma_ctf_parse,
    .fini = ctf_fini,
};
