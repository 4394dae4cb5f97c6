/*
 * Text with stacks in it.
 *
 * What `perf script` prints:            Collapsed stacks, one per line, with how often it was seen:
 *
 *     comm pid/tid [cpu] time: event         main;work;sort 12
 *         addr symbol+0xoff (module)
 *         ...
 *     (an empty line)
 */
#include "processor/import/formats/formats.h"

#include "processor/model/callstacks.h"
#include "protos/reflect/number.h"

#define FRAMES_MAX 4096
#define COMM_MAX 256 /* the kernel has 16 bytes for it */
#define LINE_MAX ((size_t)1 << 20)

/* The next whole line; false: it is not there yet. The last one without an end is none. */
static bool next_line(struct orma_str *rest, struct orma_str *ret)
{
    const char *end = rest->len ? memchr(rest->data, '\n', rest->len) : NULL;

    if (!end)
        return false;
    *ret = (struct orma_str){rest->data, (size_t)(end - rest->data)};
    *rest = (struct orma_str){end + 1, rest->len - ret->len - 1};
    if (ret->len && ret->data[ret->len - 1] == '\r')
        ret->len--;
    return true;
}

/* What has no end is no line, and not waited for. */
static void endless_line(struct orma_file *file, struct orma_str *rest)
{
    orma_file_damage(file, rest->data, rest->len, ORMA_DAMAGED_LINE);
    rest->len = 0;
}

/* ---- perf script ---- */

struct text_sample {
    int64_t ts;
    uint32_t pid, tid;
    bool has_pid;
    struct orma_str comm;
};

struct perf_text {
    bool open; /* a sample whose frames are being read */
    struct text_sample sample;
    uint32_t frames[FRAMES_MAX]; /* innermost first */
    unsigned frames_num;
    struct orma_arena arena;
};

/* A sample at rest. */
struct text_event {
    uint32_t pid, tid, callsite;
    uint32_t comm; /* pool id */
    bool has_pid;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Takes the last word from the line; empty: there is none. */
static struct orma_str cut_last_word(struct orma_str *line)
{
    size_t at, end = line->len;

