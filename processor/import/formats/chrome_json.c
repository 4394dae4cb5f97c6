/*
 * From text to events. The file is walked value by value and never held as a tree:
 *
 *   [ {event}, {event} ...            a bare list, which may be truncated
 *   { "traceEvents": [ {event} ... ], "metadata": {...}, "systemTraceEvents": "...", ... }
 *   { "traceEvents": { "traceEvents": [ ... ] } }
 *   {event} {event} ...              lines, also with commas behind them
 *
 * An event is read once: what it says becomes a record (chrome_json_record.c), from which rows are
 * made in sorted order (chrome_json_event.c). Only its args are passed over here. Where it ends
 * comes out of reading it; only what can't be read is searched for its end. Bytes that are not
 * whole yet are left for the next call of read(), and how far a value was scanned is kept. After a
 * malformed value the next event is searched for, within a budget per byte of the file, so that
 * damage cannot make the import quadratic.
 */
#include "processor/import/formats/chrome_json.h"

#include <errno.h>

#include "processor/import/formats/systrace.h"
#include "protos/reflect/json_inline.h"

/* Objects with events in objects. */
#define NESTED_MAX 16
/* Lines of events are told by the first, which is not longer. */
#define FIRST_LINE_MAX ((size_t)65536)
/* Longer names of members are not waited for. */
#define KEY_MAX 65536

enum where { AT_START, IN_LIST, IN_OBJECT, IN_EVENTS, AT_END };

struct json_file {
    enum where where;
    size_t scanned; /* of a value that is not whole yet */
    size_t depth;   /* and where in it that is */
    bool in_text, after_backslash;
    bool behind;        /* something follows the end */
    bool stopped;       /* in the list of events: it has ended, or goes on in bytes to come */
    bool any;           /* event could be read */
    const char *broken; /* what was wrong first outside of events; NULL: nothing */
    unsigned nested;    /* objects around the one that is read */
    uint64_t searched;  /* bytes that were looked at for events behind damage */
    struct orma_json_scratch scratch;
    struct orma_json_profiles profiles;
    struct orma_json_records records;
    struct orma_arena texts; /* of events of the kernel, without escapes */
};

/* ---- one event ---- */

static struct orma_unit_end record_parse(struct orma_file *file, struct json_file *f,
                                         const struct orma_item *item)
{
    struct orma_unit_end end = {false};
    struct orma_json_sample sample;

    switch (orma_json_record_get(item->data, &f->scratch.event, &sample)) {
    case ORMA_JSON_RECORD_EVENT:
        end = orma_json_event_parse(file, item->ts, &f->scratch);
        break;
    case ORMA_JSON_RECORD_SAMPLE:
        orma_json_profile_sample(file, item->ts, &sample);
        end = orma_file_took(file);
        break;
    }
    orma_json_records_taken(&f->records, item->data);
    return end;
}

static struct orma_unit_end json_parse(struct orma_file *file, const struct orma_item *item)
{
    struct json_file *f = file->state;

    if (!item->len)
        return record_parse(file, f, item);
    if (item->data[0] == '{') {
        /* It was well formed when it was noted. */
        (void)orma_json_event_read((struct orma_str){(const char *)item->data, item->len},
                                   &f->scratch.event);
        orma_json_event_intern(file->imp, &f->scratch.event, &f->scratch.text);
        return orma_json_event_parse(file, item->ts, &f->scratch);
    }
    return orma_systrace_parse(file, item);
}

static bool is_empty(const struct orma_json_value *v)
{
    const char *end = v->raw.data + v->raw.len;

    return v->type <= ORMA_JSON_NULL || !v->raw.len ||
           (v->type == ORMA_JSON_ARRAY && *orma_json_skip_blanks(v->raw.data + 1, end) == ']');
}

