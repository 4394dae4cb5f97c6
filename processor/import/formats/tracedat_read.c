/*
 * What lies where in a trace.dat.
 *
 *   v6:  head, blocks one behind the other, number of CPUs, options, table of the CPUs' data
 *   v7:  head, compression, place of the first options ─► options ─► sections, further options
 *
 * A section of v7 has the same content as the block of v6, perhaps packed. Numbers are in the byte
 * order of the recorder. A cursor that ran over the end gives zeros and is marked.
 */
#include "processor/import/formats/tracedat.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/model/sched.h"

#define MAGIC_LEN (sizeof(ORMA_TRACEDAT_MAGIC) - 1)
#define VERSION_MIN 6
#define VERSION_MAX 7
#define BUFFERS_MAX 1024
/* Sections of options in a chain. */
#define CHAIN_MAX 65536
#define TAG_LEN 10
#define SECTION_HEAD 16u
#define TABLE_ROW 16u /* of a CPU, in v6 */
/* A file that was patched may have a section twice. */
#define CLAIMS 2u
#define PAGE_MIN 512u
#define PAGE_MAX (1u << 26)

enum option {
    OPTION_DONE,
    OPTION_DATE,
    OPTION_CPUSTAT,
    OPTION_BUFFER,
    OPTION_TRACECLOCK,
    OPTION_UNAME,
    OPTION_HOOK,
    OPTION_OFFSET,
    OPTION_CPUCOUNT,
    OPTION_VERSION,
    OPTION_PROCMAPS,
    OPTION_TRACEID,
    OPTION_TIME_SHIFT,
    OPTION_GUEST,
    OPTION_TSC2NSEC,
    OPTION_STRINGS,
    OPTION_HEADER_INFO,
    OPTION_FTRACE_EVENTS,
    OPTION_EVENT_FORMATS,
    OPTION_KALLSYMS,
    OPTION_PRINTK,
    OPTION_CMDLINES,
    OPTION_BUFFER_TEXT,
};

struct cursor {
    const struct orma_tracedat *t;
    const uint8_t *at, *end;
    bool failed;
};

/* ---- numbers and texts ---- */

uint64_t orma_tracedat_number(const struct orma_tracedat *self, const uint8_t *at, unsigned bytes)
{
    uint64_t val = 0;

    for (unsigned i = 0; i < bytes; i++)
        val = val << 8 | at[self->big ? i : bytes - 1 - i];
    return val;
}

static struct cursor cursor_in(const struct orma_tracedat *t, struct orma_str bytes)
{
    const uint8_t *at = (const uint8_t *)bytes.data;

    return (struct cursor){.t = t, .at = at, .end = at ? at + bytes.len : at};
}

static size_t left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

static struct orma_str take_bytes(struct cursor *c, uint64_t len)
{
    const char *at = (const char *)c->at;

    if (c->failed || len > left(c)) {
        c->failed = true;
        return (struct orma_str){NULL, 0};
    }
    c->at += len;
    return (struct orma_str){at, (size_t)len};
}

static uint64_t take_number(struct cursor *c, unsigned bytes)
{
    struct orma_str at = take_bytes(c, bytes);

    return at.data ? orma_tracedat_number(c->t, (const uint8_t *)at.data, bytes) : 0;
}

/* Up to a NUL, which is used up. */
static struct orma_str take_text(struct cursor *c)
{
    const uint8_t *nul = left(c) ? memchr(c->at, 0, left(c)) : NULL;

    if (!nul) {
        c->failed = true;
        return (struct orma_str){NULL, 0};
    }
    struct orma_str ret = {(const char *)c->at, (size_t)(nul - c->at)};
    c->at = nul + 1;
    return ret;
}

static bool take_word(struct cursor *c, const char *word, size_t len)
{
    struct orma_str at = take_bytes(c, len);

    c->failed |= !at.data || memcmp(at.data, word, len) != 0;
    return !c->failed;
}
#define TAKE_WORD(c, word) take_word(c, word, sizeof(word) - 1)

/* A text in an option may end with NULs. */
static struct orma_str trimmed(struct orma_str text)
{
    while (text.len && !text.data[text.len - 1])
        text.len--;
    return orma_str_trim(text);
}