    while (end && is_blank(line->data[end - 1]))
        end--;
    for (at = end; at && !is_blank(line->data[at - 1]);)
        at--;
    line->len = at;
    return (struct orma_str){line->data + at, end - at};
}

static bool read_id(struct orma_str s, uint32_t *ret)
{
    uint64_t val;

    if (!s.len || s.len > 10 || !orma_str_to_u64(s, &val) || val > UINT32_MAX)
        return false;
    *ret = (uint32_t)val;
    return true;
}

/* "5.678901": seconds. */
static bool read_time(struct orma_str word, int64_t *ret)
{
    char text[40];
    double seconds;

    if (!word.len || word.len >= sizeof(text) || word.data[0] < '0' || word.data[0] > '9' ||
        !memchr(word.data, '.', word.len))
        return false;
    memcpy(text, word.data, word.len);
    text[word.len] = '\0';
    if (!orma_number_to_double(text, &seconds) || seconds > 9e9)
        return false;
    *ret = (int64_t)(seconds * 1e3 * 1e3 * 1e3); /* cut, as others do, in their steps */
    return true;
}

/* "12" or "12/34". */
static bool read_thread(struct orma_str word, struct text_sample *ret)
{
    struct orma_str pid;

    ret->has_pid = word.len && memchr(word.data, '/', word.len);
    if (ret->has_pid && (!orma_str_cut(&word, '/', &pid) || !read_id(pid, &ret->pid)))
        return false;
    return read_id(word, &ret->tid);
}

/* "comm 12/34 [001] 5.678: ...": before one of the colons there are a time and a thread. */
static bool read_header(struct orma_str line, struct text_sample *ret)
{
    for (size_t i = 1; i < line.len; i++) {
        struct orma_str rest = {line.data, i}, word;

        if (line.data[i] != ':' || line.data[i - 1] < '0' || line.data[i - 1] > '9' ||
            !read_time(cut_last_word(&rest), &ret->ts))
            continue;
        word = cut_last_word(&rest);
        if (word.len && word.data[0] == '[')
            word = cut_last_word(&rest); /* that was the cpu */
        ret->comm = orma_str_trim(rest);
        if (ret->comm.len && read_thread(word, ret))
            return true;
    }
    return false;
}

/* Words of a comm with one blank between them. */
static uint32_t comm_text(struct orma_import_ctx *imp, struct orma_str comm)
{
    char text[COMM_MAX];
    size_t len = 0;

    for (size_t i = 0; i < comm.len && len < sizeof(text); i++)
        if (!is_blank(comm.data[i]))
            text[len++] = comm.data[i];
        else if (!is_blank(comm.data[i - 1]))
            text[len++] = ' ';
    return orma_model_str(imp->model, (struct orma_str){text, len});
}

/* "  7f81ee50c5d7 ioctl+0x7 (/lib/libc.so)" */
static void read_frame(struct orma_import_ctx *imp, struct perf_text *p, struct orma_str line)
{
    struct orma_str rest = orma_str_trim(line), address;
    struct orma_mapping m = {.end = UINT64_MAX}; /* where it lies, the text does not say */
    struct orma_stack_frame f = {0};

    if (!orma_str_cut(&rest, ' ', &address) || p->frames_num == FRAMES_MAX)
        return;
    rest = orma_str_trim(rest);
    for (size_t i = rest.len; rest.len && rest.data[rest.len - 1] == ')' && i-- > 0;) {
        if (rest.data[i] != '(' || (i && !is_blank(rest.data[i - 1])))
            continue;
        m.name = orma_model_str(imp->model, (struct orma_str){rest.data + i + 1, rest.len - i - 2});
        rest = orma_str_trim((struct orma_str){rest.data, i});
        break;
    }
    for (size_t i = rest.len; i-- > 1;) { /* without the place in the function */
        if (rest.data[i] == '+' && rest.len - i > 2 && rest.data[i + 1] == '0' &&
            rest.data[i + 2] == 'x') {
            rest.len = i;
            break;
        }
    }
    f.mapping = orma_callstacks_mapping(imp->model, &m);
    f.name = orma_model_str(imp->model, rest);
    p->frames[p->frames_num++] = orma_callstacks_symbolized_frame(imp->model, &f);
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

static void end_sample(struct orma_file *file, struct perf_text *p, bool at_end)
{
    struct orma_import_ctx *imp = file->imp;
    uint32_t callsite = ORMA_CALLSITE_NONE;
    struct text_event *e;

    if (!p->open)
        return;
    p->open = false;
    if (!p->frames_num) {
        if (!at_end)
            orma_stats_inc(orma_model_stats(imp->model, imp->model->base),
                           ORMA_STAT_PERF_TEXT_IMPORTER_SAMPLE_NO_FRAMES);
        return;
    }
    for (unsigned i = p->frames_num; i-- > 0;)
        callsite = callsite_from_one(imp, callsite, p->frames[i]);
    e = orma_arena_alloc(&p->arena, sizeof(*e));
    if (!e) {
        imp->model->storage->failed = true;
        return;
    }
    *e = (struct text_event){
        .pid = p->sample.pid,
        .tid = p->sample.tid,
        .callsite = callsite,
        .comm = comm_text(imp, p->sample.comm),
        .has_pid = p->sample.has_pid,
    };
    orma_file_add(file, p->sample.ts, 0, (const uint8_t *)e, sizeof(*e));
}

static size_t perf_text_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct perf_text *p = file->state;
    struct orma_str rest = {(const char *)data, len}, line;

    while (next_line(&rest, &line) && !orma_file_failed(file)) {
        bool frame = line.len && (line.data[0] == ' ' || line.data[0] == '\t') && p->open;

        if (frame && orma_str_trim(line).len) {
            read_frame(file->imp, p, line);
            continue;
        }
        end_sample(file, p, false);
        if (!line.len || line.data[0] == '#')
            continue;
        p->open = read_header(line, &p->sample);
        if (!p->open && orma_str_trim(line).len)
            orma_file_damage(file, line.data, line.len, ORMA_DAMAGED_LINE);
        p->frames_num = 0;
    }
    if (rest.len > LINE_MAX)
        endless_line(file, &rest);
    if (at_end) {
        end_sample(file, p, true);
        orma_model_cut_off(file->imp->model, rest.len);
    }
    return len - rest.len;
}

static void perf_text_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_processes *p = orma_model_processes(file->imp->model, file->imp->model->base);
    struct text_event e;