/* Counts a part of an event that is of another type than those that have a place in tables. */
static void note_part(struct orma_file *file, const struct orma_json_value *v,
                      enum orma_json_type type, const char *kind)
{
    if (v->type != type && !is_empty(v))
        orma_file_part(file, ORMA_ACCOUNT_NOT_READ, kind, v->raw.data);
}

/* What a time is instead of a number. Nothing is said of one that is not there. */
static uint32_t bad_time(struct orma_import_ctx *imp, const struct orma_json_value *v)
{
    static const int kinds[] = {
        [ORMA_JSON_NULL] = 0,   [ORMA_JSON_BOOL] = 1,   [ORMA_JSON_INT] = 2,  [ORMA_JSON_REAL] = 3,
        [ORMA_JSON_STRING] = 4, [ORMA_JSON_OBJECT] = 5, [ORMA_JSON_ARRAY] = 6};

    if (!v->type)
        return 0;
    if (v->type == ORMA_JSON_STRING)
        return orma_strpool_addf(&imp->model->storage->pool, "\"%.*s\" is not a number",
                                 (int)ORMA_MIN(v->raw.len, (size_t)100), v->raw.data);
    return orma_strpool_addf(&imp->model->storage->pool, "Expected a number in timestamp, got %d",
                             kinds[v->type]);
}

/* False: the event cannot be taken, and why (0: nothing to be said). Metadata needs no time. */
static bool read_times(struct orma_import_ctx *imp, struct orma_str text,
                       const struct orma_json_event *e, int64_t *ret_ts, int64_t *ret_dur,
                       uint32_t *ret_error)
{
    const struct orma_json_value *const times[] = {&e->dur, &e->tts, &e->tdur};
    int64_t val;

    *ret_error = 0;
    if (!e->phase || text.len > UINT32_MAX || (e->id2.type && e->id2.type != ORMA_JSON_OBJECT))
        return false;
    if (!orma_json_event_time(e, &e->ts, ret_ts) && e->phase != 'M') {
        *ret_error = bad_time(imp, &e->ts);
        return false;
    }
    const bool all_known = !(e->present & ~e->times & ORMA_JSON_TIMES_MASK);
    for (unsigned i = 0; !all_known && i < ORMA_ARRAY_LEN(times); i++) {
        if (times[i]->type && !orma_json_event_time(e, times[i], &val)) {
            *ret_error = bad_time(imp, times[i]);
            return false;
        }
    }
    (void)orma_json_event_time(e, &e->dur, ret_dur);
    return true;
}

/* The event's duration by its end where ts or dur have more decimals than ns. */
static void round_end(struct orma_json_event *e, int64_t ts, int64_t *dur)
{
    const unsigned place = ORMA_JSON_PLACE(dur);

    if (orma_json_event_rounded(e, ts, dur)) {
        e->ns[place] = *dur;
        e->times |= 1u << place;
    }
}

/* The order of events with equal timestamps: ends first, which makes room; then slices that have
 * errors to tell: of negative length, of none; then longer ones before shorter, then the rest. */
static int64_t order_key(const struct orma_json_event *e, int64_t dur)
{
    if (e->phase != 'X')
        return e->phase == 'E' ? INT64_MIN : INT64_MAX;
    if (!e->dur.type)
        return 0;
    return dur >= 0 ? INT64_MAX - dur : INT64_MIN - ORMA_MAX(dur, -INT64_MAX);
}

/* Notes an event that was read. */
static struct orma_unit_end on_event(struct orma_file *file, struct orma_str text,
                                     struct orma_json_event *e)
{
    struct json_file *f = file->state;
    int64_t ts = 0, dur = 0;
    uint32_t error;

