/*
 * trace.dat: its pages become bundles of kernel events, as the probes would have written them from
 * the same pages, and those are read as such. So events of trace-cmd have the rows of events of
 * ours.
 *
 *   formats ─► plans        per kind of event: how it becomes a message
 *   pages of a CPU ─► translate (sdk/ftrace) ─► packets ─► reader
 *
 * The same event may be in several ring buffers. What it means for the tables is taken from one of
 * them, per system (sched, irq, ...): the first buffer that has it, for sched the first with
 * switches. In the others it is a row of ftrace_event, written as an event that nobody knows. Texts
 * that programs write are in one buffer only, and always count.
 */
#include "processor/import/formats/tracedat.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/import/core/ports.h"
#include "processor/import/formats/formats.h"
#include "processor/model/sched.h"
#include "protos/fields/common.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "sdk/base/arena.h"
#include "sdk/ftrace/kallsyms.h"
#include "sdk/ftrace/printk.h"
#include "sdk/ftrace/symbols.h"
#include "sdk/ftrace/translate.h"
#include "sdk/wire/pb_writer.h"

#define IDS 65536u
#define SEQUENCE 1
/* Events without a message have numbers of their own: of each file, by id. */
#define NUMBERS_FROM 65536u
#define NUMBERS_FILES 4000u

/* A thread that the file has a name for. */
struct named {
    uint32_t pid, name;
};

struct tracedat {
    ORMA_VEC(struct named) names;
};

/* One kind of event. */
struct kind {
    struct orma_ftrace_format format;
    const char *system;
    struct orma_ftrace_plan *known, *raw; /* made when they are needed */
    uint32_t system_idx;
};

struct reading {
    struct orma_tracedat t;
    struct orma_file *file;
    struct orma_account *account;
    struct orma_arena arena;
    struct kind **kinds; /* by id */
    const struct orma_ftrace_format **formats;
    struct orma_ftrace_plan **plans; /* of the buffer at hand, by id */
    ORMA_VEC(const char *) systems;
    ORMA_VEC(uint32_t) owners; /* by system: buffer + 1 */
    struct orma_map by_name;   /* of systems: pool id → index */
    struct orma_map printk;
    struct orma_kallsyms *kallsyms;
    struct orma_ftrace_symbols symbols;
    struct orma_ftrace_bundle bundle;
    struct orma_ftrace_translate translate;
    struct orma_source_sink sink;
    struct orma_buf converted, chunk;
    uint64_t *seen;    /* bits, by buffer and id */
    const uint8_t *at; /* in the file, of the pages at hand */
    uint64_t given[2]; /* bytes of CPUs' data so far, by whether they were only looked at */
};

static bool failed(const struct reading *r)
{
    return orma_file_failed(r->file);
}

static void no_memory(struct reading *r)
{
    r->file->imp->model->storage->failed = true;
}

/* ---- packets ---- */

/* The reader keeps them, since args are read from them later. */
static int put_packet(struct orma_source_sink *sink, const void *packet, size_t len)
{
    struct reading *r = ORMA_CONTAINER_OF(sink, struct reading, sink);
    struct orma_reader *reader = r->file->imp->reader;
    uint8_t head[1 + ORMA_VARINT_MAX] = {ORMA_PB_TRACE_PACKET << 3 | ORMA_PB_LEN};
    const uint8_t seq[] = {ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID << 3, SEQUENCE};
    size_t head_len = (size_t)(orma_varint_write(head + 1, len + sizeof(seq)) - head);
    uint8_t *blob = orma_reader_blob(reader, head_len + len + sizeof(seq));

    if (!blob)
        return -ENOMEM;
    memcpy(blob, head, head_len);
    memcpy(blob + head_len, packet, len);
    memcpy(blob + head_len + len, seq, sizeof(seq));
    (void)orma_reader_map(reader, blob, head_len + len + sizeof(seq));
    return 0;
}

