/*
 * Method traces of ART, in their older form.
 *
 *   text form        *version N, options, *threads, *methods, *end: lines; then the records
 *   streaming form   the records, with what they refer to between them
 *
 *   records          "SLOW" version offset start-time ..., then at the offset, each of the same
 * size: thread, method | action, microseconds since the start
 *
 * Which clocks a record has is an option, which the streaming form tells last. So that form is
 * walked twice: names and options first, then the records. Both are read as far as they are whole.
 */
#include "processor/import/formats/art_method.h"

#include <errno.h>

#include "sdk/base/hex.h"

#define HEADER 32
#define STREAMING 0xf0 /* in the version */
#define VERSION_MAX 3
#define WALL_SIZE 8  /* of what a record has behind the thread: method, one time */
#define DUAL_SIZE 12 /* method, time of the thread, time */
#define LINE_MAX ((size_t)1 << 16)

struct art {
    struct orma_art common;
    bool dual;      /* records have the time of the thread, too */
    bool has_clock; /* that was told; else the version says it */
    unsigned tid_size, record_size;
    int64_t start_us;
    bool has_count; /* of records: streams do not know it */
    uint64_t count;
};

/* ---- what all forms share ---- */

struct event {
    uint64_t method;
    uint32_t thread; /* index */
    uint32_t action;
};

uint64_t orma_format_art_number(struct orma_art_cursor *c, unsigned bytes)
{
    uint64_t val = 0;

    if ((size_t)(c->end - c->pos) < bytes) {
        c->failed = true;
        c->pos = c->end;
        return 0;
    }
    for (unsigned i = bytes; i-- > 0;)
        val = val << 8 | c->pos[i];
    c->pos += bytes;
    return val;
}

struct orma_str orma_format_art_bytes(struct orma_art_cursor *c, size_t len)
{
    struct orma_str ret = {(const char *)c->pos, len};

    if (len > (size_t)(c->end - c->pos)) {
        c->failed = true;
        ret.len = (size_t)(c->end - c->pos);
    }
    c->pos += ret.len;
    return ret;
}

/* A file of Java lies where its class does, as far as the class says. */
static uint32_t path_of(struct orma_file *file, struct orma_str class, struct orma_str path)
{
    struct orma_art *art = file->state;
    const char *slash = class.len ? memrchr(class.data, '/', class.len) : NULL;
    const struct orma_str java = ORMA_STR(".java");

    orma_buf_clear(&art->scratch);
    if (slash && path.len >= java.len &&
        !memcmp(path.data + path.len - java.len, java.data, java.len))
        orma_buf_put(&art->scratch, class.data, (size_t)(slash - class.data) + 1);
    orma_buf_put(&art->scratch, path.data, path.len);
    file->imp->model->storage->failed |= art->scratch.failed;
    return orma_model_str(file->imp->model, orma_buf_str(&art->scratch));
}

static uint32_t name_of(struct orma_file *file, struct orma_str class, struct orma_str method,
                        struct orma_str signature)
{
    struct orma_art *art = file->state;

    orma_buf_clear(&art->scratch);
    orma_buf_put(&art->scratch, class.data, class.len);
    if (method.len)
        orma_buf_printf(&art->scratch, ".%.*s", ORMA_STR_ARG(method));
    if (signature.len)
        orma_buf_printf(&art->scratch, ": %.*s", ORMA_STR_ARG(signature));
    file->imp->model->storage->failed |= art->scratch.failed;
    return orma_model_str(file->imp->model, orma_buf_str(&art->scratch));
}

static int64_t line_of(struct orma_str word)
{
    int64_t line;

    return orma_str_to_i64(word, &line) ? line : ORMA_ART_LINE_NONE;
}