    orma_file_unit(file, text.data);
    if (ORMA_UNLIKELY(!f->any)) /* an event of a trace, whether it can be read or not */
        file->account->of_use |= e->phase != 0;
    if (!e->members)
        return orma_file_took(file); /* some writers end their list with an empty event */
    if (!read_times(file->imp, text, e, &ts, &dur, &error)) {
        orma_json_event_log(file, ORMA_STAT_JSON_TOKENIZER_FAILURE, text, error);
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED,
                                 e->phase ? "events without a valid time"
                                          : "events without a phase");
    }
    f->any = true;
    if (e->phase == 'M')
        ts = ORMA_MAX(ts, 0); /* it means nothing, and nothing comes before 0 */
    if (e->phase == 'X' && e->dur.type &&
        ORMA_UNLIKELY(e->present & ~e->times &
                      (1u << ORMA_JSON_PLACE(ts) | 1u << ORMA_JSON_PLACE(dur))))
        round_end(e, ts, &dur);
    if (e->phase == 'P')
        return orma_json_profile_event(file, &f->profiles, &f->records, e, text, &f->scratch.text);
    file->events.strict |= e->phase == 'X';
    if (ORMA_UNLIKELY(e->name.type != ORMA_JSON_STRING || e->args.type != ORMA_JSON_OBJECT)) {
        note_part(file, &e->name, ORMA_JSON_STRING, "non-string names of events");
        note_part(file, &e->args, ORMA_JSON_OBJECT, "non-object args of events");
    }
    orma_json_event_intern(file->imp, e, &f->scratch.text);
    const void *record = orma_json_event_is_read(e->phase) /* others show their place */
                             ? orma_json_record_event(&f->records, e, text.data)
                             : NULL;
    return orma_file_add(file, ts, order_key(e, dur), record ? record : (const uint8_t *)text.data,
                         record ? 0 : text.len);
}

/* ---- damage ---- */

/* Work of all searches, per byte of the file: brackets in brackets are no way to make them long. */
#define SEARCH_RATIO 16
#define SEARCH_FREE 65536

static bool may_search(const struct orma_file *file, struct json_file *f, size_t len)
{
    f->searched += len;
    return f->searched <= (file->given.at + file->given.len) * SEARCH_RATIO + SEARCH_FREE;
}

/* What begins at `pos` like an event and is none in an event; it may go on behind `end`. */
static bool may_be_event(const char *start, const char *pos, const char *end)
{
    const char *before = pos, *key = pos + 1;

    while (key < end && *key && strchr(" \t\r\n", *key))
        key++;
    while (before > start && before[-1] && strchr(" \t\r\n", before[-1]))
        before--;
    return key < end && *key == '"' && !(before > start && before[-1] == ':');
}

/*
 * The next event in these bytes; NULL: there is none. It must be whole and have a phase. If not
 * `whole`, it may also go on behind them.
 */
static const char *find_event(const struct orma_file *file, struct json_file *f, const char *start,
                              const char *end, bool whole)
{
    struct orma_json_event e = {0};

    for (const char *pos = start; (pos = memchr(pos, '{', (size_t)(end - pos))); pos++) {
        if (!may_be_event(start, pos, end))
            continue;
        const char *to = orma_json_skip(pos, end);
        if (!may_search(file, f, (size_t)((to ? to : end) - pos)))
            return NULL;
        if (!to ? !whole
                : orma_json_event_read((struct orma_str){pos, (size_t)(to - pos)}, &e) && e.phase)
            return pos;
    }
    return NULL;
}

/* Goes from `pos` to `to`, where a value may begin. */
static const char *skip_damage(struct orma_file *file, struct json_file *f, const char *pos,
                               const char *to, const char *what)
{
    orma_file_damage(file, pos, (size_t)(to - pos), what);
    f->scanned = f->depth = 0;
    f->in_text = f->after_backslash = false;
    return to;
}