/* ---- what is packed ---- */

bool orma_tracedat_unpack(const struct orma_tracedat *self, struct orma_str packed, uint32_t size,
                          struct orma_buf *ret)
{
    struct orma_unpacked *all = &self->file->imp->reader->unpacked;
    int r = -EFBIG;

    orma_buf_clear(ret);
    if (orma_unpacked_add(all, size))
        r = orma_inflate(self->form, packed, size, ret);
    if (r == -EFBIG && !orma_unpacked_left(all))
        orma_file_error(self->file, r, "trace.dat " ORMA_UNPACKED_BOMB);
    else if (r == -ENOTSUP)
        orma_file_error(self->file, r,
                        "this build cannot unpack the sections of this trace.dat: it was built "
                        "without that library");
    else if (r == -ENOMEM)
        self->file->imp->model->storage->failed = true;
    return !r && ret->len == size;
}

/* False: the same bytes were read too often. Sections that hold each other would have no end. */
static bool claim(struct orma_tracedat *t, uint64_t bytes)
{
    if (bytes > t->unclaimed) {
        t->overlaps = true;
        return false;
    }
    t->unclaimed -= bytes;
    return true;
}

/* The content of a section: as it lies there, or unpacked. */
static struct orma_str open_section(struct orma_tracedat *t, uint64_t offset, uint16_t want,
                                    bool *ret_packed)
{
    const struct orma_str none = {NULL, 0};
    struct cursor c = cursor_in(t, (struct orma_str){(const char *)t->data, t->len});

    (void)take_bytes(&c, offset);
    uint16_t id = (uint16_t)take_number(&c, 2), flags = (uint16_t)take_number(&c, 2);
    (void)take_number(&c, 4);
    uint64_t len = take_number(&c, 8);
    if (c.failed || id != want)
        return none;
    if (ret_packed) { /* data of CPUs are packed in pieces, and may be cut */
        *ret_packed = flags & 1;
        return (struct orma_str){(const char *)c.at, left(&c)};
    }
    struct orma_str content = take_bytes(&c, len);
    if (!c.failed && !claim(t, SECTION_HEAD + content.len))
        return none;
    if (!(flags & 1) || c.failed)
        return content;
    c = cursor_in(t, content);
    uint32_t packed = (uint32_t)take_number(&c, 4), size = (uint32_t)take_number(&c, 4);
    struct orma_str bytes = take_bytes(&c, packed);
    struct orma_buf *out = c.failed ? NULL : ORMA_VEC_ADD(&t->blobs);
    if (!out)
        return none;
    *out = (struct orma_buf){0};
    if (!orma_tracedat_unpack(t, bytes, size, out))
        return none;
    return orma_buf_str(out);
}

/* A part that the trace can do without, as far as it goes. */
static struct orma_str section_of(struct orma_tracedat *t, struct orma_str option, uint16_t id,
                                  const char *what)
{
    struct cursor c = cursor_in(t, option);
    uint64_t offset = take_number(&c, 8);
    struct orma_str ret = c.failed ? (struct orma_str){NULL, 0} : open_section(t, offset, id, NULL);

    if (!ret.data && !orma_file_failed(t->file))
        orma_file_part(t->file, ORMA_ACCOUNT_DAMAGED, what,
                       offset < t->len ? t->data + offset : NULL);
    return ret;
}

/* ---- blocks ---- */

/* "	field: local_t commit;	offset:8;	size:8;	signed:1;" */
static bool page_field(struct orma_str text, const char *name, uint64_t *ret_offset,
                       uint64_t *ret_size)
{
    struct orma_str line, part;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (!orma_str_cut(&line, ';', &part))
            continue;
        part = orma_str_trim(part);
        const size_t n = strlen(name);
        if (part.len < n || memcmp(part.data + part.len - n, name, n) != 0 ||
            !orma_str_cut(&line, ';', &part))
            continue;
        part = orma_str_trim(part);
        if (!orma_str_starts(part, ORMA_STR("offset:")) ||
            !orma_str_to_u64((struct orma_str){part.data + 7, part.len - 7}, ret_offset) ||
            !orma_str_cut(&line, ';', &part))
            continue;
        part = orma_str_trim(part);
        return orma_str_starts(part, ORMA_STR("size:")) &&
               orma_str_to_u64((struct orma_str){part.data + 5, part.len - 5}, ret_size);
    }
    return false;
}

