/*
 * What `strace -f -ttt` prints, with -T for durations:
 *
 *     123 1700000000.000001 read(3, "...", 10) = 4 <0.000012>
 *     123 1700000000.000002 futex(0x1, FUTEX_WAIT <unfinished ...>
 *     123 1700000000.000009 <... futex resumed>) = 0 <0.000007>
 *
 * Calls are slices of their thread. Signals and exits ("---", "+++") are counted only.
 */
#include "processor/import/formats/formats.h"

#define LINE_MAX ((size_t)1 << 20)

struct call {
    uint32_t tid;
    int64_t ts;
    bool has_tid;
    struct orma_str rest; /* behind the time */
};

static bool number(struct orma_str *rest, uint64_t *ret)
{
    size_t n = 0;

    *ret = 0;
    while (n < rest->len && n < 18 && rest->data[n] >= '0' && rest->data[n] <= '9')
        *ret = *ret * 10 + (uint64_t)(rest->data[n++] - '0');
    *rest = (struct orma_str){rest->data + n, rest->len - n};
    return n;
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

/* "123 " or "[pid   123] "; nothing is read if it is neither. */
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
    if (!number(&at, &pid) || before - at.len >= SECONDS_DIGITS || !at.len ||
        at.data[0] != (bracket ? ']' : ' '))
        return;
    skip(&at, 1);
    blanks(&at);
    ret->tid = (uint32_t)pid;
    ret->has_tid = true;
    *rest = at;
}

enum line { LINE_OK, LINE_NONE, LINE_NO_CALL, LINE_NO_PID, LINE_BAD_TIME };

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

static enum line read_line(struct orma_str line, struct call *ret)
{
    uint64_t seconds, fraction = 0;

    *ret = (struct call){0};
    read_pid(&line, ret);
    if (!number(&line, &seconds) || !line.len)
        return LINE_NONE;
    if (line.data[0] == ':') /* -t and -tt: the time of some day */
        return LINE_BAD_TIME;
    if (seconds > 9000000000u || (line.data[0] == '.' && !read_fraction(&line, &fraction)) ||
        !line.len || line.data[0] != ' ')
        return LINE_NONE;
    if (!ret->has_tid)
        return LINE_NO_PID;
    ret->ts = (int64_t)(seconds * 1000000000 + fraction);
    blanks(&line);
    if (line.len && (line.data[0] == '-' || line.data[0] == '+'))
        return LINE_NO_CALL;
    ret->rest = line;
    return LINE_OK;
}

static void on_line(struct orma_file *file, struct orma_str line)
{
    static const enum orma_stat stats[] = {[LINE_NONE] = ORMA_STAT_STRACE_PARSE_FAILURE,
                                           [LINE_NO_CALL] = ORMA_STAT_STRACE_PARSE_FAILURE,
                                           [LINE_NO_PID] = ORMA_STAT_STRACE_MISSING_PID,
                                           [LINE_BAD_TIME] =
                                               ORMA_STAT_STRACE_UNSUPPORTED_TIMESTAMP_FORMAT};
    struct call c;
    enum line r = line.len ? read_line(line, &c) : LINE_NONE;

    if (r == LINE_OK)
        orma_file_add(file, c.ts, 0, (const uint8_t *)line.data, line.len);
    else if (line.len)
        orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base), stats[r]);
    if (r == LINE_NONE && line.len)
        orma_file_damage(file, line.data, line.len, ORMA_DAMAGED_LINE);
}

static size_t strace_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_str rest = {(const char *)data, len};

    while (rest.len && !orma_file_failed(file)) {
        const char *end = memchr(rest.data, '\n', rest.len);
        size_t n = end ? (size_t)(end - rest.data) : rest.len;

        if (!end && !at_end && rest.len < LINE_MAX)
            break;
        on_line(file, (struct orma_str){rest.data, n});
        skip(&rest, ORMA_MIN(n + 1, rest.len));
    }
    return len - rest.len;
}

/* ---- calls ---- */