/* An event, or what stands in its place; a broken one may have swallowed others. */
static const char *read_event(struct orma_file *file, struct json_file *f, const char *pos,
                              const char *to)
{
    struct orma_str text = {pos, (size_t)(to - pos)};
    struct orma_json_event e = {0};

    if (orma_json_event_read(text, &e)) {
        (void)on_event(file, text, &e);
        return to;
    }
    orma_json_event_log(file, ORMA_STAT_JSON_TOKENIZER_FAILURE, text,
                        orma_model_cstr(file->imp->model, "malformed JSON"));
    const char *next =
        may_search(file, f, (size_t)(to - pos)) ? find_event(file, f, pos + 1, to, false) : NULL;
    orma_file_unit(file, pos);
    (void)orma_account_damaged(file->account, file->imp->model,
                               orma_model_cstr(file->imp->model, "events"), 1, -1);
    return skip_damage(file, f, pos, next ? next : to, "malformed JSON");
}

/* The value at `pos` has no end in the file: goes to an event behind, or stays: it is truncated. */
static const char *leave_endless(struct orma_file *file, struct json_file *f, const char *pos,
                                 const char *end)
{
    const char *next = find_event(file, f, pos + 1, end, true);

    if (!next)
        return pos;
    if (f->where == IN_OBJECT)
        f->where = IN_EVENTS;
    return skip_damage(file, f, pos, next, "an unterminated JSON value");
}

/* ---- the file ---- */

/*
 * Where the value that begins at `pos` ends; NULL: not in these bytes. How far that was looked for
 * is kept, so that a long value that comes in many pieces is walked once.
 */
static const char *value_end(struct json_file *f, const char *pos, const char *end)
{
    const char *at = pos + f->scanned, *to;

    if (!f->scanned && pos < end && (*pos == '{' || *pos == '[') && (to = orma_json_skip(pos, end)))
        return to; /* mostly all of it is here */
    for (; at < end; at++) {
        char c = *at;

        if (f->after_backslash) {
            f->after_backslash = false;
        } else if (f->in_text) {
            f->after_backslash = c == '\\';
            f->in_text = c != '"';
            if (c == '"' && !f->depth)
                goto found;
        } else if (c == '"') {
            f->in_text = true;
        } else if (c == '{' || c == '[') {
            f->depth++;
        } else if ((c == '}' || c == ']') && f->depth) {
            if (!--f->depth)
                goto found;
        } else if (!f->depth && c && strchr("}],: \t\r\n", c)) {
            f->scanned = 0;
            return at;
        }
    }
    f->scanned = (size_t)(at - pos);
    return NULL;
found:
    f->scanned = 0;
    return at + 1;
}

/* Blanks, and commas if wanted. */
static const char *skip(const char *pos, const char *end, bool commas)
{
    while ((pos = orma_json_skip_blanks(pos, end)) < end && commas && *pos == ',')
        pos++;
    return pos;
}

static void bad(struct orma_file *file, const char *what)
{
    orma_file_error(file, -EBADMSG, "Failure parsing JSON: %s (ERR:tp-corrupt)", what);
}

/* Skips what is out of place; a file of which nothing else can be read is refused for it. */
static const char *skip_broken(struct orma_file *file, struct json_file *f, const char *pos,
                               const char *to, const char *what)
{
    f->broken = f->broken ? f->broken : what;
    return skip_damage(file, f, pos, to, what);
}

/* Whether the bracket at `pos` ends the list: no event follows. -EAGAIN: more bytes are needed. */
static int ends_list(const char *pos, const char *end, bool at_end)
{
    const char *next = skip(pos + 1, end, true);

    if (next == end && !at_end)
        return -EAGAIN;
    return next == end || *next != '{' || !memchr(pos, ',', (size_t)(next - pos));
}

/* Elements of the list of events that begin before `until`. Returns the place up to which all is
 * done. */