/* As the kernel says it; else as every 64-bit one has it. */
static void read_header(struct orma_tracedat *t, struct cursor *c)
{
    uint64_t at, size;

    if (!TAKE_WORD(c, "header_page\0"))
        return;
    struct orma_str page = take_bytes(c, take_number(c, 8));
    if (!TAKE_WORD(c, "header_event\0"))
        return;
    (void)take_bytes(c, take_number(c, 8));
    if (page_field(page, " commit", &at, &size) && at == 8 && (size == 4 || size == 8))
        t->layout.commit_size = (uint8_t)size;
    t->layout.data_offset = (uint8_t)(8 + t->layout.commit_size);
    if (page_field(page, " data", &at, &size) && at >= t->layout.data_offset && at < 64) {
        t->layout.data_offset = (uint8_t)at;
        t->real_page_size = at + size < PAGE_MAX ? (uint32_t)(at + size) : 0;
    }
}

static bool each_text(struct cursor *c, struct orma_str system,
                      bool (*fn)(void *data, struct orma_str system, struct orma_str text),
                      void *data)
{
    uint32_t num = (uint32_t)take_number(c, 4);

    for (uint32_t i = 0; i < num && !c->failed; i++) {
        struct orma_str text = take_bytes(c, take_number(c, 8));

        if (!c->failed && fn && !fn(data, system, text))
            return false;
    }
    return !c->failed;
}

static bool each_format(struct cursor *c, bool has_systems,
                        bool (*fn)(void *data, struct orma_str system, struct orma_str text),
                        void *data)
{
    uint32_t systems = has_systems ? (uint32_t)take_number(c, 4) : 1;

    for (uint32_t i = 0; i < systems && !c->failed; i++) {
        struct orma_str system = has_systems ? take_text(c) : ORMA_STR("ftrace");

        if (!c->failed && !each_text(c, system, fn, data))
            return false;
    }
    return !c->failed;
}

bool orma_tracedat_each_format(const struct orma_tracedat *self, struct orma_str block,
                               bool has_systems,
                               bool (*fn)(void *data, struct orma_str system, struct orma_str text),
                               void *data)
{
    struct cursor c = cursor_in(self, block);

    return !block.data || each_format(&c, has_systems, fn, data);
}

/* What stands between here and the place where the cursor is then. */
static struct orma_str since(const uint8_t *from, const struct cursor *c)
{
    return (struct orma_str){(const char *)from, (size_t)(c->at - from)};
}

static struct orma_str take_sized(struct cursor *c, unsigned bytes)
{
    return take_bytes(c, take_number(c, bytes));
}

/* ---- options ---- */

/* "0x..." or decimal, with a sign or without. */
static int64_t signed_number(struct orma_str text)
{
    char copy[32] = {0};

    text = trimmed(text);
    memcpy(copy, text.data ? text.data : "", ORMA_MIN(text.len, sizeof(copy) - 1));
    return copy[0] == '-' ? strtoll(copy, NULL, 0) : (int64_t)strtoull(copy, NULL, 0);
}

static struct orma_tracedat_buffer *add_buffer(struct orma_tracedat *t, struct orma_str name)
{
    struct orma_tracedat_buffer *b =
        t->buffers.len < BUFFERS_MAX ? ORMA_VEC_ADD(&t->buffers) : NULL;

    if (!b) {
        orma_file_part(t->file, ORMA_ACCOUNT_NOT_READ, "buffers", NULL);
        return NULL;
    }
    *b = (struct orma_tracedat_buffer){.name = name, .page_size = t->page_size};
    return b;
}