void orma_format_art_add_method(struct orma_file *file, uint64_t id, struct orma_str words)
{
    struct orma_art *art = file->state;
    struct orma_str w[5] = {{0}}, rest = words; /* class, method, signature, file, line */
    struct orma_art_method m = {.line = ORMA_ART_LINE_NONE};
    unsigned num = 0;

    while (num < 5 && orma_str_cut(&rest, '\t', &w[num]))
        num++;
    if (!num || num == 2) { /* a method or a file, and nothing that tells which */
        orma_file_damage(file, words.data, words.len, "a method without a signature");
        return;
    }
    if (num == 5) {
        m.path = path_of(file, w[0], w[3]);
        m.line = line_of(w[4]);
    } else if (num > 2 && w[2].len && w[2].data[0] == '(') {
        m.path = num > 3 ? orma_model_str(file->imp->model, w[3]) : 0;
    } else if (num > 2) {
        m.path = orma_model_str(file->imp->model, w[1]);
        m.line = line_of(w[2]);
        w[1] = w[2] = (struct orma_str){0};
    }
    m.name = name_of(file, w[0], w[1], w[2]);
    file->imp->model->storage->failed |= orma_map_put(&art->methods_by, id, art->methods.len) < 0;
    if (ORMA_VEC_PUSH(&art->methods, m))
        file->imp->model->storage->failed = true;
}

/* The index of the thread, which may have no name yet. */
static uint32_t thread_index(struct orma_file *file, uint32_t tid)
{
    struct orma_art *art = file->state;
    const struct orma_art_thread t = {.tid = tid, .track = ORMA_TRACK_NONE};
    uint64_t have = orma_map_get(&art->threads_by, tid);

    if (have != ORMA_MAP_NONE)
        return (uint32_t)have;
    if (ORMA_VEC_PUSH(&art->threads, t) ||
        orma_map_put(&art->threads_by, tid, art->threads.len - 1) < 0) {
        file->imp->model->storage->failed = true;
        return UINT32_MAX;
    }
    return art->threads.len - 1;
}

void orma_format_art_add_thread(struct orma_file *file, uint32_t tid, struct orma_str name)
{
    struct orma_art *art = file->state;
    uint32_t idx = thread_index(file, tid);

    if (idx < art->threads.len)
        art->threads.data[idx].name = orma_model_str(file->imp->model, name);
}

bool orma_format_art_has_thread(const struct orma_file *file, uint32_t tid)
{
    const struct orma_art *art = file->state;

    return orma_map_get(&art->threads_by, tid) != ORMA_MAP_NONE;
}

void orma_format_art_add_event(struct orma_file *file, int64_t ts, uint32_t tid, uint64_t method,
                               enum orma_art_action action)
{
    struct orma_art *art = file->state;
    struct event *e = orma_arena_alloc(&art->arena, sizeof(*e));

    if (!e) {
        file->imp->model->storage->failed = true;
        return;
    }
    *e = (struct event){method, thread_index(file, tid), action};
    orma_file_unit(file, NULL);
    (void)orma_file_add(file, ts, 0, (const uint8_t *)e, sizeof(*e));
}

static uint32_t track_of(struct orma_file *file, struct orma_art_thread *t)
{
    struct orma_model *model = file->imp->model;
    struct orma_processes *p = orma_model_processes(model, model->base);

    if (t->track != ORMA_TRACK_NONE)
        return t->track;
    uint32_t utid = orma_processes_thread(p, t->tid);
    uint32_t upid = orma_processes_upid(p, utid);
    ORMA_MODEL_ARGS(source, model);
    const struct orma_track_spec spec = {
        .type = "art_method_tracing",
        .event = ORMA_TRACK_SLICES,
        .machine = model->base,
        .dims_num = 1,
        .dims = {orma_dim(model->known.utid, utid)},
        .parent = ORMA_TRACK_NONE,
        .source_args = source,
    };

    orma_args_put_str(source, model->known.description,
                      orma_model_lit(model, "Methods of the thread, as traced by ART"));
    if (t->name)
        orma_processes_name_thread(p, utid, t->name, ORMA_THREAD_NAME_OTHER);
    if (t->name && upid != ORMA_ID_NONE && orma_processes_find_process(p, t->tid) == upid)
        orma_processes_name_process(p, upid, t->name, ORMA_PROCESS_NAME_OTHER);
    return t->track = orma_tracks_get(&model->tracks, &spec);
}