static const char *read_events(struct orma_file *file, struct json_file *f, const char *pos,
                               const char *end, const char *until, bool at_end)
{
    while (pos < until && !orma_file_failed(file)) {
        pos = skip(pos, end, true);
        if (pos == end)
            return pos;
        int ends = *pos == ']' ? ends_list(pos, end, at_end) : 0;
        if (ends < 0)
            return pos;
        if (ends) {
            f->where = f->where == IN_LIST ? AT_END : IN_OBJECT;
            return pos + 1;
        }
        if (memchr("]}:", *pos, 3)) {
            pos = skip_broken(file, f, pos, pos + 1, "a bracket or colon instead of an event");
            continue;
        }
        const char *to = f->scanned ? NULL : orma_json_event_take(pos, end, &f->scratch.event);
        const char *before = pos;
        if (to) {
            (void)on_event(file, (struct orma_str){pos, (size_t)(to - pos)}, &f->scratch.event);
            pos = to;
            continue;
        }
        to = value_end(f, pos, end);
        if (to)
            pos = read_event(file, f, pos, to);
        else if (at_end)
            pos = leave_endless(file, f, pos, end);
        if (pos == before)
            return pos;
    }
    return pos;
}

/* The same with what others looked at ahead. */
struct reading {
    struct orma_file *file;
    const char *end;
    bool at_end;
};

static const char *read_piece(void *data, const char *pos, const char *to)
{
    const struct reading *r = data;
    struct json_file *f = r->file->state;
    const enum where where = f->where;
    const char *behind = read_events(r->file, f, pos, r->end, to, r->at_end);

    f->stopped = behind < to || f->where != where;
    return behind;
}

static const char *read_list(struct orma_file *file, struct json_file *f, const char *pos,
                             const char *end, bool at_end)
{
    struct reading reading = {file, end, at_end};
    struct orma_crew *crew = file->imp->reader ? file->imp->reader->crew : NULL;

    f->stopped = false;
    pos = orma_json_event_read_ahead(crew, &f->scratch.event, pos, end, read_piece, &reading);
    return f->stopped ? pos : read_events(file, f, pos, end, end, at_end);
}

/* So much of a line that can't be read is enough to know it by. */
#define LINE_SHOWN_MAX ((size_t)200)

/* A line of the kernel's tracer that is none. */
static void bad_kernel_line(struct orma_file *file, struct orma_str line)
{
    struct orma_import_ctx *imp = file->imp;
    ORMA_MODEL_ARGS(args, imp->model);

    orma_args_put_str(
        args, orma_model_cstr(imp->model, "line"),
        orma_model_str(imp->model,
                       (struct orma_str){line.data, ORMA_MIN(line.len, LINE_SHOWN_MAX)}));
    orma_model_log(imp->model, imp->model->base, ORMA_STAT_SYSTRACE_PARSE_FAILURE, INT64_MIN, -1,
                   args);
    orma_file_unit(file, NULL);
    (void)orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "lines of ftrace");
}

/* Lines of the kernel's tracer in a text of their own, which somebody else wrote: what is none of
 * them is counted, and the events stay. */
static void on_kernel_text(struct orma_file *file, const struct orma_json_value *v)
{
    struct json_file *f = file->state;
    struct orma_str text = orma_json_text(v, &f->scratch.text), line;
    const char *copy = orma_arena_strdup(&f->texts, text);

    if (!copy) {
        file->imp->model->storage->failed = true;
        return;
    }
    for (text.data = copy; orma_str_cut(&text, '\n', &line);) {
        if (line.len && line.data[0] != '#' && !orma_systrace_line(file, line))
            bad_kernel_line(file, line);
    }
}

/* What holds nothing makes no trace. */
static struct orma_unit_end took_aside(struct orma_file *file)
{
    file->account->aside++;
    return orma_file_took(file);
}

/* A member that nothing reads, or its elements. */
static struct orma_unit_end unread_member(struct orma_file *file, struct orma_str key,
                                          const struct orma_json_value *v)
{
    const int len = (int)ORMA_MIN(key.len, (size_t)100);
    struct orma_json_value element;
    uint64_t num = 0;

    if (v->type == ORMA_JSON_ARRAY) {
        for (struct orma_json list = orma_json_inside(v); orma_json_element(&list, &element);)
            num++;
        if (!num)
            return took_aside(file);
        orma_account_begin(file->account, num - 1); /* instead of the list */
        return orma_account_skipped(file->account, file->imp->model, ORMA_ACCOUNT_NOT_READ,
                                    orma_strpool_addf(&file->imp->model->storage->pool,
                                                      "elements of the list '%.*s'", len, key.data),
                                    num, -1);
    }
    return orma_file_skippedf(file, ORMA_ACCOUNT_NOT_READ, "members '%.*s'", len, key.data);
}