static void add_cpu(struct orma_tracedat *t, struct orma_tracedat_buffer *b, uint32_t cpu,
                    uint64_t offset, uint64_t size)
{
    if (cpu >= ORMA_CPUS_MAX || b->cpus.len >= ORMA_CPUS_MAX) {
        if (size)
            orma_file_part(t->file, ORMA_ACCOUNT_DAMAGED, "CPUs with an impossible number", NULL);
        return;
    }
    if (ORMA_VEC_PUSH(&b->cpus, (struct orma_tracedat_cpu){cpu, offset, size}))
        t->file->imp->model->storage->failed = true;
}

/* The table of CPUs as v6 has it. */
static void read_cpu_table(struct orma_tracedat *t, struct cursor *c,
                           struct orma_tracedat_buffer *b)
{
    if (!claim(t, (uint64_t)TABLE_ROW * t->cpus_num)) {
        orma_file_part(t->file, ORMA_ACCOUNT_DAMAGED, "tables of buffers", c->at);
        return;
    }
    for (uint32_t cpu = 0; b && cpu < t->cpus_num && !c->failed; cpu++) {
        uint64_t offset = take_number(c, 8), size = take_number(c, 8);

        if (!c->failed)
            add_cpu(t, b, cpu, offset, size);
    }
    if (c->failed)
        orma_file_truncated(t->file, 1);
}

/* v6: the table lies elsewhere, and perhaps the number of CPUs is not known yet. */
struct late_buffer {
    uint64_t offset;
    uint32_t buffer;
};

struct options {
    ORMA_VEC(struct late_buffer) late;
    uint64_t next; /* v7: the next section of options */
};

static void read_buffer_v6(struct orma_tracedat *t, struct options *o, struct cursor *c)
{
    uint64_t offset = take_number(c, 8);
    struct orma_str name = take_text(c);
    const struct late_buffer late = {offset, t->buffers.len};

    if (!c->failed && add_buffer(t, name) && ORMA_VEC_PUSH(&o->late, late))
        t->file->imp->model->storage->failed = true;
}

static void read_buffer_v7(struct orma_tracedat *t, struct cursor *c)
{
    uint64_t offset = take_number(c, 8);
    struct orma_str name = take_text(c), clock = take_text(c);
    uint32_t page_size = (uint32_t)take_number(c, 4), cpus = (uint32_t)take_number(c, 4);
    struct orma_tracedat_buffer *b = c->failed ? NULL : add_buffer(t, name);

    if (!b)
        return;
    b->clock = clock;
    b->page_size = page_size;
    if (cpus && !open_section(t, offset, OPTION_BUFFER, &b->packed).data)
        orma_file_part(t->file, ORMA_ACCOUNT_DAMAGED, "sections of buffers", NULL);
    for (uint32_t i = 0; i < cpus && !c->failed; i++) {
        uint32_t cpu = (uint32_t)take_number(c, 4);
        uint64_t at = take_number(c, 8), size = take_number(c, 8);

        if (!c->failed)
            add_cpu(t, b, cpu, at, size);
    }
}

static void read_shift(struct orma_tracedat *t, struct cursor *c)
{
    (void)take_number(c, 8); /* the peer */
    t->interpolates = take_number(c, 4) & 1;
    uint32_t cpus = (uint32_t)take_number(c, 4);
    t->shifts.len = 0;
    for (uint32_t i = 0; i < cpus && !c->failed; i++) {
        struct orma_tracedat_shift s = {.num = (uint32_t)take_number(c, 4)};

        s.times = (const uint8_t *)take_bytes(c, (uint64_t)s.num * 8).data;
        s.offsets = (const uint8_t *)take_bytes(c, (uint64_t)s.num * 8).data;
        s.scalings = (const uint8_t *)take_bytes(c, (uint64_t)s.num * 8).data;
        if (!c->failed && ORMA_VEC_PUSH(&t->shifts, s))
            t->file->imp->model->storage->failed = true;
    }
    if (c->failed) {
        orma_file_part(t->file, ORMA_ACCOUNT_DAMAGED, "relations of a guest's clock", NULL);
        t->shifts.len = 0;
    }
    for (uint32_t i = 0; i < t->shifts.len && !c->failed; i++)
        t->shifts.data[i].fractions =
            (const uint8_t *)take_bytes(c, (uint64_t)t->shifts.data[i].num * 8).data;
}