static void put_buf(struct reading *r, struct orma_buf *packet)
{
    if (packet->failed || put_packet(&r->sink, packet->data, packet->len) < 0)
        no_memory(r);
    orma_buf_fini(packet);
}

/* "Linux HOST RELEASE MACHINE" */
static void put_uname(struct reading *r)
{
    struct orma_str rest = r->t.uname, part[4] = {{0}};
    struct orma_buf packet = {0};
    unsigned num = 0;

    while (num < 4 && rest.len && orma_str_cut(&rest, ' ', &part[num]))
        num++;
    if (num < 4)
        return;
    size_t info = orma_pb_begin(&packet, ORMA_PB_TRACE_PACKET_SYSTEM_INFO);
    size_t uts = orma_pb_begin(&packet, ORMA_PB_SYSTEM_INFO_UTSNAME);
    orma_pb_put_str(&packet, ORMA_PB_UTSNAME_SYSNAME, part[0]);
    orma_pb_put_str(&packet, ORMA_PB_UTSNAME_RELEASE, part[2]);
    orma_pb_put_str(&packet, ORMA_PB_UTSNAME_MACHINE, part[3]);
    orma_pb_end(&packet, uts);
    if (r->t.cpus_num)
        orma_pb_put_u64(&packet, ORMA_PB_SYSTEM_INFO_NUM_CPUS, r->t.cpus_num);
    orma_pb_end(&packet, info);
    put_buf(r, &packet);
}

static void put_counts(struct reading *r, const struct orma_tracedat_counts *all, uint64_t phase)
{
    struct orma_buf packet = {0};
    size_t stats = orma_pb_begin(&packet, ORMA_PB_TRACE_PACKET_FTRACE_STATS);

    orma_pb_put_u64(&packet, ORMA_PB_FTRACE_STATS_PHASE, phase);
    for (unsigned cpu = 0; cpu < ORMA_CPUS_MAX; cpu++) {
        if (!all[cpu].known)
            continue;
        size_t one = orma_pb_begin(&packet, ORMA_PB_FTRACE_STATS_CPU_STATS);
        orma_pb_put_u64(&packet, ORMA_PB_FTRACE_CPU_STATS_CPU, cpu);
        for (uint32_t f = ORMA_PB_FTRACE_CPU_STATS_ENTRIES; f < ORMA_ARRAY_LEN(all[cpu].vals); f++)
            if (phase == ORMA_PB_FTRACE_STATS_END_OF_TRACE && all[cpu].vals[f])
                orma_pb_put_u64(&packet, f, all[cpu].vals[f]);
        orma_pb_end(&packet, one);
    }
    orma_pb_end(&packet, stats);
    put_buf(r, &packet);
}

/* What the kernel lost, over all buffers: they begin empty. */
static void put_cpu_stats(struct reading *r)
{
    struct orma_tracedat_counts *all = calloc(ORMA_CPUS_MAX, sizeof(*all));

    if (!all) {
        no_memory(r);
        return;
    }
    for (uint32_t i = 0; i < r->t.cpu_stats.len; i++)
        orma_tracedat_read_counts(r->t.cpu_stats.data[i], all);
    if (r->t.cpu_stats.len) {
        put_counts(r, all, ORMA_PB_FTRACE_STATS_START_OF_TRACE);
        put_counts(r, all, ORMA_PB_FTRACE_STATS_END_OF_TRACE);
    }
    free(all);
}

static void put_facts(struct reading *r)
{
    struct orma_import_ctx *imp = r->file->imp;

    put_uname(r);
    put_cpu_stats(r);
    if (r->t.tool.len)
        orma_metadata_str(imp->model, "tracing_tool", false, ORMA_METADATA_TRACE, 0,
                          orma_strpool_addf(&imp->model->storage->pool, "trace-cmd %.*s",
                                            (int)ORMA_MIN(r->t.tool.len, (size_t)100),
                                            r->t.tool.data));
    if (r->t.has_trace_id)
        orma_metadata_str(imp->model, "trace_cmd_trace_id", false, ORMA_METADATA_TRACE, 0,
                          orma_strpool_addf(&imp->model->storage->pool, "0x%llx",
                                            (unsigned long long)r->t.trace_id));
}

