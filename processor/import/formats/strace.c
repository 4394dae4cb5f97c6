/*
 * What `strace -f` prints, with times of any form (-ttt, -tt, -t, -r) and durations (-T):
 *
 *     123 1700000000.000001 read(3, "...", 10) = 4 <0.000012>
 *     123 1700000000.000002 futex(0x1, FUTEX_WAIT <unfinished ...>
 *     123 1700000000.000009 <... futex resumed>) = 0 <0.000007>
 *     [pid   124] 12:34:56.000010 close(3) = 0
 *
 * Calls are slices of their thread. Signals and exits ("---", "+++") are counted only; stacks (-k),
 * dumps of data, what strace says of itself, and its summary (-C) are left out.
 *
 * On a terminal there are pids only while there are several threads. Lines without one are of the
 * first thread, which is the only one of which strace does not say that it was attached, or the one
 * to which strace was attached at the begin (-p). When nothing says who it is, they are counted.
 */
#include "processor/import/formats/formats.h"
#include "processor/import/formats/lines.h"
#include "sdk/base/map.h"

/* What the times of a file are. */
enum form {
    NOT_KNOWN,
    OF_EPOCH,   /* -ttt */
    OF_DAY,     /* -tt, -t: of no known date, so of no clock */
    SINCE_LAST, /* -r: since the begin of the call before */
};

#define SECOND 1000000000
#define DAY ((int64_t)86400 * SECOND)

struct call {
    uint32_t tid;
    bool has_tid, in_brackets;
    struct orma_str comm; /* -Y; may be empty */
    enum form form;
    int64_t ns;
    struct orma_str rest; /* behind the time */
};

struct strace {
    struct orma_formats_lines lines;
    struct orma_arena arena; /* lines that were put together */
    struct orma_str cut;     /* a line in which strace spoke of itself; empty: none */
    enum form form;
    int64_t last_ns; /* the time of the last line */
    bool summary;    /* the rest of the file is one */
    /* Who the lines without a pid are of. */
    struct orma_map threads; /* tids that were attached, or have been seen */
    uint32_t main, mains; /* threads of which nothing said that they were attached, and how many */
    uint32_t attached, attached_num; /* before the first call */
    bool all_pids;                   /* each line has one: strace -o */
    bool any_call;
    struct {
        uint32_t leader, caller; /* a thread of the process calls execve, and gets the pid */
    } exec;
};

/* ---- lines ---- */

static bool number(struct orma_str *rest, uint64_t *ret)
{
    const char *at = rest->data, *begin = at, *end = at + ORMA_MIN(rest->len, (size_t)18);
    uint64_t val = 0;

    for (; at < end && (unsigned char)(*at - '0') < 10; at++)
        val = val * 10 + (unsigned char)(*at - '0');
    *ret = val;
    *rest = (struct orma_str){at, rest->len - (size_t)(at - begin)};
    return at != begin;
}

static void skip(struct orma_str *rest, size_t n)
{
    *rest = (struct orma_str){rest->data + n, rest->len - n};
}

static void blanks(struct orma_str *rest)
{
    while (rest->len && (rest->data[0] == ' ' || rest->data[0] == '\t'))
        skip(rest, 1);
}

/* Numbers of as many digits are seconds. */
#define SECONDS_DIGITS 10

static bool ends(struct orma_str s, struct orma_str with)
{
    return s.len >= with.len && !memcmp(s.data + s.len - with.len, with.data, with.len);
}

/* "123 ", "123<comm> " or "[pid   123] "; nothing is read if it is none. */
static void read_pid(struct orma_str *rest, struct call *ret)
{
    struct orma_str at = *rest;
    bool bracket = orma_str_starts(at, ORMA_STR("[pid "));
    size_t before;
    uint64_t pid;

    if (bracket)
        skip(&at, 5);
    blanks(&at);
    before = at.len;
    if (!number(&at, &pid) || before - at.len >= SECONDS_DIGITS || !at.len)
        return;
    const char *end = at.data[0] == '<' ? memchr(at.data, '>', at.len) : NULL;
    if (end) {
        ret->comm = (struct orma_str){at.data + 1, (size_t)(end - at.data) - 1};
        skip(&at, ret->comm.len + 2);
    }
    if (!at.len || at.data[0] != (bracket ? ']' : ' '))
        return;
    skip(&at, 1);
    blanks(&at);
    ret->tid = (uint32_t)pid;
    ret->has_tid = true;
    ret->in_brackets = bracket;
    *rest = at;
}