struct orma_unit_end orma_format_art_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_model *model = file->imp->model;
    struct orma_art *art = file->state;
    struct event e;

    memcpy(&e, item->data, sizeof(e));
    if (e.thread >= art->threads.len)
        return orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "records"); /* memory is out */
    uint32_t track = track_of(file, &art->threads.data[e.thread]);
    if (e.action != ORMA_ART_ENTER) {
        if (orma_slices_end(&model->slices, item->ts, track, 0, 0, NULL) == ORMA_SLICE_NONE)
            return orma_file_skipped(file, ORMA_ACCOUNT_NO_BEGIN, "ends of slices");
        return orma_file_took(file);
    }
    uint64_t at = orma_map_get(&art->methods_by, e.method);
    struct orma_art_method m = {.line = ORMA_ART_LINE_NONE};

    if (at < art->methods.len)
        m = art->methods.data[at];
    else
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "names of methods that the file does not define",
                       NULL);
    ORMA_MODEL_ARGS(args, model);
    if (m.path)
        orma_args_put_str(args, orma_model_lit(model, "pathname"), m.path);
    if (m.line != ORMA_ART_LINE_NONE)
        orma_args_put_int(args, orma_model_lit(model, "line_number"), m.line);
    orma_slices_begin(&model->slices, item->ts, track, 0, m.name, args);
    return orma_file_took(file);
}

void orma_format_art_fini(struct orma_file *file)
{
    struct orma_art *art = file->state;

    orma_map_fini(&art->methods_by);
    orma_map_fini(&art->threads_by);
    ORMA_VEC_FINI(&art->methods);
    ORMA_VEC_FINI(&art->threads);
    orma_arena_fini(&art->arena);
    orma_buf_fini(&art->scratch);
}

/* ---- lines ---- */

/* "0x14", or "14": hexadecimal, too. */
static bool hex(struct orma_str s, uint64_t *ret)
{
    if (orma_str_starts(s, ORMA_STR("0x")))
        s = (struct orma_str){s.data + 2, s.len - 2};
    *ret = 0;
    for (size_t i = 0; i < s.len; i++) {
        int digit = orma_hex_digit(s.data[i]);

        if (digit < 0 || i == 16)
            return false;
        *ret = *ret << 4 | (uint64_t)digit;
    }
    return s.len;
}

static void damaged_line(struct orma_file *file, struct orma_str line)
{
    orma_file_unit(file, line.data);
    (void)orma_file_damaged(file, "lines", line.data, line.len, ORMA_DAMAGED_LINE);
}

static void method_line(struct orma_file *file, struct orma_str line)
{
    struct orma_str rest = line, word;
    uint64_t id;

    if (!orma_str_cut(&rest, '\t', &word) || !hex(word, &id))
        damaged_line(file, line);
    else
        orma_format_art_add_method(file, id, rest);
}

static void thread_line(struct orma_file *file, struct orma_str line)
{
    struct orma_str rest = line, word;
    uint64_t tid;

    if (!orma_str_cut(&rest, '\t', &word) || !orma_str_to_u64(word, &tid) || tid > UINT32_MAX)
        damaged_line(file, line);
    else
        orma_format_art_add_thread(file, (uint32_t)tid, rest);
}

/* "clock=dual", and what the VM says of its records. */
static void option_line(struct orma_file *file, struct orma_str line)
{
    struct art *art = file->state;
    struct orma_str value = line, key;

    if (!orma_str_cut(&value, '=', &key))
        return;
    if (orma_str_eq_c(key, "data-file-overflow") && orma_str_eq_c(value, "true"))
        orma_file_part(file, ORMA_ACCOUNT_MISSING,
                       "ends of the recording (the buffer of the VM was full)", line.data);
    if (orma_str_eq_c(key, "num-method-calls"))
        art->has_count = orma_str_to_u64(value, &art->count) && art->count <= UINT32_MAX;
    if (!orma_str_eq_c(key, "clock"))
        return;
    art->dual = orma_str_eq_c(value, "dual");
    art->has_clock = true;
    if (orma_str_eq_c(value, "thread-cpu"))
        orma_file_error(file, -ENOTSUP,
                        "ART Method trace: only thread times, which belong to no clock of the "
                        "trace (ERR:tp-parse)");
}