/* ---- names ---- */

/* "PID NAME", which may have blanks. */
static void read_cmdlines(struct reading *r, struct tracedat *st)
{
    struct orma_str rest = r->t.cmdlines, line, part;
    uint64_t pid;

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (!orma_str_cut(&line, ' ', &part) || !orma_str_to_u64(part, &pid) || !pid ||
            pid > UINT32_MAX || !line.len || orma_str_eq_c(line, "<...>"))
            continue;
        const struct named named = {(uint32_t)pid, orma_model_str(r->file->imp->model, line)};
        if (ORMA_VEC_PUSH(&st->names, named))
            no_memory(r);
    }
}

/* "PID COUNT NAME", and so many lines of what it has mapped. */
static void read_procmaps(struct reading *r)
{
    struct orma_processes *p = orma_model_processes(r->file->imp->model, r->file->machine);
    struct orma_str rest = r->t.procmaps, line, pid, num;
    uint64_t id, count;

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (!orma_str_cut(&line, ' ', &pid) || !orma_str_cut(&line, ' ', &num) ||
            !orma_str_to_u64(pid, &id) || !id || id > INT32_MAX || !orma_str_to_u64(num, &count))
            continue; /* a mapping: "START END PATH" in hex without a mark, or damage */
        line = orma_str_trim(line);
        if (!line.len || line.data[0] != '/')
            continue;
        const char *base = memrchr(line.data, '/', line.len);
        struct orma_str name = {base + 1, (size_t)(line.data + line.len - base - 1)};
        orma_processes_name_process(p, orma_processes_process(p, (uint32_t)id),
                                    orma_model_str(r->file->imp->model, name),
                                    ORMA_PROCESS_NAME_OTHER);
        for (; count && rest.len; count--)
            (void)orma_str_cut(&rest, '\n', &line);
    }
}

/* ---- kinds of events ---- */

static uint32_t system_of(struct reading *r, struct orma_str name)
{
    const uint32_t id = orma_model_str(r->file->imp->model, name);
    const uint64_t known = orma_map_get(&r->by_name, id);

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    const char *copy = orma_arena_strdup(&r->arena, name);
    if (!copy || orma_map_put(&r->by_name, id, r->systems.len) < 0 ||
        ORMA_VEC_PUSH(&r->systems, copy) || ORMA_VEC_PUSH(&r->owners, 0)) {
        no_memory(r);
        return UINT32_MAX;
    }
    return r->systems.len - 1;
}

static bool add_format(void *data, struct orma_str system, struct orma_str text)
{
    struct reading *r = data;
    struct kind *kind = orma_arena_alloc(&r->arena, sizeof(*kind));
    int res =
        kind ? orma_ftrace_format_parse(&r->arena, text, r->t.layout.commit_size, &kind->format)
             : -ENOMEM;

    if (res == -EBADMSG) {
        orma_file_part(r->file, ORMA_ACCOUNT_DAMAGED, "formats of events", NULL);
        return true;
    }
    uint32_t idx = res < 0 ? UINT32_MAX : system_of(r, system);
    if (idx == UINT32_MAX) {
        no_memory(r);
        return false;
    }
    if (kind->format.odd_lines)
        orma_file_parts(r->file, ORMA_ACCOUNT_DAMAGED, "lines of formats of events",
                        kind->format.odd_lines);
    kind->system = r->systems.data[idx];
    kind->system_idx = idx;
    kind->known = kind->raw = NULL;
    if (!r->kinds[kind->format.id]) {
        r->kinds[kind->format.id] = kind;
        r->formats[kind->format.id] = &kind->format;
    }
    return true;
}