enum line { LINE_OK, LINE_NONE, LINE_NO_CALL };

/* ".000123" as ns. */
static bool read_fraction(struct orma_str *rest, uint64_t *ret)
{
    size_t digits;

    skip(rest, 1);
    digits = rest->len;
    if (!number(rest, ret) || (digits -= rest->len) > 9)
        return false;
    for (; digits < 9; digits++)
        *ret *= 10;
    return true;
}

/* ":34:56" behind the hours. */
static bool read_minutes(struct orma_str *rest, uint64_t *seconds)
{
    uint64_t minutes, s;

    skip(rest, 1);
    if (!number(rest, &minutes) || !rest->len || rest->data[0] != ':')
        return false;
    skip(rest, 1);
    if (!number(rest, &s) || *seconds > 23 || minutes > 59 || s > 60)
        return false;
    *seconds = (*seconds * 60 + minutes) * 60 + s;
    return true;
}

/* "1700000000.000001 ", "12:34:56.000001 ", "     0.000123 "; what is since the last call looks as
 * what is of the epoch does. */
static bool read_time(struct orma_str *rest, struct call *ret)
{
    uint64_t seconds, fraction = 0;

    blanks(rest);
    if (!number(rest, &seconds) || !rest->len)
        return false;
    ret->form = rest->data[0] == ':' ? OF_DAY : OF_EPOCH;
    if ((ret->form == OF_DAY && !read_minutes(rest, &seconds)) || seconds > 9000000000u ||
        (rest->len && rest->data[0] == '.' && !read_fraction(rest, &fraction)) || !rest->len ||
        rest->data[0] != ' ')
        return false;
    ret->ns = (int64_t)(seconds * SECOND + fraction);
    blanks(rest);
    return true;
}

/* "(+     0.000123) " of -r beside another time; "[  59] [00007f3db8875ad7] " of -n and -i. */
static void pass_columns(struct orma_str *rest)
{
    const char *end;

    if (orma_str_starts(*rest, ORMA_STR("(+")) && (end = memchr(rest->data, ')', rest->len)))
        skip(rest, (size_t)(end - rest->data) + 1);
    blanks(rest);
    while (rest->len && rest->data[0] == '[' && (end = memchr(rest->data, ']', rest->len)) &&
           !memchr(rest->data, '=', (size_t)(end - rest->data))) {
        skip(rest, (size_t)(end - rest->data) + 1);
        blanks(rest);
    }
}

/* The time is left alone where it is known. */
static void skip_time(struct orma_str *rest)
{
    const char *end;

    blanks(rest);
    end = rest->len ? memchr(rest->data, ' ', rest->len) : NULL;
    skip(rest, end ? (size_t)(end - rest->data) : rest->len);
    blanks(rest);
}

static enum line read_line(struct orma_str line, struct call *ret, bool timed)
{
    *ret = (struct call){0};
    read_pid(&line, ret);
    if (!timed)
        skip_time(&line);
    else if (!read_time(&line, ret))
        return LINE_NONE;
    pass_columns(&line);
    ret->rest = line;
    return line.len && memchr("-+[", line.data[0], 3) ? LINE_NO_CALL : LINE_OK;
}

static void count(struct orma_file *file, enum orma_stat stat)
{
    orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base), stat);
}

/* ---- who and when ---- */

/* True: it is new. */
static bool note_thread(struct orma_file *file, uint32_t tid)
{
    struct strace *s = file->state;

    if (orma_map_get(&s->threads, tid) != ORMA_MAP_NONE)
        return false;
    if (orma_map_put(&s->threads, tid, 1))
        file->imp->model->storage->failed = true;
    return true;
}

static void note_caller(struct orma_file *file, const struct call *c)
{
    struct strace *s = file->state;

    s->any_call = true;
    s->all_pids = s->all_pids || (c->has_tid && !c->in_brackets);
    if (!c->has_tid || !c->in_brackets || !note_thread(file, c->tid))
        return;
    s->main = c->tid;
    s->mains++;
}

/* The thread of lines without a pid. False: nothing says. */
static bool main_thread(const struct strace *s, uint32_t *ret)
{
    *ret = s->mains ? s->main : s->attached;
    return !s->all_pids && (s->mains ? s->mains == 1 : s->attached_num == 1);
}