static struct orma_unit_end damaged_member(struct orma_file *file, struct orma_str text,
                                           const char *what)
{
    (void)skip_broken(file, file->state, text.data, text.data + text.len, what);
    return orma_account_damaged(file->account, file->imp->model,
                                orma_model_cstr(file->imp->model, "members"), 1, -1);
}

/* A member of the outer object that is whole, other than the events. */
static struct orma_unit_end on_member(struct orma_file *file, struct orma_str key,
                                      struct orma_str text)
{
    struct orma_json j = orma_json(text);
    struct orma_json_value v;

    orma_file_unit(file, text.data);
    if (!orma_json_read(&j, &v))
        return damaged_member(file, text, "malformed value");
    if (orma_json_name_is(key, "metadata"))
        orma_json_metadata(file, &v);
    else if (orma_json_name_is(key, "displayTimeUnit")) {
        orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base),
                       ORMA_STAT_JSON_DISPLAY_TIME_UNIT);
        return took_aside(file);
    } else if (orma_json_name_is(key, "traceEvents"))
        return damaged_member(file, text, "traceEvents is not a list");
    else if (orma_json_name_is(key, "systemTraceEvents") && v.type == ORMA_JSON_STRING)
        on_kernel_text(file, &v);
    else /* traces of other systems, too, which have forms of their own */
        return unread_member(file, key, &v);
    return orma_file_took(file);
}

/* The key at `pos` up to its value. NULL: not whole, or malformed, which is reported. */
static const char *read_key(const char *pos, const char *end, struct orma_str *ret,
                            const char **ret_error)
{
    struct orma_json j = orma_json((struct orma_str){pos, (size_t)(end - pos)});
    struct orma_json_value key;

    if (*pos != '"') {
        *ret_error = "a member without a name";
        return NULL;
    }
    if (!orma_json_read(&j, &key)) {
        if (end - pos > KEY_MAX)
            *ret_error = "a member with an unterminated name";
        return NULL;
    }
    *ret = key.raw;
    pos = skip(j.pos, end, false);
    if (pos < end && *pos != ':') {
        *ret_error = "missing colon after the name of a member";
        return NULL;
    }
    pos = pos < end ? skip(pos + 1, end, false) : end;
    return pos < end ? pos : NULL;
}

/* No member is here: goes on with the next event, wherever that is, or to the end. */
static const char *leave_object(struct orma_file *file, struct json_file *f, const char *pos,
                                const char *end, const char *what)
{
    const char *next = find_event(file, f, pos, end, true);

    f->where = next ? IN_EVENTS : AT_END;
    return skip_broken(file, f, pos, next ? next : end, what);
}

/* One member of the outer object. Returns `pos` if it is not whole. */
static const char *read_member(struct orma_file *file, struct json_file *f, const char *pos,
                               const char *end, bool at_end)
{
    struct orma_str key;

    pos = skip(pos, end, true);
    if (pos == end)
        return pos;
    if (*pos == '}') {
        f->where = f->nested ? IN_OBJECT : AT_END;
        f->nested -= f->nested > 0;
        return pos + 1;
    }
    const char *error = NULL, *value = read_key(pos, end, &key, &error);
    if (!value)
        return error && at_end ? leave_object(file, f, pos, end, error) : pos;
    if (orma_json_name_is(key, "traceEvents") && *value == '[') {
        file->account->of_use = true; /* a trace, whatever else is in it */
        f->where = IN_EVENTS;
        return value + 1;
    }
    if (orma_json_name_is(key, "traceEvents") && *value == '{' && f->nested < NESTED_MAX) {
        f->nested++;
        return value + 1;
    }
    const char *to = value_end(f, value, end);
    if (!to && at_end && !f->depth && !f->in_text)
        to = end;
    if (!to)
        return at_end ? leave_endless(file, f, pos, end) : pos;
    (void)on_member(file, key, (struct orma_str){value, (size_t)(to - value)});
    return to;
}