/* `raw`: as an event that nobody knows, so that it is a row of ftrace_event and nothing else. */
static struct orma_ftrace_plan *plan_of(struct reading *r, struct kind *kind, bool raw)
{
    struct orma_ftrace_plan **slot = raw ? &kind->raw : &kind->known;
    const struct orma_ftrace_tracepoint *known =
        raw ? NULL : orma_ftrace_tracepoint_find(kind->system, kind->format.name);
    const struct orma_ftrace_plan_options options = {
        .word_size = r->t.layout.commit_size,
        .generic_field =
            NUMBERS_FROM + (r->file->row % NUMBERS_FILES) * IDS + (uint32_t)kind->format.id};

    if (*slot)
        return *slot;
    *slot = orma_arena_alloc(&r->arena, sizeof(**slot));
    if (!*slot || orma_ftrace_plan_compile(&r->arena, kind->system, &kind->format,
                                           known ? &orma_ftrace_messages[known->message_idx] : NULL,
                                           &options, *slot) < 0) {
        no_memory(r);
        *slot = NULL;
    }
    return *slot;
}

/* Written by programs into this buffer alone. */
static bool is_text(const struct kind *kind)
{
    return !strcmp(kind->system, "ftrace") &&
           (!strcmp(kind->format.name, "print") || !strcmp(kind->format.name, "bprint") ||
            !strcmp(kind->format.name, "bputs") || !strcmp(kind->format.name, "raw_data"));
}

/* The plans of a buffer. */
static void choose_plans(struct reading *r, uint32_t buffer)
{
    for (uint32_t id = 0; id < IDS && !failed(r); id++) {
        struct kind *kind = r->kinds[id];

        r->plans[id] = NULL;
        if (!kind || (r->seen && !(r->seen[(size_t)buffer * (IDS / 64) + id / 64] >> id % 64 & 1)))
            continue;
        bool raw = r->seen && !is_text(kind) && r->owners.data[kind->system_idx] != buffer + 1;
        r->plans[id] = plan_of(r, kind, raw);
    }
}

/* ---- pages ---- */

/* The errors of pages, not of events in them. */
static uint64_t page_errors(const struct reading *r)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < ORMA_FTRACE_PARSE_STATUS_NUM; i++)
        if (i != ORMA_PB_FTRACE_STATUS_INVALID_EVENT &&
            i != ORMA_PB_FTRACE_STATUS_SHORT_COMPACT_EVENT)
            sum += r->translate.counts.errors[i];
    return sum;
}

static void skip_events(struct reading *r, enum orma_account_reason reason, const char *kind,
                        uint64_t num)
{
    struct orma_model *model = r->file->imp->model;

    if (!num)
        return;
    orma_account_begin(r->account, num);
    (void)orma_account_skipped(r->account, model, reason, orma_model_cstr(model, kind), num,
                               r->at - r->t.data);
}

/* `bytes`: of the file. */
static void put_page(struct reading *r, struct orma_str page, size_t bytes)
{
    const struct orma_ftrace_translate_counts before = r->translate.counts;
    const uint64_t walked = r->translate.state->walked, errors = page_errors(r);
    const struct orma_ftrace_translate_counts *now = &r->translate.counts;

    orma_ftrace_translate_page(&r->translate, (const uint8_t *)page.data, page.len);
    uint64_t foreign = now->foreign - before.foreign;
    uint64_t shorts = r->translate.state->walked - walked - foreign - (now->events - before.events);
    uint64_t invalid = now->errors[ORMA_PB_FTRACE_STATUS_INVALID_EVENT] -
                       before.errors[ORMA_PB_FTRACE_STATUS_INVALID_EVENT];
    skip_events(r, ORMA_ACCOUNT_NOT_READ, "events whose format is not in the file", foreign);
    skip_events(r, ORMA_ACCOUNT_DAMAGED, "events that are shorter than their format", shorts);
    if (invalid > shorts)
        orma_file_parts(r->file, ORMA_ACCOUNT_DAMAGED, "fields that lie outside of their event",
                        invalid - shorts);
    if (now->lost_bundles != before.lost_bundles)
        no_memory(r);
    if (page_errors(r) != errors) {
        orma_file_unit(r->file, r->at);
        (void)orma_file_damaged(r->file, "pages of kernel events from a malformed event on", r->at,
                                bytes, "a page of kernel events is malformed");
    }
}