/* "Process 123 attached" */
static void note_attached(struct orma_file *file, struct orma_str remark)
{
    struct strace *s = file->state;
    uint64_t pid;

    skip(&remark, sizeof("Process ") - 1);
    if (!number(&remark, &pid) || pid > UINT32_MAX ||
        !orma_str_starts(remark, ORMA_STR(" attached")))
        return;
    if (!s->any_call && note_thread(file, (uint32_t)pid)) {
        s->attached = (uint32_t)pid;
        s->attached_num++;
    }
    (void)note_thread(file, (uint32_t)pid);
}

/* The form is that of the first time. -r begins with zero. */
static void settle_form(struct orma_file *file, const struct call *c)
{
    struct strace *s = file->state;

    if (s->form != NOT_KNOWN)
        return;
    s->form = c->form == OF_EPOCH && !c->ns ? SINCE_LAST : c->form;
    if (s->form != OF_EPOCH)
        orma_file_set_clock(file, 0);
}

/* False: the time is of another form than the file's. */
static bool time_of(struct orma_file *file, const struct call *c, int64_t *ret)
{
    struct strace *s = file->state;

    settle_form(file, c);
    if (c->form == OF_DAY ? s->form != OF_DAY : s->form == OF_DAY)
        return false;
    *ret = c->ns;
    if (s->form == SINCE_LAST)
        *ret = s->last_ns + c->ns;
    else if (s->form == OF_DAY)
        *ret += s->last_ns / DAY * DAY;
    if (s->form == OF_DAY && *ret < s->last_ns - DAY / 2) /* midnight */
        *ret += DAY;
    s->last_ns = *ret;
    return true;
}

/* ---- the file ---- */

/* What of the file is no line of a call, signal or exit, but belongs there. */
static bool is_beside(struct orma_file *file, struct orma_str line)
{
    struct strace *s = file->state;

    if (!s->summary && !memchr("% sP", line.data[0], 4))
        return false;
    s->summary = s->summary || orma_str_starts(line, ORMA_STR("% time "));
    if (s->summary || orma_str_starts(line, ORMA_STR(" > ")) ||
        orma_str_starts(line, ORMA_STR(" | ")))
        return true;
    if (orma_str_starts(line, ORMA_STR("strace: ")))
        skip(&line, sizeof("strace: ") - 1);
    else if (!orma_str_starts(line, ORMA_STR("Process ")))
        return false;
    if (orma_str_starts(line, ORMA_STR("Process ")))
        note_attached(file, line);
    return true;
}

static struct orma_unit_end on_line(struct orma_file *file, struct orma_str line)
{
    struct call c;
    int64_t ts;
    enum line r = read_line(line, &c, true);

    orma_file_unit(file, line.data);
    if (r == LINE_NONE) {
        count(file, ORMA_STAT_STRACE_PARSE_FAILURE);
        return orma_file_damaged(file, "lines", line.data, line.len, ORMA_DAMAGED_LINE);
    }
    note_caller(file, &c);
    if (!time_of(file, &c, &ts)) {
        count(file, ORMA_STAT_STRACE_UNSUPPORTED_TIMESTAMP_FORMAT);
        return orma_file_skipped(file, ORMA_ACCOUNT_CLOCK,
                                 "lines with another time format than the first one");
    }
    if (r == LINE_NO_CALL)
        count(file, ORMA_STAT_STRACE_PARSE_FAILURE);
    if (r == LINE_OK || orma_str_starts(c.rest, ORMA_STR("+++ superseded by execve")))
        return orma_file_add(file, ts, 0, (const uint8_t *)line.data, line.len);
    return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "lines of signals and exits");
}

/* On a terminal strace may speak of itself in the middle of a line: what was before it goes on in
 * the next one. */
static bool cut_remark(struct orma_file *file, struct orma_str line, struct orma_str *ret)
{
    const char *at = ends(line, ORMA_STR("tached")) || ends(line, ORMA_STR(" threads"))
                         ? orma_str_find(line, ORMA_STR("strace: Process "))
                         : NULL;

    if (!at || at == line.data)
        return false;
    *ret = (struct orma_str){line.data, (size_t)(at - line.data)};
    (void)is_beside(file, (struct orma_str){at, line.len - ret->len});
    return true;
}

static void put_together(struct orma_file *file, struct orma_str rest)
{
    struct strace *s = file->state;
    char *whole = orma_arena_alloc(&s->arena, s->cut.len + rest.len + 1);

    if (!whole) {
        file->imp->model->storage->failed = true;
        return;
    }
    memcpy(whole, s->cut.data, s->cut.len);
    memcpy(whole + s->cut.len, rest.data, rest.len);
    (void)on_line(file, (struct orma_str){whole, s->cut.len + rest.len});
}

