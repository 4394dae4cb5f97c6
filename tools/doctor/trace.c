/*
 * What a trace counts: losses by buffer, cpu and program, and the sizes that would have held what
 * was measured.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "processor/processor.h"
#include "tools/base/units.h"
#include "tools/doctor/doctor.h"
#include "tools/doctor/sizes.h"
#include "tools/load/loss.h"

#define KERNEL_MAX_KB 65536
#define MEMORY_KB 8192 /* shared memory of a program that lost something */
#define MEMORY_MAX_KB 32768
#define NAMES_MAX 4     /* programs that are given more memory since one of them needs it */
#define CHUNK_MAX_KB 64 /* a buffer below this may be smaller than a chunk */
#define BLOCK_MAX ((uint64_t)1 << 20)
#define FILE_SHARE 8 /* a file is full if less than this part of it is left */

struct buffer {
    uint32_t idx;
    uint64_t size, written, overwritten; /* bytes */
    uint64_t delivered, aged, discarded; /* packets, or chunks where there is no ledger */
    bool discards;                       /* its policy */
};

struct look {
    struct orma_doctor *doctor;
    struct orma_processor *tp;
    struct orma_ledger loss;
    uint64_t span_ns;
    struct orma_doctor_rates rates;
    const char *path; /* of the trace, or NULL */
    bool streams, told, overtaken;
};