    memcpy(&e, item->data, sizeof(e));
    uint32_t utid =
        e.has_pid ? orma_processes_thread_of(p, e.tid, e.pid) : orma_processes_thread(p, e.tid);
    orma_processes_name_thread(p, utid, e.comm, ORMA_THREAD_NAME_FTRACE);
    uint32_t upid = orma_processes_upid(p, utid);
    if (e.has_pid && e.pid == e.tid && upid != ORMA_ID_NONE)
        orma_processes_name_process(p, upid, e.comm, ORMA_PROCESS_NAME_OTHER);
    orma_callstacks_stack(file->imp->model, item->ts, "perf_text", utid, e.callsite);
}

static void perf_text_fini(struct orma_file *file)
{
    struct perf_text *p = file->state;

    orma_arena_fini(&p->arena);
}

const struct orma_format_ops orma_format_perf_text = {
    .state_bytes = sizeof(struct perf_text),
    .clock = ORMA_CLOCK_MONOTONIC,
    .read = perf_text_read,
    .parse = perf_text_parse,
    .fini = perf_text_fini,
};

/* ---- collapsed stacks ---- */

struct collapsed {
    uint32_t profile; /* + 1; 0: not made yet */
};

/* The profile of the file, made with its first stack. */
static uint32_t profile_of(struct orma_import_ctx *imp, struct collapsed *c)
{
    if (!c->profile)
        c->profile =
            1 + orma_callstacks_aggregate(imp->model, "collapsed_stack_file",
                                          orma_model_cstr(imp->model, "collapsed_stack samples"),
                                          orma_model_cstr(imp->model, "samples"),
                                          orma_model_cstr(imp->model, "count"));
    return c->profile - 1;
}

/* Outermost first; names that are empty are left out. */
static uint32_t collapsed_stack(struct orma_import_ctx *imp, struct orma_str stack)
{
    uint32_t callsite = ORMA_CALLSITE_NONE;
    struct orma_str name;

    while (orma_str_cut(&stack, ';', &name)) {
        const struct orma_stack_frame f = {
            .mapping = orma_callstacks_dummy_mapping(imp->model, "[collapsed_stack]"),
            .name = orma_model_str(imp->model, name)};

        if (name.len)
            callsite = orma_callstacks_callsite(imp->model, callsite,
                                                orma_callstacks_symbolized_frame(imp->model, &f));
    }
    return callsite;
}

static void collapsed_line(struct orma_file *file, struct collapsed *c, struct orma_str line)
{
    struct orma_import_ctx *imp = file->imp;
    int64_t count;

    line = orma_str_trim(line);
    if (!line.len || line.data[0] == '#')
        return;
    struct orma_str stack = line, num = cut_last_word(&stack);
    stack.len -= stack.len > 0; /* one blank; others belong to the last name */
    if (!stack.len || !orma_str_to_i64(num, &count) || count < 0) {
        orma_file_damage(file, line.data, line.len, ORMA_DAMAGED_LINE);
        return;
    }
    uint32_t profile = profile_of(imp, c);
    uint32_t callsite = count ? collapsed_stack(imp, stack) : ORMA_CALLSITE_NONE;
    if (callsite != ORMA_CALLSITE_NONE)
        orma_callstacks_aggregate_add(imp->model, profile, callsite, (double)count);
}

static size_t collapsed_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_str rest = {(const char *)data, len}, line;

    while (next_line(&rest, &line) && !orma_file_failed(file))
        collapsed_line(file, file->state, line);
    if (at_end) {
        collapsed_line(file, file->state, rest);
        rest.len = 0;
    }
    if (rest.len > LINE_MAX)
        endless_line(file, &rest);
    return len - rest.len;
}

const struct orma_format_ops orma_format_collapsed = {
    .state_bytes = sizeof(struct collapsed),
    .read = collapsed_read,
};