/* Pages that hold nothing are passed over. */
static bool is_empty(const struct reading *r, struct orma_str page)
{
    const uint8_t *at = (const uint8_t *)page.data;

    return page.len >= r->t.layout.data_offset &&
           !orma_tracedat_number(&r->t, at + 8, r->t.layout.commit_size);
}

static void mark_seen(struct reading *r, uint32_t buffer, struct orma_str page)
{
    struct orma_tracefs_page walk;
    struct orma_tracefs_page_event ev;
    uint64_t *seen = r->seen + (size_t)buffer * (IDS / 64);

    if (orma_tracefs_page_open(&walk, &r->translate.page_layout, (const uint8_t *)page.data,
                               page.len))
        while (orma_tracefs_page_next(&walk, &ev))
            seen[ev.id / 64] |= UINT64_C(1) << ev.id % 64;
}

struct pages {
    uint32_t buffer, cpu, size;
    bool look; /* only mark what is there */
};

/* Whole pages, and perhaps the begin of one. */
static void read_pages(struct reading *r, struct pages *p, struct orma_str data)
{
    const bool converts = r->t.big || orma_tracedat_has_other_times(&r->t);
    const bool in_file = (const uint8_t *)data.data >= r->t.data &&
                         (const uint8_t *)data.data <= r->t.data + r->t.len;

    if (!p->size)
        p->size = orma_tracedat_page_size(&r->t, &r->t.buffers.data[p->buffer], data);
    while (data.len && !failed(r)) {
        struct orma_str page = {data.data, ORMA_MIN(data.len, (size_t)p->size)};

        const size_t len = page.len;
        if (in_file)
            r->at = (const uint8_t *)page.data;
        data = (struct orma_str){data.data + page.len, data.len - page.len};
        if (is_empty(r, page))
            continue;
        if (converts) {
            orma_tracedat_convert_page(&r->t, p->cpu, r->formats, IDS, page, &r->converted);
            page = orma_buf_str(&r->converted);
            if (r->converted.failed)
                no_memory(r);
        }
        if (failed(r))
            return;
        if (p->look)
            mark_seen(r, p->buffer, page);
        else
            put_page(r, page, in_file ? len : 1);
    }
}

static void tell_damage(struct reading *r, const struct pages *p, const char *why)
{
    if (p->look)
        return;
    orma_file_unit(r->file, r->at);
    (void)orma_file_damaged(r->file, "packed pages of kernel events", r->at, 1, why);
}

/* Pieces of several pages each: their number, then both sizes and the bytes of each. */
static void read_packed(struct reading *r, struct pages *p, struct orma_str data)
{
    const uint8_t *at = (const uint8_t *)data.data, *end = at + data.len;
    uint64_t num = data.len < 4 ? 0 : orma_tracedat_number(&r->t, at, 4);

    at += ORMA_MIN(data.len, (size_t)4);
    for (; num && !failed(r); num--) {
        r->at = at;
        if (end - at < 8)
            break;
        uint32_t packed = (uint32_t)orma_tracedat_number(&r->t, at, 4);
        uint32_t size = (uint32_t)orma_tracedat_number(&r->t, at + 4, 4);
        at += 8;
        if (packed > (size_t)(end - at))
            break;
        if (orma_tracedat_unpack(&r->t, (struct orma_str){(const char *)at, packed}, size,
                                 &r->chunk))
            read_pages(r, p, orma_buf_str(&r->chunk));
        else if (!failed(r))
            tell_damage(r, p, "a packed stream is corrupt");
        at += packed;
    }
    if (num && !failed(r) && !p->look)
        orma_file_truncated(r->file, (uint64_t)(end - r->at));
}