enum section { SECTION_OPTIONS, SECTION_THREADS, SECTION_METHODS, SECTION_END };

/* A line; *section is the one that it is in. */
static void text_line(struct orma_file *file, struct orma_str line, enum section *section)
{
    if (line.len && line.data[0] == '*') {
        *section = orma_str_eq_c(line, "*threads")   ? SECTION_THREADS
                   : orma_str_eq_c(line, "*methods") ? SECTION_METHODS
                   : orma_str_eq_c(line, "*end")     ? SECTION_END
                                                     : SECTION_OPTIONS;
        return;
    }
    if (*section == SECTION_OPTIONS)
        option_line(file, line);
    else if (*section == SECTION_THREADS)
        thread_line(file, line);
    else if (*section == SECTION_METHODS)
        method_line(file, line);
}

/* The lines of the text form. False: they have no end. */
static bool read_text(struct orma_file *file, struct orma_art_cursor *c)
{
    struct orma_str rest = {(const char *)c->pos, (size_t)(c->end - c->pos)}, line;
    enum section section = SECTION_OPTIONS;

    while (section != SECTION_END && rest.len && !orma_file_failed(file)) {
        if (!memchr(rest.data, '\n', ORMA_MIN(rest.len, LINE_MAX)))
            return false;
        (void)orma_str_cut(&rest, '\n', &line);
        text_line(file, line, &section);
    }
    c->pos = (const uint8_t *)rest.data;
    return section == SECTION_END;
}

/* ---- records ---- */

static bool read_header(struct art *art, struct orma_art_cursor *c, bool *ret_streaming)
{
    const uint8_t *begin = c->pos;
    struct orma_str magic = orma_format_art_bytes(c, 4);
    unsigned version = (unsigned)orma_format_art_number(c, 2);
    size_t offset = (size_t)orma_format_art_number(c, 2);

    art->start_us = (int64_t)orma_format_art_number(c, 8);
    *ret_streaming = (version & STREAMING) == STREAMING;
    version &= ~(unsigned)STREAMING;
    art->tid_size = version == 1 && !*ret_streaming ? 1 : 2;
    art->record_size = art->tid_size + WALL_SIZE;
    if (version == 3)
        art->record_size = (unsigned)orma_format_art_number(c, 2);
    art->dual = art->has_clock ? art->dual : version == 3;
    if (c->failed || !orma_str_eq_c(magic, "SLOW") || !version || version > VERSION_MAX ||
        offset < 16 || offset > (size_t)(c->end - begin) ||
        art->record_size < art->tid_size + WALL_SIZE)
        return false;
    c->pos = begin + offset;
    return true;
}

static void read_record(struct orma_file *file, struct orma_art_cursor *c, uint32_t tid)
{
    const struct art *art = file->state;
    const size_t size = art->record_size - art->tid_size;
    struct orma_art_cursor r = {c->pos, c->pos + ORMA_MIN(size, (size_t)(c->end - c->pos)), false};
    uint32_t method = (uint32_t)orma_format_art_number(&r, 4);
    int64_t ts;

    if (art->dual && size >= DUAL_SIZE)
        (void)orma_format_art_number(&r, 4); /* time of the thread */
    uint32_t us = (uint32_t)orma_format_art_number(&r, 4);
    if (__builtin_add_overflow(art->start_us, us, &ts) || __builtin_mul_overflow(ts, 1000, &ts))
        ts = INT64_MAX; /* nothing sorts it */
    if (!r.failed && (method & 3) < 3) {
        orma_format_art_add_event(file, ts, tid, method & ~3u, (enum orma_art_action)(method & 3));
        return;
    }
    orma_file_unit(file, c->pos);
    (void)orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "records of an unknown action");
}