static uint64_t number(const struct look *l, const char *fmt, ...) ORMA_PRINTF(2, 3);
static uint64_t number(const struct look *l, const char *fmt, ...)
{
    char sql[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(sql, sizeof(sql), fmt, args); /* all of them are shorter */
    va_end(args);
    int64_t ret = orma_load_number(l->tp, sql);
    return ret > 0 ? (uint64_t)ret : 0;
}

static uint64_t stat_of(const struct look *l, const char *name, uint32_t idx)
{
    return number(l,
                  "SELECT CAST(total(value) AS INTEGER) FROM stats WHERE name = '%s' AND idx = %u",
                  name, idx);
}

static uint64_t packets_of(const struct look *l, const char *reason, uint32_t buffer)
{
    return number(l,
                  "SELECT CAST(total(packets) AS INTEGER) FROM loss WHERE reason = '%s' AND "
                  "buffer = %u",
                  reason, buffer);
}

static struct buffer read_buffer(const struct look *l, uint32_t idx)
{
    const Perfetto__Protos__TraceConfig *c = l->doctor->config;
    struct buffer b = {
        .idx = idx,
        .size = stat_of(l, "traced_buf_buffer_size", idx),
        .written = stat_of(l, "traced_buf_bytes_written", idx),
        .overwritten = stat_of(l, "traced_buf_bytes_overwritten", idx),
    };

    if (l->loss.has_ledger) {
        b.delivered = packets_of(l, "delivered", idx);
        b.aged = packets_of(l, "overwritten", idx);
        b.discarded = packets_of(l, "discarded", idx);
    } else {
        b.delivered = stat_of(l, "traced_buf_chunks_read", idx);
        b.aged = stat_of(l, "traced_buf_chunks_overwritten", idx);
        b.discarded = stat_of(l, "traced_buf_chunks_discarded", idx);
    }
    b.discards = c && idx < c->n_buffers &&
                 c->buffers[idx]->fill_policy ==
                     PERFETTO__PROTOS__TRACE_CONFIG__BUFFER_CONFIG__FILL_POLICY__DISCARD;
    return b;
}

static const char *unit(const struct look *l)
{
    return l->loss.has_ledger ? "packets" : "chunks";
}

static uint64_t rate(const struct look *l, uint64_t bytes)
{
    return l->span_ns ? (uint64_t)((double)bytes * 1e9 / (double)l->span_ns) : 0;
}

static const char *format_rate(const struct look *l, uint64_t bytes, char *ret)
{
    return orma_units_format_size(rate(l, bytes), ret);
}

/* So much that all of it had a place, unless that is more than a buffer should have. */
static void hold_all(struct look *l, struct orma_doctor_finding *f, const struct buffer *b,
                     uint64_t bytes)
{
    uint64_t kb = orma_doctor_round(bytes / 1024 + 1);

    if (kb > ORMA_DOCTOR_BUFFER_MAX_KB)
        orma_doctor_stream(l->doctor, f);
    else
        orma_doctor_grow(l->doctor, f, b->idx, kb);
}

/* ---- central buffers ---- */

static void check_discarded(struct look *l, const struct buffer *b)
{
    char size[ORMA_UNITS_TEXT_MAX], speed[ORMA_UNITS_TEXT_MAX];

    if (!b->discarded || (!b->discards && b->size > CHUNK_MAX_KB * 1024))
        return; /* of a full file, or of a writer that was not announced */
    l->told = true;
    struct orma_doctor_finding *f =
        orma_doctor_find(l->doctor, "buffer_full",
                         "Buffer %u was full: %" PRIu64 " %s were rejected, %" PRIu64
                         " kept. It has %s, and got %s a second of what it kept",
                         b->idx, b->discarded, unit(l), b->delivered,
                         orma_units_format_size(b->size, size), format_rate(l, b->written, speed));
    if (l->streams && b->discards) {
        orma_doctor_stream(l->doctor, f);
        orma_doctor_grow(l->doctor, f, b->idx, ORMA_MAX(b->size * 8, 4u << 20) / 1024);
        return;
    }
    double factor =
        b->delivered ? (double)(b->delivered + b->discarded) / (double)b->delivered : 64;
    hold_all(l, f, b, ORMA_MAX((uint64_t)((double)b->size * factor * 1.5), 1u << 20));
}

static void check_overtaken(struct look *l, const struct buffer *b)
{
    const Perfetto__Protos__TraceConfig *c = l->doctor->config;
    uint64_t period =
        c && c->file_write_period_ms ? c->file_write_period_ms : ORMA_DOCTOR_WRITE_PERIOD_MS;
    char size[ORMA_UNITS_TEXT_MAX], speed[ORMA_UNITS_TEXT_MAX];

    if (!l->streams || !b->aged)
        return;
    l->told = l->overtaken = true;
    struct orma_doctor_finding *f =
        orma_doctor_find(l->doctor, "buffer_overtaken",
                         "Buffer %u was overwritten before it was written into the file: %" PRIu64
                         " %s are lost. It has %s, got %s a second on average, and more at once",
                         b->idx, b->aged, unit(l), orma_units_format_size(b->size, size),
                         format_rate(l, b->written, speed));
    /* Never more than all of it, which cannot be overwritten; bursts are known by their sum only.
     */
    uint64_t bytes = orma_doctor_stream_kb(rate(l, b->written), period) * 1024;
    bytes = ORMA_MIN(ORMA_MAX(bytes, b->size * 8), b->written + b->written / 4);
    orma_doctor_grow(l->doctor, f, b->idx, ORMA_MAX(bytes, b->size * 2) / 1024);
    if (c && c->file_write_period_ms > ORMA_DOCTOR_WRITE_PERIOD_MS) {
        orma_doctor_changed(f, "file_write_period_ms: %u -> %u", c->file_write_period_ms,
                            ORMA_DOCTOR_WRITE_PERIOD_MS);
        l->doctor->config->file_write_period_ms = ORMA_DOCTOR_WRITE_PERIOD_MS;
    }
}

/* A recording of a time that was named keeps less of it than that. */
static void check_aged(struct look *l, const struct buffer *b)
{
    const Perfetto__Protos__TraceConfig *c = l->doctor->config;
    char size[ORMA_UNITS_TEXT_MAX], all[ORMA_UNITS_TEXT_MAX], has[ORMA_UNITS_TEXT_MAX];
    char asked[ORMA_UNITS_TEXT_MAX];

    if (l->streams || b->discards || !b->overwritten || !c || !c->duration_ms || c->trigger_config)
        return;
    struct orma_doctor_finding *f = orma_doctor_find(
        l->doctor, "ring_short",
        "Buffer %u holds the end of the %s that were asked for: %s were overwritten of %s (it has "
        "%s)",
        b->idx, orma_units_format_duration((uint64_t)c->duration_ms * 1000000, asked),
        orma_units_format_size(b->overwritten, size), orma_units_format_size(b->written, all),
        orma_units_format_size(b->size, has));
    /* All that came: how fast it came cannot be told from what a ring has kept. */
    hold_all(l, f, b, ORMA_MAX(b->written + b->written / 4, b->size * 2));
}

static void check_unreadable(struct look *l)
{
    const Perfetto__Protos__TraceConfig *c = l->doctor->config;

    if (!l->loss.unreadable || l->told)
        return;
    l->told = true;
    struct orma_doctor_finding *f =
        orma_doctor_find(l->doctor, "unreadable",
                         "%" PRIu64 " packets cannot be read: names and clocks that they refer to "
                         "were lost. %s",
                         l->loss.unreadable, orma_ledger_remedy(&l->loss));
    for (uint32_t i = 0; c && i < c->n_buffers; i++) {
        struct buffer b = read_buffer(l, i);

        if (b.overwritten)
            orma_doctor_grow(l->doctor, f, i, b.size / 1024 * 4);
    }
}

/* ---- memory of programs ---- */

static void set_memory(struct orma_doctor *self, struct orma_doctor_finding *f, const char *name)
{
    Perfetto__Protos__TraceConfig *c = self->config;
    Perfetto__Protos__TraceConfig__ProducerConfig *p = NULL;

    for (size_t i = 0; c && i < c->n_producers && !p; i++)
        if (c->producers[i]->producer_name && !strcmp(c->producers[i]->producer_name, name))
            p = c->producers[i];
    if (c && !p) {
        void *list = realloc(c->producers, (c->n_producers + 1) * sizeof(*c->producers));

        p = malloc(sizeof(*p));
        if (list)
            c->producers = list;
        if (!list || !p) {
            free(p);
            return;
        }
        *p = (Perfetto__Protos__TraceConfig__ProducerConfig)
            PERFETTO__PROTOS__TRACE_CONFIG__PRODUCER_CONFIG__INIT;
        p->producer_name = strdup(name);
        c->producers[c->n_producers++] = p;
    }
    uint32_t kb = p && p->shm_size_kb >= MEMORY_KB ? MEMORY_MAX_KB : MEMORY_KB;
    if (!p) {
        orma_doctor_advise(f, "producers { producer_name: \"%s\" shm_size_kb: %u }", name, kb);
        return;
    }
    orma_doctor_changed(f, "producers { producer_name: \"%s\" shm_size_kb: %u }", name, kb);
    p->has_shm_size_kb = true;
    p->shm_size_kb = kb;
}

/* A program that wrote too little to be known is one of these, if they are few; more memory for
 * the others takes nothing from anybody. */
static void set_memory_of_all(struct look *l, struct orma_doctor_finding *f)
{
    static const char sql[] =
        "SELECT DISTINCT name FROM process WHERE name IS NOT NULL AND pid != 0";
    struct orma_query *q;
    const char *rest;

    if (number(l, "SELECT count(*) FROM (%s)", sql) > NAMES_MAX ||
        orma_query_prepare(l->tp, sql, SIZE_MAX, &q, &rest) != 0)
        return;
    while (orma_query_step(q) == 1) {
        const char *name = orma_query_text(q, 0), *base = strrchr(name, '/');

        set_memory(l->doctor, f, base ? base + 1 : name);
    }
    orma_query_free(q);
}

static void check_dropped(struct look *l)
{
    static const char sql[] =
        "SELECT coalesce(process_name, ''), CAST(total(packets) AS INTEGER), max(upid) FROM loss "
        "WHERE reason = 'dropped' AND packets > 0 GROUP BY 1 ORDER BY 2 DESC LIMIT 20";
    struct orma_query *q;
    const char *rest;

    if (orma_query_prepare(l->tp, sql, SIZE_MAX, &q, &rest) != 0)
        return;
    while (orma_query_step(q) == 1) {
        const char *name = orma_query_text(q, 0), *base = strrchr(name, '/');

        l->told = true;
        struct orma_doctor_finding *f = orma_doctor_find(
            l->doctor, "memory_full",
            "%s dropped %" PRId64 " packets: its shared memory was full, the service did not empty "
            "it in time",
            *name ? name : "A program", orma_query_int64(q, 1));
        if (*name)
            set_memory(l->doctor, f, base ? base + 1 : name);
        else
            set_memory_of_all(l, f);
        if (!f->change.len)
            orma_doctor_advise(f, "%s", orma_loss_words[ORMA_LOST_DROPPED].cure);
    }
    orma_query_free(q);
}

/* ---- the kernel ---- */

struct kernel {
    struct orma_doctor_finding *finding;
    double factor;
    uint64_t events; /* a second on the busiest cpu */
};

static void grow_kernel(void *ctx, Perfetto__Protos__FtraceConfig *ftrace)
{
    const struct kernel *k = ctx;
    uint64_t was = ftrace->buffer_size_kb ? ftrace->buffer_size_kb : ORMA_DOCTOR_KERNEL_KB;
    uint64_t kb = orma_doctor_round((uint64_t)((double)was * k->factor));

    kb = ORMA_MAX(kb, orma_doctor_kernel_kb(k->events, ORMA_DOCTOR_DRAIN_PERIOD_MS));
    kb = ORMA_MAX(ORMA_MIN(kb, KERNEL_MAX_KB), ORMA_DOCTOR_KERNEL_KB);
    if (kb > was || !ftrace->buffer_size_kb) {
        orma_doctor_changed(k->finding, "ftrace_config.buffer_size_kb: %s%u -> %" PRIu64,
                            ftrace->buffer_size_kb ? "" : "unset, ", ftrace->buffer_size_kb, kb);
        ftrace->has_buffer_size_kb = true;
        ftrace->buffer_size_kb = (uint32_t)kb;
    }
    if (ftrace->has_drain_period_ms && ftrace->drain_period_ms > ORMA_DOCTOR_DRAIN_PERIOD_MS) {
        orma_doctor_changed(k->finding, "ftrace_config.drain_period_ms: %u -> unset (100)",
                            ftrace->drain_period_ms);
        ftrace->has_drain_period_ms = false;
    }
}

static void check_kernel(struct look *l)
{
    uint64_t lost = l->loss.kernel_overrun;
    uint64_t read = number(l, "SELECT CAST(total(value) AS INTEGER) FROM stats WHERE name = "
                              "'ftrace_cpu_read_events_delta'");
    uint64_t cpus = number(l, "SELECT count(DISTINCT idx) FROM stats WHERE value > 0 AND name IN "
                              "('ftrace_cpu_overrun_delta', 'ftrace_cpu_dropped_events_delta', "
                              "'ftrace_cpu_commit_overrun_delta')");
    char length[ORMA_UNITS_TEXT_MAX];

    if (!lost)
        return;
    l->told = true;
    struct orma_doctor_finding *f = orma_doctor_find(
        l->doctor, "kernel_overrun",
        "The kernel's buffer of %" PRIu64 " cpu%s was full before it was read: %" PRIu64
        " events are lost, %" PRIu64 " were read in %s",
        cpus, cpus == 1 ? "" : "s", lost, read, orma_units_format_duration(l->span_ns, length));
    struct kernel k = {f, 2 * (1 + (double)lost / (double)ORMA_MAX(read, 1)),
                       l->rates.kernel_events};
    orma_doctor_each_ftrace(l->doctor, grow_kernel, &k);
    if (!f->change.len)
        orma_doctor_advise(f, "%s", orma_loss_overrun.cure);
}

struct unknown {
    struct orma_doctor_finding *finding;
    const char *message; /* ends with the name of an event */
};

static void mend_unknown(void *ctx, Perfetto__Protos__FtraceConfig *ftrace)
{
    const struct unknown *u = ctx;
    size_t len = strlen(u->message);

    for (size_t i = 0; i < ftrace->n_ftrace_events; i++) {
        char name[256];
        size_t name_len = strlen(ftrace->ftrace_events[i]);

        if (!name_len || name_len >= sizeof(name) || name_len + 1 >= len ||
            u->message[len - name_len - 1] != ' ' ||
            strcmp(u->message + len - name_len, ftrace->ftrace_events[i]))
            continue;
        memcpy(name, ftrace->ftrace_events[i], name_len + 1); /* which is freed */
        orma_doctor_mend_event(u->finding, ftrace, name);
        return;
    }
}

static void check_setup(struct look *l)
{
    static const char sql[] = "SELECT DISTINCT coalesce(extract_arg(arg_set_id, 'message'), "
                              "extract_arg(arg_set_id, 'error')) FROM "
                              "_trace_import_logs WHERE name = 'ftrace_setup_errors'";
    struct orma_query *q;
    const char *rest;

    if (orma_query_prepare(l->tp, sql, SIZE_MAX, &q, &rest) != 0)
        return;
    while (orma_query_step(q) == 1) {
        struct orma_doctor_finding *f = orma_doctor_find(
            l->doctor, "setup", "Asked for, but not recorded: %s", orma_query_text(q, 0));
        struct unknown unknown = {f, orma_query_text(q, 0)};
        orma_doctor_each_ftrace(l->doctor, mend_unknown, &unknown);
        if (!f->change.len)
            orma_doctor_advise(f, "'orma list events NAME' shows what this kernel has");
    }
    orma_query_free(q);
}

/* ---- samples ---- */

static void check_samples(struct look *l)
{
    Perfetto__Protos__TraceConfig *c = l->doctor->config;

    if (!l->loss.perf_lost && !l->loss.perf_skipped)
        return;
    l->told = true;
    struct orma_doctor_finding *f = orma_doctor_find(
        l->doctor, "samples", "%" PRIu64 " samples are lost: they came faster than they were read",
        l->loss.perf_lost + l->loss.perf_skipped);
    for (size_t i = 0; c && i < c->n_data_sources; i++) {
        Perfetto__Protos__PerfEventConfig *p =
            c->data_sources[i]->config ? c->data_sources[i]->config->perf_event_config : NULL;

        if (p && p->has_ring_buffer_pages && l->loss.perf_lost) {
            orma_doctor_changed(f, "perf_event_config.ring_buffer_pages: %u -> unset (it grows)",
                                p->ring_buffer_pages);
            p->has_ring_buffer_pages = false;
            p->ring_buffer_pages = 0;
        }
    }
    orma_doctor_advise(f, "%s", orma_ledger_remedy(&l->loss));
}

/* ---- the file ---- */

static void check_file(struct look *l)
{
    Perfetto__Protos__TraceConfig *c = l->doctor->config;
    uint64_t bytes = orma_processor_size(l->tp);
    char size[ORMA_UNITS_TEXT_MAX], kept[ORMA_UNITS_TEXT_MAX], asked[ORMA_UNITS_TEXT_MAX];

    if (!l->streams || !c || !c->max_file_size_bytes || !l->span_ns)
        return;
    /* What comes in one piece, and has no place any more, is cut off. */
    bool cut = l->loss.lost[ORMA_LOST_CUT] && bytes + BLOCK_MAX >= c->max_file_size_bytes;
    if (!cut && bytes < c->max_file_size_bytes - c->max_file_size_bytes / FILE_SHARE)
        return;
    uint64_t wanted_ns = (uint64_t)c->duration_ms * 1000000;
    if (!wanted_ns || l->span_ns >= wanted_ns - wanted_ns / FILE_SHARE) {
        l->told |= orma_ledger_total(&l->loss) ==
                   l->loss.lost[ORMA_LOST_CUT] + l->loss.lost[ORMA_LOST_DISCARDED];
        return; /* it ended where it was asked to */
    }
    l->told = true;
    struct orma_doctor_finding *f = orma_doctor_find(
        l->doctor, "file_full", "The file was full (%s) after %s of %s",
        orma_units_format_size(c->max_file_size_bytes, size),
        orma_units_format_duration(l->span_ns, kept), orma_units_format_duration(wanted_ns, asked));
    uint64_t need = (uint64_t)((double)bytes * (double)wanted_ns / (double)l->span_ns * 1.5);
    need = orma_doctor_round(need);
    orma_doctor_changed(f, "max_file_size_bytes: %" PRIu64 " -> %" PRIu64, c->max_file_size_bytes,
                        need);
    c->max_file_size_bytes = need;
}

/* ---- the disk ---- */

/* Only where it may be the reason: a look at it writes. */
static void check_disk(struct look *l)
{
    if (l->path && l->streams && l->overtaken)
        orma_doctor_look_at_disk(l->doctor, l->path, rate(l, (uint64_t)orma_processor_size(l->tp)),
                                 true);
}

/* ---- all of it ---- */

/* What no change is known for, but the cure of the words. */
static void check_rest(struct look *l)
{
    char text[ORMA_LEDGER_TEXT_MAX];

    if (l->told || orma_ledger_is_none(&l->loss))
        return;
    orma_ledger_format(&l->loss, text, sizeof(text));
    if (!orma_ledger_total(&l->loss) && !l->loss.incident_is_loss) {
        orma_doctor_note(l->doctor, "%s", text);
        return;
    }
    struct orma_doctor_finding *f = orma_doctor_find(l->doctor, "loss", "The trace %s%s",
                                                     strncmp(text, "lost", 4) ? "is " : "", text);
    for (unsigned i = 0; i < ORMA_LOST_REASONS; i++) {
        if (l->loss.lost[i] && orma_loss_words[i].cure)
            orma_doctor_advise(f, "%s", orma_loss_words[i].cure);
    }
    orma_doctor_mend_sources(l->doctor, f, (struct orma_str){0}); /* one that nobody offered */
}

static void look_init(struct look *l, struct orma_doctor *self, struct orma_processor *tp)
{
    *l = (struct look){.doctor = self, .tp = tp, .span_ns = orma_load_span_ns(tp)};
    orma_load_loss(tp, &l->loss);
    orma_doctor_measure(tp, l->span_ns, &l->rates);
}

void orma_doctor_look_at_rest(struct orma_doctor *self, struct orma_processor *tp)
{
    struct look l;

    look_init(&l, self, tp);
    check_dropped(&l);
    check_samples(&l);
}

void orma_doctor_look_at_trace(struct orma_doctor *self, struct orma_processor *tp,
                               const char *path)
{
    struct look l;

    look_init(&l, self, tp);
    l.path = path;
    l.streams = self->config ? self->config->write_into_file : !l.loss.ring;
    uint64_t buffers = number(&l, "SELECT count(*) FROM stats WHERE name = "
                                  "'traced_buf_buffer_size'");
    for (uint32_t i = 0; i < ORMA_MIN(buffers, 128); i++) {
        struct buffer b = read_buffer(&l, i);

        check_discarded(&l, &b);
        check_overtaken(&l, &b);
        check_aged(&l, &b);
    }
    check_disk(&l);
    check_dropped(&l);
    check_kernel(&l);
    check_samples(&l);
    check_setup(&l);
    check_file(&l);
    check_unreadable(&l);
    check_rest(&l);
    orma_doctor_look_at_diagnostics(self, tp, true);

    int64_t switches = orma_load_missing_switches(tp);
    if (switches && !l.loss.kernel_overrun)
        orma_doctor_note(self,
                         "%" PRId64 " switches of threads are missing that the kernel did not "
                         "record: no setting of a recording changes that",
                         switches);
}