static void read_cpu(struct reading *r, uint32_t buffer, const struct orma_tracedat_cpu *cpu,
                     bool look)
{
    const struct orma_tracedat_buffer *b = &r->t.buffers.data[buffer];
    struct orma_ftrace_translate_cpu state = {0};
    struct pages p = {.buffer = buffer, .cpu = cpu->cpu, .look = look};
    const uint64_t there = cpu->offset < r->t.len ? r->t.len - cpu->offset : 0;
    const uint64_t want = cpu->size + (b->packed && cpu->size ? 4 : 0);
    const struct orma_str data = {(const char *)r->t.data + (there ? cpu->offset : 0),
                                  (size_t)ORMA_MIN(there, want)};

    if (!cpu->size)
        return;
    /* Data of two CPUs do not lie in one place: a small file would become a large one. */
    r->given[look] += data.len;
    if (r->given[look] > r->t.len) {
        if (!look)
            orma_file_part(r->file, ORMA_ACCOUNT_DAMAGED, "CPUs whose data are those of others",
                           NULL);
        return;
    }
    r->at = (const uint8_t *)data.data;
    if (!look)
        orma_ftrace_translate_begin(&r->translate, cpu->cpu, &state);
    if (b->packed)
        read_packed(r, &p, data);
    else
        read_pages(r, &p, data);
    if (look)
        return;
    orma_ftrace_translate_end(&r->translate);
    if (there < want)
        orma_file_truncated(r->file, want - there);
}

/* ---- buffers ---- */

static bool is_seen(const struct reading *r, uint32_t buffer, uint32_t id)
{
    return r->seen[(size_t)buffer * (IDS / 64) + id / 64] >> id % 64 & 1;
}

/* The top buffer comes first, whose name is empty. */
static void own_systems(struct reading *r, bool top, bool switches)
{
    for (uint32_t b = 0; b < r->t.buffers.len; b++) {
        if (!r->t.buffers.data[b].name.len != top)
            continue;
        for (uint32_t id = 0; id < IDS; id++) {
            const struct kind *kind = r->kinds[id];

            if (kind && is_seen(r, b, id) && !r->owners.data[kind->system_idx] &&
                (!switches ||
                 (!strcmp(kind->system, "sched") && !strcmp(kind->format.name, "sched_switch"))))
                r->owners.data[kind->system_idx] = b + 1;
        }
    }
}

/* Which buffer tells what an event of a system means, if there are several. */
static void choose_owners(struct reading *r)
{
    uint32_t num = 0;

    for (uint32_t b = 0; b < r->t.buffers.len; b++)
        num += orma_tracedat_has_data(&r->t.buffers.data[b]);
    if (num < 2)
        return;
    r->seen = calloc(r->t.buffers.len, IDS / 8);
    if (!r->seen) {
        no_memory(r);
        return;
    }
    for (uint32_t b = 0; b < r->t.buffers.len; b++)
        for (uint32_t i = 0; i < r->t.buffers.data[b].cpus.len && !failed(r); i++)
            read_cpu(r, b, &r->t.buffers.data[b].cpus.data[i], true);
    own_systems(r, true, true);
    own_systems(r, false, true);
    own_systems(r, true, false);
    own_systems(r, false, false);
}

static void set_clock(struct reading *r, uint32_t buffer, bool first)
{
    const struct orma_tracedat_buffer *b = &r->t.buffers.data[buffer];
    uint32_t clock = orma_tracedat_clock(&r->t, b->clock.len ? b->clock : r->t.clock);

    if (first)
        orma_file_set_clock(r->file, clock);
    else if (clock != r->file->clock)
        orma_file_expect_clock(r->file, clock);
}