/* The blocks of v7, each in a section. */
static void read_section_option(struct orma_tracedat *t, uint16_t id, struct orma_str data)
{
    struct cursor c;

    switch ((enum option)id) {
    case OPTION_HEADER_INFO:
        c = cursor_in(t, section_of(t, data, id, "layouts of pages"));
        read_header(t, &c);
        break;
    case OPTION_FTRACE_EVENTS:
        t->ftrace_formats = section_of(t, data, id, "formats of ftrace");
        break;
    case OPTION_EVENT_FORMATS:
        t->event_formats = section_of(t, data, id, "formats of events");
        break;
    case OPTION_KALLSYMS:
        c = cursor_in(t, section_of(t, data, id, "lists of symbols"));
        t->kallsyms = take_sized(&c, 4);
        break;
    case OPTION_PRINTK:
        c = cursor_in(t, section_of(t, data, id, "lists of texts"));
        t->printk = take_sized(&c, 4);
        break;
    case OPTION_CMDLINES:
        c = cursor_in(t, section_of(t, data, id, "names of threads"));
        t->cmdlines = take_sized(&c, 8);
        break;
    case OPTION_BUFFER_TEXT:
        c = cursor_in(t, data);
        t->latency = open_section(t, take_number(&c, 8), id, NULL);
        break;
    default: /* newer than this version, or of no use */
        break;
    }
}

static void read_option(struct orma_tracedat *t, struct options *o, uint16_t id,
                        struct orma_str data)
{
    struct cursor c = cursor_in(t, data);

    switch ((enum option)id) {
    case OPTION_DATE:
        t->has_date = true;
        t->added_ns = (int64_t)((uint64_t)t->added_ns + (uint64_t)signed_number(data) * 1000);
        break;
    case OPTION_OFFSET:
        t->added_ns = (int64_t)((uint64_t)t->added_ns + (uint64_t)signed_number(data));
        break;
    case OPTION_CPUSTAT:
        if (ORMA_VEC_PUSH(&t->cpu_stats, trimmed(data)))
            t->file->imp->model->storage->failed = true;
        break;
    case OPTION_BUFFER:
        if (t->version == VERSION_MIN)
            read_buffer_v6(t, o, &c);
        else
            read_buffer_v7(t, &c);
        break;
    case OPTION_TRACECLOCK:
        t->clock = trimmed(data);
        break;
    case OPTION_UNAME:
        t->uname = trimmed(data);
        break;
    case OPTION_CPUCOUNT:
        t->cpus_num = (uint32_t)take_number(&c, 4);
        break;
    case OPTION_VERSION:
        t->tool = trimmed(data);
        break;
    case OPTION_PROCMAPS:
        t->procmaps = trimmed(data);
        break;
    case OPTION_TRACEID:
        t->trace_id = take_number(&c, 8);
        t->has_trace_id = !c.failed;
        break;
    case OPTION_TIME_SHIFT:
        read_shift(t, &c);
        break;
    case OPTION_TSC2NSEC:
        t->tsc.mult = (uint32_t)take_number(&c, 4);
        t->tsc.shift = (uint32_t)take_number(&c, 4);
        if (c.failed || t->tsc.shift > 63)
            t->tsc.mult = 0;
        break;
    default:
        if (t->version > VERSION_MIN)
            read_section_option(t, id, data);
        break;
    }
}

/* Options up to their end. v7 has the place of the next ones in it. */
static void read_options(struct orma_tracedat *t, struct options *o, struct cursor *c)
{
    o->next = 0;
    while (!c->failed && !orma_file_failed(t->file)) {
        uint16_t id = (uint16_t)take_number(c, 2);

        if (id == OPTION_DONE && (t->version == VERSION_MIN || c->failed))
            return;
        struct orma_str data = take_bytes(c, take_number(c, 4));
        if (id == OPTION_DONE) {
            struct cursor end = cursor_in(t, data);

            o->next = take_number(&end, 8);
            return;
        }
        if (!c->failed)
            read_option(t, o, id, data);
    }
}

