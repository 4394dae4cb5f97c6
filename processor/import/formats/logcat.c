/*
 * What `logcat -v threadtime` prints:
 *
 *     12-13 10:32:20.030  1234  5678 I tag     : text
 *
 * The year may stand in front (`-v year`); without it the year is 1970.
 */
#include "processor/import/formats/formats.h"

#define LINE_MAX ((size_t)1 << 20)
#define YEAR_MAX 2200 /* nanoseconds since 1970 of later ones are too many for 64 bits */

struct entry {
    int64_t ts;
    uint32_t pid, tid;
    uint32_t prio;
    struct orma_str tag, text;
};

static void skip(struct orma_str *rest, size_t n)
{
    *rest = (struct orma_str){rest->data + n, rest->len - n};
}

/* Digits and the letter behind them. */
static bool number(struct orma_str *rest, char behind, unsigned max, uint32_t *ret)
{
    size_t n = 0;

    *ret = 0;
    while (n < rest->len && n < max && rest->data[n] >= '0' && rest->data[n] <= '9')
        *ret = *ret * 10 + (uint32_t)(rest->data[n++] - '0');
    if (!n || n == rest->len || rest->data[n] != behind)
        return false;
    skip(rest, n + 1);
    return true;
}

/* Days since 1970 of a date of the Gregorian calendar. */
static int64_t days(uint32_t year, uint32_t month, uint32_t day)
{
    int64_t y = (int64_t)year - (month <= 2), era = y / 400, in_era = y - era * 400;
    int64_t shifted = (int64_t)month + (month > 2 ? -3 : 9);
    int64_t of_year = (153 * shifted + 2) / 5 + (int64_t)day - 1;

    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + of_year - 719468;
}

static bool read_time(struct orma_str *rest, int64_t *ret)
{
    uint32_t year = 1970, month, day, hour, minute, second;
    uint64_t fraction = 0;
    struct orma_str word;
    unsigned n = 0;

    if (rest->len > 4 && rest->data[4] == '-' && !number(rest, '-', 4, &year))
        return false;
    if (!number(rest, '-', 2, &month) || !number(rest, ' ', 2, &day) ||
        !number(rest, ':', 2, &hour) || !number(rest, ':', 2, &minute) ||
        !number(rest, '.', 2, &second) || !orma_str_cut(rest, ' ', &word))
        return false;
    for (; n < word.len && n < 9 && word.data[n] >= '0' && word.data[n] <= '9'; n++)
        fraction = fraction * 10 + (uint64_t)(word.data[n] - '0');
    if (!n || n < word.len || month < 1 || month > 12 || day < 1 || day > 31 || year < 1970 ||
        year > YEAR_MAX)
        return false;
    for (; n < 9; n++)
        fraction *= 10;
    *ret = ((days(year, month, day) * 24 + hour) * 3600 + minute * 60 + second) * 1000000000 +
           (int64_t)fraction;
    return true;
}

static bool read_line(struct orma_str line, struct entry *ret)
{
    static const char letters[] = "VDIWEFS";
    struct orma_str rest = line, word;
    const char *at;

    if (!read_time(&rest, &ret->ts))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        while (rest.len && rest.data[0] == ' ')
            skip(&rest, 1);
        if (!number(&rest, ' ', 9, i ? &ret->tid : &ret->pid))
            return false;
    }
    while (rest.len && rest.data[0] == ' ')
        skip(&rest, 1);
    if (!orma_str_cut(&rest, ' ', &word) || word.len != 1 ||
        !(at = memchr(letters, word.data[0], sizeof(letters) - 1)))
        return false;
    ret->prio = (uint32_t)(at - letters) + 2;
    at = orma_str_find(rest, ORMA_STR(": "));
    if (!at)
        at = rest.len ? memchr(rest.data, ':', rest.len) : NULL;
    if (!at)
        return false;
    ret->tag = orma_str_trim((struct orma_str){rest.data, (size_t)(at - rest.data)});
    skip(&rest, (size_t)(at - rest.data) + 1);
    if (rest.len && rest.data[0] == ' ')
        skip(&rest, 1);
    ret->text = rest;
    return true;
}

static void bad_line(struct orma_file *file, struct orma_str line)
{
    orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base),
                   ORMA_STAT_ANDROID_LOG_FORMAT_INVALID);
    orma_file_damage(file, line.data, line.len, ORMA_DAMAGED_LINE);
}

static size_t logcat_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_str rest = {(const char *)data, len};
    struct entry e;

    while (rest.len && !orma_file_failed(file)) {
        const char *end = memchr(rest.data, '\n', rest.len);
        size_t n = end ? (size_t)(end - rest.data) : rest.len;
        struct orma_str line = {rest.data, n};

        if (!end && rest.len < LINE_MAX)
            break; /* the last one without an end is cut off */
        if (line.len && line.data[line.len - 1] == '\r')
            line.len--;
        if (read_line(line, &e))
            orma_file_add(file, e.ts, 0, (const uint8_t *)line.data, line.len);
        else if (line.len && !orma_str_starts(line, ORMA_STR("---------")))
            bad_line(file, line);
        skip(&rest, ORMA_MIN(n + 1, rest.len));
    }
    if (at_end)
        orma_model_cut_off(file->imp->model, rest.len);
    return len - rest.len;
}

static void logcat_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_import_ctx *imp = file->imp;
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_LOGS);
    struct entry e;

    if (!read_line((struct orma_str){(const char *)item->data, item->len}, &e))
        return; /* it could be read before: the file has changed since */
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_LOGS_TS, row, item->ts);
    orma_table_set(
        t, ORMA_LOGS_UTID, row,
        orma_processes_thread_of(orma_model_processes(imp->model, imp->model->base), e.tid, e.pid));
    orma_table_set(t, ORMA_LOGS_PRIO, row, e.prio);
    orma_table_set(t, ORMA_LOGS_LOG_SOURCE, row, orma_model_cstr(imp->model, "android_logcat"));
    orma_table_set(t, ORMA_LOGS_TAG, row, orma_model_str(imp->model, e.tag));
    orma_table_set(t, ORMA_LOGS_MSG, row, orma_model_str(imp->model, e.text));
}

const struct orma_format_ops orma_format_logcat = {
    .clock = ORMA_CLOCK_REALTIME,
    .read = logcat_read,
    .parse = logcat_parse,
};