static void read_buffers(struct reading *r)
{
    bool first = true;

    choose_owners(r);
    for (uint32_t b = 0; b < r->t.buffers.len && !failed(r); b++) {
        if (!orma_tracedat_has_data(&r->t.buffers.data[b]))
            continue;
        set_clock(r, b, first);
        first = false;
        choose_plans(r, b);
        for (uint32_t i = 0; i < r->t.buffers.data[b].cpus.len && !failed(r); i++)
            read_cpu(r, b, &r->t.buffers.data[b].cpus.data[i], false);
    }
}

/* Tracers of latencies leave text in the place of pages. */
static void skip_latency(struct reading *r)
{
    struct orma_str rest = r->t.latency, line;

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        orma_file_unit(r->file, line.data);
        (void)orma_file_skipped(
            r->file, ORMA_ACCOUNT_NOT_READ,
            "lines of a latency tracer (`trace-cmd report` prints them as text that can be read)");
    }
}

/* ---- all ---- */

static bool set_up(struct reading *r)
{
    struct orma_ftrace_translate *tr = &r->translate;
    const bool converts = r->t.big || orma_tracedat_has_other_times(&r->t);

    r->kinds = calloc(IDS, sizeof(*r->kinds));
    r->formats = calloc(IDS, sizeof(*r->formats));
    r->plans = calloc(IDS, sizeof(*r->plans));
    if (!r->kinds || !r->formats || !r->plans || orma_ftrace_bundle_init(&r->bundle) < 0 ||
        orma_ftrace_printk_parse(&r->arena, r->t.printk, &r->printk) < 0) {
        no_memory(r);
        return false;
    }
    int res = r->t.kallsyms.len ? orma_kallsyms_parse(r->t.kallsyms, &r->kallsyms) : 0;
    if (res == -ENOMEM)
        no_memory(r);
    orma_ftrace_symbols_init(&r->symbols, r->kallsyms);
    if (!orma_tracedat_each_format(&r->t, r->t.ftrace_formats, false, add_format, r) ||
        !orma_tracedat_each_format(&r->t, r->t.event_formats, true, add_format, r))
        orma_file_part(r->file, ORMA_ACCOUNT_DAMAGED, "lists of formats", NULL);
    if (orma_ftrace_translate_init(tr) < 0)
        no_memory(r);
    tr->plans = r->plans;
    tr->plans_num = IDS;
    tr->page_layout = converts ? (struct orma_tracefs_page_layout){8, 16} : r->t.layout;
    tr->bundle = &r->bundle;
    tr->sink = &r->sink;
    tr->printk = &r->printk;
    tr->symbols = &r->symbols;
    r->sink.put = put_packet;
    return !failed(r);
}

static void tear_down(struct reading *r)
{
    orma_ftrace_translate_fini(&r->translate);
    orma_ftrace_bundle_fini(&r->bundle);
    orma_ftrace_symbols_fini(&r->symbols);
    orma_kallsyms_free(r->kallsyms);
    orma_map_fini(&r->printk);
    orma_map_fini(&r->by_name);
    orma_arena_fini(&r->arena);
    orma_buf_fini(&r->converted);
    orma_buf_fini(&r->chunk);
    ORMA_VEC_FINI(&r->systems);
    ORMA_VEC_FINI(&r->owners);
    free(r->seen);
    free(r->kinds);
    free(r->formats);
    free(r->plans);
    orma_tracedat_fini(&r->t);
}

static size_t tracedat_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct reading *r = calloc(1, sizeof(*r));

    (void)at_end; /* it is read once, whole */
    if (!r) {
        file->imp->model->storage->failed = true;
        return len;
    }
    r->file = file;
    r->account = file->account;
    r->t = (struct orma_tracedat){.file = file, .data = data, .len = len};
    if (orma_tracedat_read(&r->t) && set_up(r)) {
        put_facts(r);
        read_cmdlines(r, file->state);
        read_procmaps(r);
        read_buffers(r);
        skip_latency(r);
    }
    tear_down(r);
    free(r);
    return len;
}