/* ---- the two versions ---- */

/* trace-cmd was killed: the table says nothing, but the data are there up to the end. */
static void guess_sizes(struct orma_tracedat *t, struct orma_tracedat_buffer *b)
{
    for (uint32_t i = 0; i < b->cpus.len; i++)
        if (b->cpus.data[i].size)
            return;
    for (uint32_t i = 0; i < b->cpus.len; i++) {
        struct orma_tracedat_cpu *cpu = &b->cpus.data[i];
        uint64_t end = t->len;

        for (uint32_t j = 0; j < b->cpus.len; j++)
            if (b->cpus.data[j].offset > cpu->offset)
                end = ORMA_MIN(end, b->cpus.data[j].offset);
        if (cpu->offset && cpu->offset < end)
            cpu->size = end - cpu->offset;
    }
}

static void read_late_tables(struct orma_tracedat *t, struct options *o)
{
    for (uint32_t i = 0; i < o->late.len && !orma_file_failed(t->file); i++) {
        struct cursor c = cursor_in(t, (struct orma_str){(const char *)t->data, t->len});

        (void)take_bytes(&c, o->late.data[i].offset);
        if (TAKE_WORD(&c, "flyrecord\0"))
            read_cpu_table(t, &c, &t->buffers.data[o->late.data[i].buffer]);
        else
            orma_file_part(t->file, ORMA_ACCOUNT_DAMAGED, "tables of buffers", NULL);
    }
}

static void read_tags(struct orma_tracedat *t, struct options *o, struct cursor *c)
{
    while (!c->failed && left(c) >= TAG_LEN) {
        struct orma_str tag = take_bytes(c, TAG_LEN);

        if (!memcmp(tag.data, "options  \0", TAG_LEN)) {
            read_options(t, o, c);
        } else if (!memcmp(tag.data, "flyrecord\0", TAG_LEN)) {
            /* The top buffer comes first, wherever its table is. */
            struct orma_tracedat_buffer top = {.page_size = t->page_size};

            read_cpu_table(t, c, &top);
            if (!o->late.len)
                guess_sizes(t, &top);
            for (uint32_t i = 0; i < o->late.len; i++)
                o->late.data[i].buffer++;
            if (ORMA_VEC_INSERT(&t->buffers, 0u, top))
                t->file->imp->model->storage->failed = true;
            return;
        } else if (!memcmp(tag.data, "latency  \0", TAG_LEN)) {
            t->latency = take_bytes(c, left(c));
            return;
        } else {
            break;
        }
    }
    orma_file_truncated(t->file, 1); /* interrupted before there were any data */
}

static bool cut_head(struct orma_tracedat *t)
{
    orma_file_error(t->file, -EBADMSG,
                    "this trace.dat ends within its description of events: no event of it can be "
                    "read; `trace-cmd restore` may help if the files of the CPUs are still there");
    return false;
}

/* What events look like, and names. */
static void read_blocks(struct orma_tracedat *t, struct cursor *c, bool has_cmdlines)
{
    const uint8_t *from;

    read_header(t, c);
    from = c->at;
    (void)each_format(c, false, NULL, NULL);
    t->ftrace_formats = since(from, c);
    from = c->at;
    (void)each_format(c, true, NULL, NULL);
    t->event_formats = since(from, c);
    t->kallsyms = take_sized(c, 4);
    t->printk = take_sized(c, 4);
    if (has_cmdlines)
        t->cmdlines = take_sized(c, 8);
}

bool orma_tracedat_read_head(struct orma_tracedat *self, struct orma_str head)
{
    struct cursor c = cursor_in(self, head);

    self->layout = (struct orma_tracefs_page_layout){8, 16};
    if (!TAKE_WORD(&c, ORMA_TRACEDAT_MAGIC))
        return false;
    const struct orma_str version = take_text(&c);
    self->big = take_number(&c, 1);
    (void)take_number(&c, 1);
    self->page_size = (uint32_t)take_number(&c, 4);
    read_blocks(self, &c, !orma_str_eq_c(version, "0.5"));
    return !c.failed && !self->big;
}