static void any_line(struct orma_file *file, struct orma_str line)
{
    struct strace *s = file->state;
    struct orma_str cut;
    struct call c;

    if (!line.len)
        return;
    if (is_beside(file, line)) {
        if (!s->summary && line.data[0] != ' ')
            return; /* a remark, which says who was attached */
        orma_file_unit(file, line.data);
        (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ,
                                "lines of stacks, dumps and summaries");
        return;
    }
    if (s->cut.len) {
        bool goes_on = read_line(line, &c, true) == LINE_NONE;

        put_together(file, goes_on ? line : ORMA_STR(""));
        s->cut.len = 0;
        if (goes_on)
            return;
    }
    if (cut_remark(file, line, &cut))
        s->cut = cut;
    else
        (void)on_line(file, line);
}

static size_t strace_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct strace *s = file->state;
    struct orma_str rest = {(const char *)data, len}, line;

    while (!orma_file_failed(file) && orma_formats_next_line(&s->lines, file, &rest, at_end, &line))
        any_line(file, line);
    if (at_end && s->cut.len)
        put_together(file, ORMA_STR(""));
    return len - rest.len;
}

/* ---- calls ---- */

/* Behind a string that begins at `at`; the end of the text if it has none. */
static size_t skip_string(struct orma_str s, size_t at)
{
    for (at++; at < s.len && s.data[at] != '"'; at++)
        at += s.data[at] == '\\';
    return ORMA_MIN(at, s.len);
}

/* "3</tmp/a (b)>" of -y: the '>' of what begins at `at`, or `at` if it is no such thing. */
static size_t skip_path(struct orma_str s, size_t at)
{
    char before = at ? s.data[at - 1] : ' ';
    bool word = (before >= '0' && before <= '9') || (before >= 'A' && before <= 'Z');
    const char *end = NULL;

    if (word && at + 1 < s.len && s.data[at + 1] != '<' && s.data[at + 1] != ' ')
        end = memchr(s.data + at, '>', s.len - at);
    return end ? (size_t)(end - s.data) : at;
}

/* The end of a comment that begins at `at`, or `at` if none does. */
static size_t skip_comment(struct orma_str s, size_t at)
{
    const struct orma_str rest = {s.data + at, s.len - at};
    const char *end =
        orma_str_starts(rest, ORMA_STR("/*")) ? orma_str_find(rest, ORMA_STR("*/")) : NULL;

    return end ? (size_t)(end - s.data) + 1 : at;
}

static bool is_before_result(struct orma_str s, size_t at)
{
    struct orma_str rest = {s.data + at, s.len - at};

    blanks(&rest);
    return rest.len && rest.data[0] == '=';
}

/* The bracket that closes the arguments, with a result behind it; the length of the text if there
 * is none. Strings and paths may have any brackets. */
static size_t find_close(struct orma_str s)
{
    unsigned depth = 1;

    for (size_t i = 0; i < s.len; i++) {
        switch (s.data[i]) {
        case '"':
            i = skip_string(s, i);
            break;
        case '\\':
            i++;
            break;
        case '<':
            i = skip_path(s, i);
            break;
        case '/':
            i = skip_comment(s, i);
            break;
        case '(':
            depth++;
            break;
        case ')':
            if (--depth)
                break;
            if (is_before_result(s, i + 1))
                return i;
            depth = 1;
            break;
        default:
            break;
        }
    }
    return s.len;
}

/* " = " */
static bool has_result(struct orma_str s)
{
    const char *end = s.data + s.len, *at = s.data;

    while (at < end && (at = memchr(at, '=', (size_t)(end - at))) && at + 1 < end) {
        if (at > s.data && at[-1] == ' ' && at[1] == ' ')
            return true;
        at++;
    }
    return false;
}

/* The last " = ", if nothing before it looks like the end of a call; else the one that the call
 * ends with. The length of the text if there is none. */
static size_t find_result(struct orma_str s)
{
    size_t at = s.len;

    while (at-- > 2)
        if (s.data[at] == '=' && s.data[at - 1] == ' ')
            break;
    if (at < 2 || at >= s.len)
        return s.len;
    if (has_result((struct orma_str){s.data, at})) {
        size_t close = find_close(s);

        for (; close < s.len; close++)
            if (s.data[close] == '=')
                return close;
    }
    return at;
}