static void put_events(struct reading *r, const struct orma_tracedat_event *list, size_t num)
{
    struct orma_ftrace_translate_cpu state = {0};

    for (size_t i = 0, n; i < num && !failed(r); i += n) {
        if (!i || list[i].cpu != list[i - 1].cpu) {
            if (i)
                orma_ftrace_translate_end(&r->translate);
            state = (struct orma_ftrace_translate_cpu){0};
            orma_ftrace_translate_begin(&r->translate, list[i].cpu, &state);
        }
        if (!(n = orma_tracedat_make_page(list + i, num - i, &r->converted))) {
            no_memory(r);
            break;
        }
        r->at = (const uint8_t *)list[i].bytes.data;
        if (r->at < r->t.data || r->at >= r->t.data + r->t.len)
            r->at = r->t.data; /* it was compressed */
        put_page(r, orma_buf_str(&r->converted), 1);
    }
    if (num)
        orma_ftrace_translate_end(&r->translate);
}

/* Switches and wakings of some tasks only would tell wrong things about the CPUs. */
static bool choose_sched(struct reading *r, const struct orma_tracedat_events *events)
{
    const uint32_t sched = system_of(r, ORMA_STR("sched"));
    const struct kind *of = NULL;

    for (uint32_t id = 0; id < IDS && !of; id++)
        if (r->kinds[id] && r->kinds[id]->system_idx == sched &&
            !strcmp(r->kinds[id]->format.name, "sched_switch"))
            of = r->kinds[id];
    if (of && (events->of_all || !orma_tracedat_breaks_off(&of->format, events->list, events->num)))
        return true;
    for (uint32_t id = 0; id < IDS; id++)
        if (r->kinds[id] && r->kinds[id]->system_idx == sched &&
            (r->kinds[id] == of || !strncmp(r->kinds[id]->format.name, "sched_wak", 9)))
            r->plans[id] = plan_of(r, r->kinds[id], true);
    return false;
}

bool orma_tracedat_put_events(struct orma_file *file, const struct orma_tracedat_events *events)
{
    struct reading *r = calloc(1, sizeof(*r));
    bool told = false;

    if (!r) {
        file->imp->model->storage->failed = true;
        return false;
    }
    r->file = file;
    r->account = orma_accounts_get(file->imp->accounts, file->imp->model, file->row,
                                   ORMA_ACCOUNT_KERNEL_EVENT);
    r->t = (struct orma_tracedat){.file = file,
                                  .data = (const uint8_t *)events->all.data,
                                  .len = events->all.len,
                                  .uname = events->uname};
    if (!orma_tracedat_read_head(&r->t, events->head))
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "descriptions of kernel events",
                       events->head.data);
    if (set_up(r)) {
        r->translate.page_layout = (struct orma_tracefs_page_layout){8, 16}; /* as made here */
        choose_plans(r, 0);
        put_uname(r);
        told = choose_sched(r, events);
        put_events(r, events->list, events->num);
    }
    tear_down(r);
    free(r);
    return told;
}

/* At the end, so that only threads get a name which events have. */
static void tracedat_finish(struct orma_file *file)
{
    const struct tracedat *st = file->state;
    struct orma_processes *p = orma_model_processes(file->imp->model, file->machine);

    for (uint32_t i = 0; i < st->names.len; i++) {
        uint32_t utid = orma_processes_find_thread(p, st->names.data[i].pid);

        if (utid != ORMA_ID_NONE)
            orma_processes_name_thread(p, utid, st->names.data[i].name, ORMA_THREAD_NAME_OTHER);
    }
}

static void tracedat_fini(struct orma_file *file)
{
    struct tracedat *st = file->state;

    ORMA_VEC_FINI(&st->names);
}

const struct orma_format_ops orma_format_tracedat = {
    .state_bytes = sizeof(struct tracedat),
    .clock = ORMA_CLOCK_TRACE_FILE,
    .unit = ORMA_ACCOUNT_KERNEL_EVENT,
    .whole = true,
    .idle_zero = true,
    .read = tracedat_read,
    .finish = tracedat_finish,
    .fini = tracedat_fini,
};