/* What most files begin with; all events would be walked over to find that none of them is one. */
static bool begins_with_events(const char *pos, const char *end)
{
    const struct orma_str key = ORMA_STR("\"traceEvents\"");

    pos = skip(pos, end, false);
    return orma_str_starts((struct orma_str){pos, (size_t)(end - pos)}, key);
}

/* The first bracket. Where an event begins instead, it is the first of lines of them. */
static const char *read_start(struct json_file *f, const char *pos, const char *end)
{
    const struct orma_str mark = ORMA_STR("\xef\xbb\xbf");

    if ((size_t)(end - pos) >= mark.len && !memcmp(pos, mark.data, mark.len))
        pos += mark.len;
    pos = skip(pos, end, false);
    if (pos == end)
        return pos;
    if (*pos == '[') {
        f->where = IN_LIST;
        return pos + 1;
    }
    const char *near = pos + ORMA_MIN((size_t)(end - pos), FIRST_LINE_MAX);
    if (!begins_with_events(pos + 1, near) && orma_json_event_take(pos, near, &f->scratch.event) &&
        f->scratch.event.phase) {
        f->where = IN_LIST;
        return pos;
    }
    f->where = IN_OBJECT;
    return pos + 1;
}

/* What follows the list or the object; commas and brackets say nothing. */
static void count_behind(struct orma_file *file, struct json_file *f, struct orma_str rest)
{
    const char *pos = rest.data, *end = rest.data + rest.len;

    while (pos < end && (!*pos || strchr(" \t\r\n,]}", *pos)))
        pos++;
    if (pos == end || f->behind)
        return;
    f->behind = true;
    orma_file_unit(file, pos);
    (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "texts after the end of the JSON value");
}

static size_t json_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct json_file *f = file->state;
    const char *start = (const char *)data, *pos = start, *end = start + len, *before = NULL;

    if (f->where == AT_START)
        pos = read_start(f, pos, end);
    while (pos != before && f->where != AT_END && !orma_file_failed(file)) {
        before = pos;
        switch (f->where) {
        case AT_START:
            break;
        case IN_LIST:
        case IN_EVENTS:
            pos = read_list(file, f, pos, end, at_end);
            break;
        case IN_OBJECT:
            pos = read_member(file, f, pos, end, at_end);
            break;
        case AT_END:
            break;
        }
    }
    if (at_end && f->broken && !f->any)
        bad(file, f->broken);
    if (f->where == AT_END) {
        count_behind(file, f, (struct orma_str){pos, (size_t)(end - pos)});
        return len;
    }
    pos = at_end ? skip(pos, end, true) : pos;
    if (at_end && f->where != IN_LIST && !file->events.num)
        orma_file_error(file, -EBADMSG, "JSON trace file is incomplete (ERR:tp-corrupt)");
    else if (at_end && (f->where != IN_LIST || pos < end)) /* what came before is read */
        orma_file_truncated(file, ORMA_MAX((uint64_t)(end - pos), 1u));
    return (size_t)(pos - start);
}

static void json_fini(struct orma_file *file)
{
    struct json_file *f = file->state;

    orma_json_event_scratch_fini(&f->scratch);
    orma_json_profiles_fini(&f->profiles);
    orma_json_records_fini(&f->records);
    orma_arena_fini(&f->texts);
}

const struct orma_format_ops orma_format_json = {
    .state_bytes = sizeof(struct json_file),
    .clock = ORMA_CLOCK_TRACE_FILE,
    .unit = "event",
    .read = json_read,
    .parse = json_parse,
    .fini = json_fini,
};