/* Takes ") = ret <0.000012>" off the end of a call. False: there is no result. */
static bool cut_result(struct orma_str *call, struct orma_str *ret_result, int64_t *ret_dur,
                       bool *ret_time)
{
    struct orma_str s = orma_str_trim(*call);
    uint64_t seconds, fraction;
    size_t at = s.len;

    *ret_result = (struct orma_str){0};
    *ret_dur = 0;
    *ret_time = false;
    if (s.len > 2 && s.data[s.len - 1] == '>') {
        while (at && s.data[at - 1] != '<')
            at--;
        struct orma_str time = {s.data + at, s.len - at};
        size_t digits;

        if (at && number(&time, &seconds) && time.len && time.data[0] == '.') {
            skip(&time, 1);
            digits = time.len;
            if (number(&time, &fraction) && (digits -= time.len) <= 9 && time.len == 1 &&
                seconds < 1000000000) {
                for (; digits < 9; digits++)
                    fraction *= 10;
                *ret_dur = (int64_t)(seconds * 1000000000 + fraction);
                s = orma_str_trim((struct orma_str){s.data, at - 1});
                *ret_time = true;
            }
        }
    }
    at = find_result(s);
    bool any = at < s.len;
    if (any) {
        *ret_result = orma_str_trim((struct orma_str){s.data + at + 1, s.len - at - 1});
        s = orma_str_trim((struct orma_str){s.data, at});
    }
    if (s.len && s.data[s.len - 1] == ')')
        s.len--;
    *call = s;
    return any;
}

static void put_arg(struct orma_import_ctx *imp, struct orma_args_list *args, const char *key,
                    struct orma_str text)
{
    if (text.len)
        orma_args_put_str(args, orma_model_cstr(imp->model, key), orma_model_str(imp->model, text));
}

/*
 * Whether a call goes on where its line ends: "<unfinished ...>", "<detached ...>", or, of threads
 * that ended in it, "<unfinished ...>) = ?". The same in a string says nothing. *ret: the arguments
 * so far, without the comma behind the last one.
 */
static bool is_unfinished(struct orma_str args, struct orma_str *ret)
{
    static const struct orma_str marks[] = {{"<unfinished ...>", 16}, {"<detached ...>", 14}};
    struct orma_str s = orma_str_trim(args), end = s;

    if (ends(end, ORMA_STR("= ?"))) {
        end = orma_str_trim((struct orma_str){end.data, end.len - 3});
        if (end.len && end.data[end.len - 1] == ')')
            s = orma_str_trim((struct orma_str){end.data, end.len - 1});
    }
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(marks); i++) {
        if (!ends(s, marks[i]))
            continue;
        s = orma_str_trim((struct orma_str){s.data, s.len - marks[i].len});
        while (s.len && s.data[s.len - 1] == ',')
            s = orma_str_trim((struct orma_str){s.data, s.len - 1});
        *ret = s;
        return true;
    }
    return false;
}

/* What a line says, in its place in time. */
struct told {
    struct orma_file *file;
    struct orma_import_ctx *imp;
    int64_t ts;
    uint32_t tid, track, category;
    struct orma_str rest;
    bool ends_nothing; /* the call that goes on is not in the text */
};

/* "<... futex resumed>) = 0" */
static bool resume(struct strace *s, struct told *t)
{
    struct orma_slices *slices = &t->imp->model->slices;
    struct orma_str name, args, result, so_far;
    int64_t dur;
    const char *at;

    ORMA_MODEL_ARGS(list, t->imp->model);
    skip(&t->rest, 5);
    at = orma_str_find(t->rest, ORMA_STR(" resumed>"));
    if (!at)
        return false;
    name = (struct orma_str){t->rest.data, (size_t)(at - t->rest.data)};
    args = (struct orma_str){at + 9, t->rest.len - name.len - 9};
    const uint32_t id = orma_model_str(t->imp->model, name);
    bool again = is_unfinished(args, &so_far), time; /* interrupted once more */
    (void)cut_result(&args, &result, &dur, &time);
    if (!again)
        put_arg(t->imp, list, "ret", result);
    if (orma_str_eq(name, ORMA_STR("execve")) && s->exec.leader == t->tid && s->exec.caller) {
        t->track = orma_model_thread_track(
            t->imp->model, t->imp->model->base,
            orma_processes_thread(orma_model_processes(t->imp->model, t->imp->model->base),
                                  s->exec.caller));
        s->exec.leader = s->exec.caller = 0;
    }
    t->ends_nothing =
        orma_slices_end(slices, t->ts, t->track, t->category, id, list) == ORMA_SLICE_NONE;
    if (again)
        orma_slices_begin(slices, t->ts, t->track, t->category, id, NULL);
    return true;
}