/* Takes " = ret <0.000012>" off the end of a call. */
static void cut_result(struct orma_str *call, struct orma_str *ret_result, int64_t *ret_dur)
{
    struct orma_str s = orma_str_trim(*call);
    uint64_t seconds, fraction;
    size_t at = s.len;

    *ret_result = (struct orma_str){0};
    *ret_dur = 0;
    if (s.len > 2 && s.data[s.len - 1] == '>') {
        while (at && s.data[at - 1] != '<')
            at--;
        struct orma_str time = {s.data + at, s.len - at};
        size_t digits;

        if (at && number(&time, &seconds) && time.len && time.data[0] == '.') {
            skip(&time, 1);
            digits = time.len;
            if (number(&time, &fraction) && (digits -= time.len) <= 9 && seconds < 1000000000) {
                for (; digits < 9; digits++)
                    fraction *= 10;
                *ret_dur = (int64_t)(seconds * 1000000000 + fraction);
                s = orma_str_trim((struct orma_str){s.data, at - 1});
            }
        }
    }
    for (at = s.len; at-- > 2;) {
        if (s.data[at] != '=' || s.data[at - 1] != ' ')
            continue;
        *ret_result = orma_str_trim((struct orma_str){s.data + at + 1, s.len - at - 1});
        s = orma_str_trim((struct orma_str){s.data, at});
        break;
    }
    if (s.len && s.data[s.len - 1] == ')')
        s.len--;
    *call = s;
}

static void put_arg(struct orma_import_ctx *imp, struct orma_args_list *args, const char *key,
                    struct orma_str text)
{
    if (text.len)
        orma_args_put_str(args, orma_model_cstr(imp->model, key), orma_model_str(imp->model, text));
}

#define UNFINISHED ORMA_STR("<unfinished ...>")

/* Arguments of a call that goes on, without the comma behind the last one. */
static struct orma_str so_far(struct orma_str args, const char *end)
{
    struct orma_str s = orma_str_trim((struct orma_str){args.data, (size_t)(end - args.data)});

    while (s.len && s.data[s.len - 1] == ',')
        s = orma_str_trim((struct orma_str){s.data, s.len - 1});
    return s;
}

static void strace_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_import_ctx *imp = file->imp;
    struct call c;
    struct orma_str name, args, result;
    int64_t dur;

    if (read_line((struct orma_str){(const char *)item->data, item->len}, &c) != LINE_OK)
        return; /* it could be read before: the file has changed since */
    uint32_t category = orma_model_cstr(imp->model, "strace");
    uint32_t utid =
        orma_processes_thread(orma_model_processes(imp->model, imp->model->base), c.tid);
    bool resumed = orma_str_starts(c.rest, ORMA_STR("<... "));
    const char *at;

    ORMA_MODEL_ARGS(list, imp->model);
    if (resumed) {
        skip(&c.rest, 5);
        at = orma_str_find(c.rest, ORMA_STR(" resumed>"));
        if (!at)
            return;
        name = (struct orma_str){c.rest.data, (size_t)(at - c.rest.data)};
        args = (struct orma_str){at + 9, c.rest.len - name.len - 9};
        bool again = orma_str_find(args, UNFINISHED) != NULL; /* and interrupted once more */
        uint32_t on = orma_model_thread_track(imp->model, imp->model->base, utid);
        cut_result(&args, &result, &dur);
        if (!again)
            put_arg(imp, list, "ret", result);
        orma_slices_end(&imp->model->slices, item->ts, on, category,
                        orma_model_str(imp->model, name), list);
        if (again)
            orma_slices_begin(&imp->model->slices, item->ts, on, category,
                              orma_model_str(imp->model, name), NULL);
        return;
    }
    at = c.rest.len ? memchr(c.rest.data, '(', c.rest.len) : NULL;
    if (!at)
        return;
    name = (struct orma_str){c.rest.data, (size_t)(at - c.rest.data)};
    args = (struct orma_str){at + 1, c.rest.len - name.len - 1};
    uint32_t track = orma_model_thread_track(imp->model, imp->model->base, utid);
    if ((at = orma_str_find(args, UNFINISHED))) {
        put_arg(imp, list, "args", so_far(args, at));
        orma_slices_begin(&imp->model->slices, item->ts, track, category,
                          orma_model_str(imp->model, name), list);
        return;
    }
    cut_result(&args, &result, &dur);
    put_arg(imp, list, "args", args);
    put_arg(imp, list, "ret", result);
    orma_slices_complete(&imp->model->slices, item->ts, dur, track, category,
                         orma_model_str(imp->model, name), list);
}

const struct orma_format_ops orma_format_strace = {
    .clock = ORMA_CLOCK_REALTIME,
    .read = strace_read,
    .parse = strace_parse,
};