static bool read_v6(struct orma_tracedat *t, struct cursor *c)
{
    struct options o = {0};

    read_blocks(t, c, true);
    t->cpus_num = (uint32_t)take_number(c, 4);
    if (c->failed)
        return cut_head(t);
    read_tags(t, &o, c);
    read_late_tables(t, &o);
    ORMA_VEC_FINI(&o.late);
    return !orma_file_failed(t->file);
}

static bool set_compression(struct orma_tracedat *t, struct orma_str name)
{
    static const struct {
        const char *name;
        enum orma_inflate_form form;
    } known[] = {{"zlib", ORMA_INFLATE_ZLIB}, {"zstd", ORMA_INFLATE_ZSTD}};

    if (!name.len || orma_str_eq_c(name, "none"))
        return true;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(known); i++) {
        if (orma_str_eq_c(name, known[i].name)) {
            t->form = known[i].form;
            t->packs = true;
            return true;
        }
    }
    orma_file_error(t->file, -ENOTSUP,
                    "this trace.dat is packed by \"%.*s\", which cannot be unpacked: `trace-cmd "
                    "convert --compression none` makes a file that can be read",
                    (int)ORMA_MIN(name.len, (size_t)40), name.data);
    return false;
}

static bool read_v7(struct orma_tracedat *t, struct cursor *c)
{
    struct options o = {0};
    struct orma_str name = take_text(c);

    (void)take_text(c); /* version of the compression */
    uint64_t at = take_number(c, 8), before = 0;
    if (c->failed)
        return cut_head(t);
    if (!set_compression(t, name))
        return false;
    if (!at)
        orma_file_truncated(t->file, 1); /* interrupted before anything was known of the data */
    for (unsigned i = 0; at && at != before && i < CHAIN_MAX && !orma_file_failed(t->file); i++) {
        struct orma_str section = open_section(t, at, OPTION_DONE, NULL);

        if (!section.data && t->overlaps)
            orma_file_part(t->file, ORMA_ACCOUNT_DAMAGED, "sections of options", t->data + at);
        else if (!section.data)
            orma_file_truncated(t->file, 1);
        if (!section.data)
            break;
        struct cursor in = cursor_in(t, section);
        before = at;
        read_options(t, &o, &in);
        at = o.next;
    }
    ORMA_VEC_FINI(&o.late);
    return !orma_file_failed(t->file);
}

bool orma_tracedat_read(struct orma_tracedat *self)
{
    struct cursor c = cursor_in(self, (struct orma_str){(const char *)self->data, self->len});
    uint64_t version = 0;

    self->layout = (struct orma_tracefs_page_layout){8, 16};
    self->unclaimed = CLAIMS * (uint64_t)self->len;
    (void)take_bytes(&c, MAGIC_LEN);
    if (!orma_str_to_u64(take_text(&c), &version) || c.failed)
        return cut_head(self);
    if (version < VERSION_MIN || version > VERSION_MAX) {
        orma_file_error(self->file, -ENOTSUP,
                        "version %llu of trace.dat cannot be read, only %u and %u: `trace-cmd "
                        "report` of that version prints text that can be read",
                        (unsigned long long)version, VERSION_MIN, VERSION_MAX);
        return false;
    }
    self->version = (unsigned)version;
    self->big = take_number(&c, 1);
    (void)take_number(&c, 1); /* the recorder's long; that of the kernel is in header_page */
    self->page_size = (uint32_t)take_number(&c, 4);
    if (c.failed)
        return cut_head(self);
    return version == VERSION_MIN ? read_v6(self, &c) : read_v7(self, &c);
}

void orma_tracedat_fini(struct orma_tracedat *self)
{
    for (uint32_t i = 0; i < self->blobs.len; i++)
        orma_buf_fini(&self->blobs.data[i]);
    for (uint32_t i = 0; i < self->buffers.len; i++)
        ORMA_VEC_FINI(&self->buffers.data[i].cpus);
    ORMA_VEC_FINI(&self->blobs);
    ORMA_VEC_FINI(&self->buffers);
    ORMA_VEC_FINI(&self->cpu_stats);
    ORMA_VEC_FINI(&self->shifts);
}