/* "4 <0.0x12>", or at the end of a file that was cut "4 <0.0": there was a duration, which is none.
 * Other things stand in brackets, too: paths,
 * "<unavailable>". */
static bool ends_in_duration(struct orma_str result)
{
    size_t at = result.len;

    while (at && result.data[at - 1] != ' ')
        at--;
    return at && result.data[at] == '<' && (unsigned char)(result.data[at + 1] - '0') < 10;
}

/* "read(3, ...) = 4 <0.000012>" */
static bool call(struct told *t)
{
    struct orma_slices *slices = &t->imp->model->slices;
    const char *at = t->rest.len ? memchr(t->rest.data, '(', t->rest.len) : NULL;
    struct orma_str args, result, so_far;
    int64_t dur;

    if (!at)
        return false;
    const struct orma_str name = {t->rest.data, (size_t)(at - t->rest.data)};
    const uint32_t id = orma_model_str(t->imp->model, name);
    ORMA_MODEL_ARGS(list, t->imp->model);

    args = (struct orma_str){at + 1, t->rest.len - name.len - 1};
    bool open = is_unfinished(args, &so_far), time = false;
    if (open)
        args = so_far;
    else
        open = !cut_result(&args, &result, &dur, &time); /* the text ends in it */
    put_arg(t->imp, list, "args", args);
    if (open) {
        orma_slices_begin(slices, t->ts, t->track, t->category, id, list);
        return true;
    }
    put_arg(t->imp, list, "ret", result);
    if (!time && ends_in_duration(result))
        orma_file_part(t->file, ORMA_ACCOUNT_DAMAGED, "durations of calls", NULL);
    orma_slices_complete(slices, t->ts, dur, t->track, t->category, id, list);
    return true;
}

/* "+++ superseded by execve in pid 124 +++": the thread 124 goes on as this one. */
static void superseded(struct strace *s, uint32_t leader, struct orma_str rest)
{
    const char *at = orma_str_find(rest, ORMA_STR(" in pid "));
    struct orma_str num = {at ? at + 8 : NULL, at ? (size_t)(rest.data + rest.len - at) - 8 : 0};
    uint64_t pid;

    if (at && number(&num, &pid) && pid <= UINT32_MAX) {
        s->exec.leader = leader;
        s->exec.caller = (uint32_t)pid;
    }
}

static struct orma_unit_end strace_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_import_ctx *imp = file->imp;
    struct strace *s = file->state;
    struct call c;
    enum line r = read_line((struct orma_str){(const char *)item->data, item->len}, &c, false);

    if (!c.has_tid && !main_thread(s, &c.tid)) {
        count(file, ORMA_STAT_STRACE_MISSING_PID);
        return orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "lines without a pid (strace -f)");
    }
    if (r == LINE_NO_CALL) {
        superseded(s, c.tid, c.rest);
        return orma_file_took(file);
    }
    struct orma_processes *p = orma_model_processes(imp->model, imp->model->base);
    const uint32_t utid = orma_processes_thread(p, c.tid);
    struct told t = {
        .file = file,
        .imp = imp,
        .ts = item->ts,
        .tid = c.tid,
        .track = orma_model_thread_track(imp->model, imp->model->base, utid),
        .category = orma_model_cstr(imp->model, "strace"),
        .rest = c.rest,
    };

    if (c.comm.len)
        orma_processes_name_thread(p, utid, orma_model_str(imp->model, c.comm),
                                   ORMA_THREAD_NAME_OTHER);
    if (orma_str_starts(c.rest, ORMA_STR("<... ")) ? resume(s, &t) : call(&t))
        return t.ends_nothing ? orma_file_skipped(file, ORMA_ACCOUNT_NO_BEGIN, "ends of calls")
                              : orma_file_took(file);
    count(file, ORMA_STAT_STRACE_PARSE_FAILURE);
    return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "non-call lines");
}

static void strace_fini(struct orma_file *file)
{
    struct strace *s = file->state;

    orma_arena_fini(&s->arena);
    orma_map_fini(&s->threads);
}

const struct orma_format_ops orma_format_strace = {
    .state_bytes = sizeof(struct strace),
    .clock = ORMA_CLOCK_REALTIME,
    .unit = "line",
    .read = strace_read,
    .parse = strace_parse,
    .fini = strace_fini,
};
