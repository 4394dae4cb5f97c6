/*
 * What `perf script` prints:
 *
 *     comm pid/tid [cpu] flags time: period event:
 *         addr symbol+0xoff (module)             frames, innermost first; they begin with a tab
 *         ...
 *     (an empty line)
 *
 *     comm tid [cpu] time: period event: addr symbol+0xoff (module)       without call chains
 *     comm tid [cpu] time: group:event: what the tracepoint says
 *     comm tid [cpu] time: PERF_RECORD_...                                no sample
 *
 * Any of it may be missing but the thread and the time (perf's -F). Comms may have blanks, digits
 * and colons, so a line is read from the first colon that a time and a thread stand before. What
 * follows a frame and is none (source lines, registers, instructions, branches) belongs to the
 * sample, and is left out.
 */
#include "processor/import/formats/formats.h"
#include "processor/import/formats/lines.h"
#include "processor/model/callstacks.h"
#include "protos/reflect/number.h"

#define FRAMES_MAX 4096
#define TIME_MAX 40 /* digits and a point, less one */
/* Addresses stand in columns of so many characters, with the blank before them. */
#define COLUMN 17
#define RECORD ORMA_STR("PERF_RECORD_")

struct text_sample {
    int64_t ts;
    uint32_t pid, tid;
    bool has_pid;
    struct orma_str comm; /* empty: not printed */
    struct orma_str rest; /* behind the time */
};

/* What lines that begin with blanks belong to. */
enum within {
    NOTHING,
    SAMPLE, /* frames, and what is printed with them */
    OTHER,  /* a record of perf */
    DAMAGE, /* a line that could not be read */
};

/* Texts of frames that were read lately: most come again soon. */
#define KNOWN_LOG 10
struct known_frame {
    struct orma_str text; /* in the file */
    uint32_t frame;
};

struct perf_text {
    struct orma_formats_lines lines;
    enum within within;
    bool in_line; /* the only frame stood in the line of its sample */
    struct text_sample sample;
    uint32_t frames[FRAMES_MAX]; /* innermost first */
    unsigned frames_num;
    struct known_frame known[1 << KNOWN_LOG]; /* by slot_of() */
    struct orma_arena arena;
};

/* A sample at rest. */
struct text_event {
    uint32_t pid, tid, callsite;
    uint32_t comm; /* pool id; 0: none */
    bool has_pid;
};

/* ---- the line of a sample ---- */

/* "12", or "-1" of what is no thread. */
static bool read_id(struct orma_str s, uint32_t *ret)
{
    uint64_t val = UINT32_MAX;

    if (!orma_str_eq(s, ORMA_STR("-1")) &&
        (!s.len || s.len > 10 || !orma_str_to_u64(s, &val) || val > UINT32_MAX))
        return false;
    *ret = (uint32_t)val;
    return true;
}

static size_t digits_at(struct orma_str s, size_t at)
{
    size_t end = at;

    while (end < s.len && s.data[end] >= '0' && s.data[end] <= '9')
        end++;
    return end - at;
}

/* "5.678901" or "5.678901234": seconds. */
static bool read_time(struct orma_str word, int64_t *ret)
{
    size_t whole = digits_at(word, 0);
    char text[TIME_MAX];
    double seconds;

    if (!whole || word.len <= whole + 1 || word.len >= sizeof(text) || word.data[whole] != '.' ||
        digits_at(word, whole + 1) != word.len - whole - 1)
        return false;
    memcpy(text, word.data, word.len);
    text[word.len] = '\0';
    if (!orma_number_to_double(text, &seconds) || seconds > 9e9)
        return false;
    *ret = (int64_t)(seconds * 1e3 * 1e3 * 1e3); /* cut, as others do, in their steps */
    if (word.len - whole - 1 == 9) {             /* --ns, which a double need not hold */
        uint64_t s = 0, ns = 0;

        (void)orma_str_to_u64((struct orma_str){word.data, whole}, &s); /* digits, not too many */
        (void)orma_str_to_u64((struct orma_str){word.data + whole + 1, 9}, &ns);
        *ret = (int64_t)(s * 1000000000 + ns);
    }
    return true;
}

/* "12" or "12/34". */
static bool read_thread(struct orma_str word, struct text_sample *ret)
{
    struct orma_str pid;

    ret->has_pid = word.len && memchr(word.data, '/', word.len);
    if (ret->has_pid && (!orma_str_cut(&word, '/', &pid) || !read_id(pid, &ret->pid)))
        return false;
    if (!read_id(word, &ret->tid))
        return false;
    ret->has_pid = ret->has_pid && ret->pid != UINT32_MAX;
    return true;
}

static bool is_cpu(struct orma_str word)
{
    return word.len > 2 && word.data[0] == '[' && word.data[word.len - 1] == ']' &&
           digits_at(word, 1) == word.len - 2;
}