static void read_records(struct orma_file *file, struct orma_art_cursor c)
{
    const struct art *art = file->state;
    const uint64_t num = (uint64_t)(c.end - c.pos) / art->record_size;

    while ((size_t)(c.end - c.pos) >= art->record_size && !orma_file_failed(file)) {
        uint32_t tid = (uint32_t)orma_format_art_number(&c, art->tid_size);

        read_record(file, &c, tid);
        c.pos += art->record_size - art->tid_size;
    }
    orma_file_truncated(file, (uint64_t)(c.end - c.pos));
    if (art->has_count && art->count > num)
        orma_file_parts(file, ORMA_ACCOUNT_MISSING, "records that the header counts",
                        art->count - num);
    if (art->has_count && art->count < num)
        orma_file_parts(file, ORMA_ACCOUNT_DAMAGED, "counts of records in the header", 1);
}

/* ---- the streaming form ---- */

enum code { CODE_METHOD = 1, CODE_THREAD, CODE_SUMMARY };

/* What is told last: options, and once more what is known. */
static void read_summary(struct orma_file *file, struct orma_str text)
{
    struct orma_str line;

    while (orma_str_cut(&text, '\n', &line) && !orma_str_eq_c(line, "*threads"))
        option_line(file, line);
}

/* What stands between records. False: it can't be read, or was the last. */
static bool read_between(struct orma_file *file, struct orma_art_cursor *c, bool names)
{
    unsigned code = (unsigned)orma_format_art_number(c, 1);
    uint32_t tid = code == CODE_THREAD ? (uint32_t)orma_format_art_number(c, 2) : 0;
    size_t len = (size_t)orma_format_art_number(c, code == CODE_SUMMARY ? 4 : 2);

    if (c->failed || code < CODE_METHOD || code > CODE_SUMMARY)
        return false;
    struct orma_str text = orma_format_art_bytes(c, len);
    if (c->failed)
        return false;
    if (code == CODE_METHOD && names)
        method_line(file, orma_str_trim(text));
    else if (code == CODE_THREAD && names)
        orma_format_art_add_thread(file, tid, text);
    else if (code == CODE_SUMMARY && names)
        read_summary(file, text);
    return code != CODE_SUMMARY;
}

/* The names, or the records. Gives where the last thing that could be read ends. */
static const uint8_t *walk(struct orma_file *file, struct orma_art_cursor c, bool names)
{
    const struct art *art = file->state;
    const uint8_t *good = c.pos;

    while (c.pos < c.end && !orma_file_failed(file)) {
        uint32_t tid = (uint32_t)orma_format_art_number(&c, 2);

        if (!tid && !read_between(file, &c, names))
            return c.failed ? good : c.pos;
        if (tid && (size_t)(c.end - c.pos) < art->record_size - 2)
            return good;
        if (tid && !names)
            read_record(file, &c, tid);
        c.pos += tid ? art->record_size - 2 : 0;
        good = c.pos;
    }
    return good;
}

static size_t art_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct art *art = file->state;
    struct orma_art_cursor c = {data, data + len, false};
    bool streaming;

    (void)at_end; /* it is read once, whole */
    if ((len && data[0] == '*' && !read_text(file, &c)) || !read_header(art, &c, &streaming)) {
        orma_file_error(file, -EBADMSG,
                        "ART Method trace: trace is incomplete (ERR:tp-corrupt): its records are "
                        "missing from byte %zu on",
                        (size_t)(c.pos - data));
        return len;
    }
    if (!streaming) {
        read_records(file, c);
        return len;
    }
    const uint8_t *good = walk(file, c, true);
    orma_file_truncated(file, (uint64_t)(data + len - good));
    c.end = good;
    (void)walk(file, c, false);
    return len;
}

const struct orma_format_ops orma_format_art_method = {
    .state_bytes = sizeof(struct art),
    .clock = ORMA_CLOCK_MONOTONIC,
    .unit = "record",
    .whole = true,
    .read = art_read,
    .parse = orma_format_art_parse,
    .fini = orma_format_art_fini,
};