/* "K", "Up": in which mode the sample was taken (-F +misc). */
static bool is_mode(struct orma_str word)
{
    return word.len && word.len <= 4 && memchr("KUHGg", word.data[0], 5);
}

/* "comm 12/34 [001] U ", which the time follows. */
static bool read_who(struct orma_str who, struct text_sample *ret)
{
    struct orma_str word = orma_formats_cut_last(&who);

    if (is_mode(word))
        word = orma_formats_cut_last(&who);
    if (is_cpu(word))
        word = orma_formats_cut_last(&who);
    ret->comm = orma_str_trim(who);
    return read_thread(word, ret);
}

/* "comm 12/34 [001] 5.678901: ..." */
static bool read_header(struct orma_str line, struct text_sample *ret)
{
    for (size_t i = 1, from; i < line.len; i++) {
        if (line.data[i] != ':' || line.data[i - 1] < '0' || line.data[i - 1] > '9')
            continue;
        for (from = i; from && i - from < TIME_MAX && !orma_formats_is_blank(line.data[from - 1]);)
            from--;
        if (!read_time((struct orma_str){line.data + from, i - from}, &ret->ts))
            continue;
        ret->rest = (struct orma_str){line.data + i + 1, line.len - i - 1};
        if (read_who((struct orma_str){line.data, from}, ret))
            return true;
    }
    return false;
}

/* ---- frames ---- */

static inline bool is_hex_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_hex(struct orma_str word)
{
    if (!word.len || word.len > 16)
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (!is_hex_digit(word.data[i]))
            return false;
    return true;
}

/* "0x12" at the end of the text, behind a '+', is truncated. */
static struct orma_str without_offset(struct orma_str s)
{
    size_t at = s.len;

    while (at && s.data[at - 1] != '+')
        at--;
    const struct orma_str off = {s.data + at, s.len - at};
    if (at > 1 && orma_str_starts(off, ORMA_STR("0x")) &&
        is_hex((struct orma_str){off.data + 2, off.len - 2}))
        s.len = at - 1;
    return s;
}

/* Takes "(module)" off the end; names may have brackets, too: "(/tmp/x (deleted))". */
static struct orma_str cut_module(struct orma_str *frame)
{
    size_t last = frame->len, open = 0;

    if (!frame->len || frame->data[frame->len - 1] != ')')
        return (struct orma_str){0};
    for (size_t i = frame->len; i-- > 0;) {
        bool begins = frame->data[i] == '(' && (!i || orma_formats_is_blank(frame->data[i - 1]));

        open += frame->data[i] == ')';
        open -= frame->data[i] == '(' && open;
        if (begins && (!open || last == frame->len))
            last = i;
        if (begins && !open)
            break;
    }
    if (last == frame->len)
        return (struct orma_str){0};
    const struct orma_str module = {frame->data + last + 1, frame->len - last - 2};
    *frame = orma_str_trim((struct orma_str){frame->data, last});
    return module;
}

/* "ioctl+0x7 (/lib/libc.so)" */
static uint32_t frame_of(struct orma_import_ctx *imp, struct orma_str text)
{
    struct orma_mapping m = {.end = UINT64_MAX}; /* where it lies, the text does not say */
    struct orma_stack_frame f = {0};
    struct orma_str name = orma_str_trim(text), module = cut_module(&name);

    if (module.data)
        m.name = orma_model_str(imp->model, without_offset(module));
    f.mapping = orma_callstacks_mapping(imp->model, &m);
    f.name = orma_model_str(imp->model, without_offset(name));
    return orma_callstacks_symbolized_frame(imp->model, &f);
}

/* By how the text begins and how its name ends, more or less: the middle of it is not looked at. */
static uint32_t slot_of(struct orma_str text)
{
    uint64_t first = 0, middle = 0;

    if (text.len >= 16) {
        memcpy(&first, text.data + 1, 8);
        memcpy(&middle, text.data + text.len / 2 - 4, 8);
    }
    return (uint32_t)((first * 31 + middle + text.len) * 0x9e3779b97f4a7c15u >> (64 - KNOWN_LOG));
}

static void add_frame(struct orma_import_ctx *imp, struct perf_text *p, struct orma_str text)
{
    struct known_frame *known = &p->known[slot_of(text)];

    if (!known->text.data || !orma_str_eq(known->text, text))
        *known = (struct known_frame){text, frame_of(imp, text)};
    p->frames[p->frames_num++] = known->frame;
}

/* Takes the address off the begin of a line, which some write with 0x; false: there is none. */
static bool cut_address(struct orma_str *line)
{
    size_t at = 0, from;

    while (at < line->len && orma_formats_is_blank(line->data[at]))
        at++;
    if (line->len - at > 2 && line->data[at] == '0' && line->data[at + 1] == 'x')
        at += 2;
    for (from = at; at < line->len && is_hex_digit(line->data[at]);)
        at++;
    if (at == from || at - from > 16 || (at < line->len && line->data[at] != ' '))
        return false; /* instructions of branches have a tab there */
    *line = (struct orma_str){line->data + at, line->len - at};
    return true;
}

/* "  7f81ee50c5d7 ioctl+0x7 (/lib/libc.so)"; other lines of a sample are passed over. */
static void read_frame(struct orma_file *file, struct perf_text *p, struct orma_str line)
{
    struct orma_str rest = line;

    if (!cut_address(&rest))
        return;
    if (p->in_line)
        p->frames_num = 0; /* there is a call chain, so that was none */
    p->in_line = false;
    if (p->frames_num == FRAMES_MAX)
        orma_file_damage(file, line.data, line.len, "a frame of a stack that is too deep");
    else
        add_frame(file->imp, p, rest);
}

/* Modifiers of events, "cycles:ppu"; names of tracepoints have others behind the colon. */
static bool is_tracepoint(struct orma_str event)
{
    const char *colon = event.len ? memchr(event.data, ':', event.len) : NULL;

    for (const char *c = colon ? colon + 1 : NULL; c && c < event.data + event.len; c++)
        if (!memchr(":ukhGHpPSDIWebR", *c, 15))
            return true;
    return false;
}

static bool is_event(struct orma_str word)
{
    return word.len > 1 && word.data[word.len - 1] == ':';
}

/* Takes "5000000 cpu-clock: " off the begin of what follows the time; either may be missing. */
static struct orma_str cut_event(struct orma_str *rest)
{
    struct orma_str at = *rest, word = orma_formats_cut_first(&at), next = at;

    if (word.len && digits_at(word, 0) == word.len) {
        const char *before = next.data;
        struct orma_str second = orma_formats_cut_first(&next);

        /* What has a symbol behind it is an address. */
        if (second.len && !is_event(second) &&
            !(is_hex(second) && (size_t)(next.data - before) >= COLUMN))
            return (struct orma_str){0};
        *rest = at;
        at = next;
        word = second;
    }
    if (!is_event(word))
        return (struct orma_str){0};
    *rest = at;
    return (struct orma_str){word.data, word.len - 1};
}

/*
 * The frame in the line of a sample. Numbers in columns come before the address that has a symbol
 * (what was accessed), and others behind the module (branches, instructions).
 */
static void read_in_line(struct orma_import_ctx *imp, struct perf_text *p, struct orma_str rest)
{
    bool tracepoint = is_tracepoint(cut_event(&rest)), first = true;
    struct orma_str at = rest, frame = {0};

    for (;; first = false) {
        const char *before = at.data;
        struct orma_str word = orma_formats_cut_first(&at);
        size_t width = (size_t)(at.data - before);

        if (!word.len || (first && word.data[0] == '(') || (frame.data && word.data[0] == '('))
            break;
        if (is_hex(word) && (width == COLUMN || (first && (!tracepoint || width == COLUMN + 1))))
            frame = at;
    }
    if (!frame.data)
        return;
    for (size_t i = frame.len; i-- > 0;) {
        if (frame.data[i] != ')' ||
            (i + 1 < frame.len && !orma_formats_is_blank(frame.data[i + 1])))
            continue;
        frame.len = i + 1;
        break;
    }
    add_frame(imp, p, frame);
    p->in_line = true;
}

/* ---- samples ---- */

/* Words of a comm with one blank between them. */
static uint32_t comm_text(struct orma_import_ctx *imp, struct orma_str comm)
{
    struct orma_buf text = {0};
    struct orma_str word;
    uint32_t id;

    if (!comm.len)
        return 0;
    if (!memchr(comm.data, '\t', comm.len) && !orma_str_find(comm, ORMA_STR("  ")))
        return orma_model_str(imp->model, comm);
    while ((word = orma_formats_cut_first(&comm)).len) {
        if (text.len)
            orma_buf_put_byte(&text, ' ');
        orma_buf_put(&text, word.data, word.len);
    }
    imp->model->storage->failed |= text.failed;
    id = orma_model_str(imp->model, orma_buf_str(&text));
    orma_buf_fini(&text);
    return id;
}

/* A call site whose root has depth 1. */
static uint32_t callsite_from_one(struct orma_import_ctx *imp, uint32_t parent, uint32_t frame)
{
    uint32_t callsite = orma_callstacks_callsite(imp->model, parent, frame);

    if (parent == ORMA_CALLSITE_NONE && callsite != ORMA_CALLSITE_NONE)
        orma_table_set(orma_model_table(imp->model, ORMA_TABLE_STACK_PROFILE_CALLSITE),
                       ORMA_STACK_PROFILE_CALLSITE_DEPTH, callsite, 1);
    return callsite;
}

static void end_sample(struct orma_file *file, struct perf_text *p)
{
    struct orma_import_ctx *imp = file->imp;
    uint32_t callsite = ORMA_CALLSITE_NONE;
    struct text_event *e;

    if (p->within != SAMPLE)
        return;
    orma_file_unit(file, NULL);
    if (!p->frames_num) {
        orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                       ORMA_STAT_PERF_TEXT_IMPORTER_SAMPLE_NO_FRAMES);
        (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "samples without a frame");
        return;
    }
    for (unsigned i = p->frames_num; i-- > 0;)
        callsite = callsite_from_one(imp, callsite, p->frames[i]);
    e = orma_arena_alloc(&p->arena, sizeof(*e));
    if (!e) {
        imp->model->storage->failed = true; /* the unit has no end */
        return;
    }
    *e = (struct text_event){
        .pid = p->sample.pid,
        .tid = p->sample.tid,
        .callsite = callsite,
        .comm = comm_text(imp, p->sample.comm),
        .has_pid = p->sample.has_pid,
    };
    (void)orma_file_add(file, p->sample.ts, 0, (const uint8_t *)e, sizeof(*e));
}

static enum within begin(struct orma_file *file, struct perf_text *p, struct orma_str line)
{
    p->frames_num = 0;
    p->in_line = false;
    if (!read_header(line, &p->sample)) {
        /* Records without a time, headings, source code. */
        if (line.data[0] == '#' || line.data[0] == '|')
            return OTHER;
        orma_file_unit(file, line.data);
        if (orma_str_starts(line, RECORD)) {
            (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "non-sample records");
            return OTHER;
        }
        (void)orma_file_damaged(file, "lines", line.data, line.len, ORMA_DAMAGED_LINE);
        return DAMAGE;
    }
    if (orma_str_starts(orma_str_trim(p->sample.rest), RECORD)) {
        orma_file_unit(file, line.data);
        (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "non-sample records");
        return OTHER;
    }
    read_in_line(file->imp, p, p->sample.rest);
    return SAMPLE;
}

static void on_line(struct orma_file *file, struct perf_text *p, struct orma_str line)
{
    struct text_sample next;

    if (!orma_str_trim(line).len) {
        end_sample(file, p);
        p->within = NOTHING;
        return;
    }
    /* Comms are moved to the right by blanks, frames by a tab. */
    if (orma_formats_is_blank(line.data[0]) && p->within != NOTHING &&
        (line.data[0] == '\t' || !read_header(line, &next))) {
        if (p->within == SAMPLE)
            read_frame(file, p, line);
        else if (p->within == DAMAGE)
            orma_file_damage(file, line.data, line.len, ORMA_DAMAGED_LINE);
        return;
    }
    end_sample(file, p);
    p->within = begin(file, p, line);
}

static size_t perf_text_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct perf_text *p = file->state;
    struct orma_str rest = {(const char *)data, len}, line;

    while (!orma_file_failed(file) &&
           orma_formats_next_line(&p->lines, file, &rest, at_end, &line)) {
        /* A name may go on where the text ends. */
        if (at_end && !rest.len && data[len - 1] != '\n' && line.len &&
            line.data[line.len - 1] != ')')
            orma_file_truncated(file, line.len);
        else
            on_line(file, p, line);
    }
    if (at_end)
        end_sample(file, p);
    return len - rest.len;
}

static struct orma_unit_end perf_text_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->imp->model->base);
    struct text_event e;

    memcpy(&e, item->data, sizeof(e));
    uint32_t utid =
        e.has_pid ? orma_processes_thread_of(p, e.tid, e.pid) : orma_processes_thread(p, e.tid);
    if (e.comm)
        orma_processes_name_thread(p, utid, e.comm, ORMA_THREAD_NAME_FTRACE);
    uint32_t upid = orma_processes_upid(p, utid);
    if (e.comm && e.has_pid && e.pid == e.tid && upid != ORMA_ID_NONE)
        orma_processes_name_process(p, upid, e.comm, ORMA_PROCESS_NAME_OTHER);
    orma_callstacks_stack(file->imp->model, item->ts, "perf_text", utid, e.callsite);
    return orma_file_took(file);
}

static void perf_text_fini(struct orma_file *file)
{
    struct perf_text *p = file->state;

    orma_arena_fini(&p->arena);
}

const struct orma_format_ops orma_format_perf_text = {
    .state_bytes = sizeof(struct perf_text),
    .clock = ORMA_CLOCK_MONOTONIC,
    .unit = "sample",
    .read = perf_text_read,
    .parse = perf_text_parse,
    .fini = perf_text_fini,
};
