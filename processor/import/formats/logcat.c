/*
 * What `logcat` prints, in any of its formats but raw:
 *
 *     threadtime   12-13 10:32:20.030  1234  5678 I tag     : text
 *     time         12-13 10:32:20.030 I/tag     ( 1234): text
 *     long         [ 12-13 10:32:20.030  1234: 5678 I/tag     ]
 *                  text, perhaps of several lines, and an empty one
 *     brief        I/tag     ( 1234): text
 *     process      I( 1234) text  (tag)
 *     thread       I( 1234: 5678) text
 *     tag          I/tag     : text
 *
 * Those without a time are all at 0. The time may have a year in front (`-v year`; without one it
 * is 1970), up to nine digits of a second (`usec`, `nsec`) and a zone behind it (`zone`, `UTC`); or
 * it is seconds since 1970 (`epoch`) or since the start of the machine (`monotonic`), which are
 * told apart by their size. A user may stand in front of the process (`uid`). Colours are left out.
 */
#include "processor/import/formats/formats.h"

#define LINE_MAX ((size_t)1 << 20)
#define YEAR_MAX 2200 /* nanoseconds since 1970 of later ones are too many for 64 bits */
#define NS_PER_S 1000000000
#define NS_PER_DAY (INT64_C(86400) * NS_PER_S)
#define FEBRUARY 2
#define YEARS_MAX 200u
#define MONTHS_FAR 6 /* who goes back by more is in the next year */
/* Seconds of an epoch are more (2001), those of a machine that runs are fewer. */
#define EPOCH_MIN 1000000000
#define EPOCH_MAX (INT64_MAX / NS_PER_S - 1)

struct entry {
    int64_t ts;
    bool timed, monotonic;
    uint32_t month, day; /* of a date without a year, which is taken for 1970; 0: of no other */
    bool lines;          /* the text may have several */
    uint32_t pid, tid;   /* 0: unknown */
    uint32_t prio;
    struct orma_str tag, text;
};

static void skip(struct orma_str *rest, size_t n)
{
    *rest = (struct orma_str){rest->data + n, rest->len - n};
}

static void skip_blanks(struct orma_str *rest)
{
    while (rest->len && rest->data[0] == ' ')
        skip(rest, 1);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- times ---- */

/* Digits and the letter behind them. */
static bool number(struct orma_str *rest, char behind, unsigned max, uint32_t *ret)
{
    size_t n = 0;

    *ret = 0;
    while (n < rest->len && n < max && is_digit(rest->data[n]))
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

/* Digits behind the point, and a blank. */
static bool fraction(struct orma_str *rest, int64_t *ret_ns)
{
    struct orma_str word;
    unsigned n = 0;

    *ret_ns = 0;
    if (!orma_str_cut(rest, ' ', &word))
        return false;
    for (; n < word.len && n < 9 && is_digit(word.data[n]); n++)
        *ret_ns = *ret_ns * 10 + (word.data[n] - '0');
    if (!n || n < word.len)
        return false;
    for (; n < 9; n++)
        *ret_ns *= 10;
    return true;
}

/* "+0130 " is to be taken from the time, and usually is not there. */
static int64_t zone(struct orma_str *rest)
{
    struct orma_str word = {rest->data, ORMA_MIN(rest->len, (size_t)5)};
    uint32_t hhmm = 0;

    if (rest->len < 6 || rest->data[5] != ' ' || (word.data[0] != '+' && word.data[0] != '-'))
        return 0;
    for (unsigned i = 1; i < 5; i++) {
        if (!is_digit(word.data[i]))
            return 0;
        hhmm = hhmm * 10 + (uint32_t)(word.data[i] - '0');
    }
    skip(rest, 6);
    int64_t seconds = (int64_t)(hhmm / 100 * 3600 + hhmm % 100 * 60);
    return word.data[0] == '-' ? -seconds : seconds;
}

static bool is_leap(uint32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Without a year, any may have a February 29. */
static bool is_day(uint32_t year, uint32_t month, uint32_t day)
{
    static const uint8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return month >= 1 && month <= 12 && day >= 1 &&
           day <= lengths[month - 1] + (month == FEBRUARY && (!year || is_leap(year)) ? 1u : 0u);
}

static bool read_date(struct orma_str *rest, struct entry *e)
{
    uint32_t year = 0, month, day, hour, minute, second;
    int64_t ns;

    if (rest->len > 4 && rest->data[4] == '-' &&
        (!number(rest, '-', 4, &year) || year < 1970 || year > YEAR_MAX))
        return false;
    if (!number(rest, '-', 2, &month) || !number(rest, ' ', 2, &day) ||
        !number(rest, ':', 2, &hour) || !number(rest, ':', 2, &minute) ||
        !number(rest, '.', 2, &second) || !fraction(rest, &ns))
        return false;
    if (!is_day(year, month, day))
        return false;
    int64_t s = (days(year ? year : 1970, month, day) * 24 + hour) * 3600 + minute * 60 + second;
    e->ts = (s - zone(rest)) * NS_PER_S + ns;
    e->month = year ? 0 : month;
    e->day = day;
    return true;
}

static bool read_seconds(struct orma_str *rest, int64_t *ret, bool *ret_monotonic)
{
    struct orma_str word;
    int64_t s, ns;

    skip_blanks(rest);
    if (!rest->len || !is_digit(rest->data[0]) || !orma_str_cut(rest, '.', &word) ||
        !orma_str_to_i64(word, &s) || s > EPOCH_MAX || !fraction(rest, &ns))
        return false;
    *ret = s * NS_PER_S + ns;
    *ret_monotonic = s < EPOCH_MIN;
    return true;
}

/* False: there is none, and *rest is as it was. */
static bool read_time(struct orma_str *rest, struct entry *e)
{
    const struct orma_str all = *rest;

    e->ts = 0;
    e->month = 0;
    e->monotonic = false;
    if (read_date(rest, e))
        return true;
    *rest = all;
    if (read_seconds(rest, &e->ts, &e->monotonic))
        return true;
    *rest = all;
    return false;
}

/* ---- who ---- */

static bool priority(char letter, uint32_t *ret)
{
    static const char letters[] = "VDIWEFS";
    const char *at = letter ? strchr(letters, letter) : NULL;

    if (at)
        *ret = (uint32_t)(at - letters) + 2;
    return at;
}

static bool id(struct orma_str text, uint32_t *ret)
{
    uint64_t val;

    text = orma_str_trim(text);
    if (!orma_str_to_u64(text, &val) || val > UINT32_MAX)
        return false;
    *ret = (uint32_t)val;
    return true;
}

/* "1234", "1234:5678", or the same with a user and a colon in front; `thread`: of two numbers the
 * second is the thread. */
static bool ids(struct orma_str text, bool thread, struct entry *e)
{
    struct orma_str part[3];
    unsigned num = 0;

    while (num < 3 && orma_str_cut(&text, ':', &part[num]))
        num++;
    if (!num || text.len)
        return false;
    bool has_thread = thread && (num == 3 || (num == 2 && id(part[0], &e->pid)));
    if (!id(part[num - 1], &e->tid))
        return false;
    e->pid = e->tid;
    return !has_thread || id(part[num - 2], &e->pid);
}

static bool word(struct orma_str *rest, struct orma_str *ret)
{
    skip_blanks(rest);
    return orma_str_cut(rest, ' ', ret) && ret->len;
}

/* The tag, and what the line says behind the colon. */
static bool tag_and_text(struct orma_str rest, struct entry *e)
{
    const char *at = orma_str_find(rest, ORMA_STR(": "));

    if (!at)
        at = rest.len ? memchr(rest.data, ':', rest.len) : NULL;
    if (!at)
        return false;
    e->tag = orma_str_trim((struct orma_str){rest.data, (size_t)(at - rest.data)});
    skip(&rest, (size_t)(at - rest.data) + 1);
    if (rest.len && rest.data[0] == ' ')
        skip(&rest, 1);
    e->text = rest;
    return true;
}

/* "[USER] PID TID L TAG: TEXT" */
static bool columns(struct orma_str rest, struct entry *e)
{
    struct orma_str w[3];

    if (!word(&rest, &w[0]) || !word(&rest, &w[1]) || !word(&rest, &w[2]))
        return false;
    if (w[2].len != 1 || !priority(w[2].data[0], &e->prio)) { /* the first is a user */
        w[0] = w[1];
        w[1] = w[2];
        if (!word(&rest, &w[2]) || w[2].len != 1 || !priority(w[2].data[0], &e->prio))
            return false;
    }
    return id(w[0], &e->pid) && id(w[1], &e->tid) && tag_and_text(rest, e);
}

/* "TAG(PID): TEXT"; without a process "TAG: TEXT". */
static bool brief(struct orma_str rest, struct entry *e)
{
    const char *end = orma_str_find(rest, ORMA_STR("):"));
    const char *begin = end ? memrchr(rest.data, '(', (size_t)(end - rest.data)) : NULL;
    const char *colon = orma_str_find(rest, ORMA_STR(": "));

    e->pid = e->tid = 0;
    if (!begin || (colon && colon < begin) ||
        !ids((struct orma_str){begin + 1, (size_t)(end - begin) - 1}, false, e))
        return tag_and_text(rest, e);
    e->tag = orma_str_trim((struct orma_str){rest.data, (size_t)(begin - rest.data)});
    skip(&rest, (size_t)(end - rest.data) + 2);
    if (rest.len && rest.data[0] == ' ')
        skip(&rest, 1);
    e->text = rest;
    return true;
}

/* "PID) TEXT  (TAG)", "PID:TID) TEXT" */
static bool process(struct orma_str rest, struct entry *e)
{
    struct orma_str who;
    bool thread;

    if (!orma_str_cut(&rest, ')', &who))
        return false;
    thread = memchr(who.data, ':', who.len);
    if (!ids(who, true, e))
        return false;
    skip_blanks(&rest);
    e->tag = (struct orma_str){"", 0};
    e->text = rest;
    const char *at = rest.len ? memrchr(rest.data, '(', rest.len) : NULL;
    if (thread || !at || rest.data[rest.len - 1] != ')')
        return true;
    e->tag = (struct orma_str){at + 1, (size_t)(rest.data + rest.len - at) - 2};
    e->text = orma_str_trim((struct orma_str){rest.data, (size_t)(at - rest.data)});
    return true;
}

/* ---- lines ---- */

/* "\033[38;5;40m" in front, "\033[0m" behind. */
static struct orma_str without_colours(struct orma_str line)
{
    const struct orma_str back = ORMA_STR("\033[0m");
    const char *end;

    if (!line.len || line.data[0] != '\033' || !(end = memchr(line.data, 'm', line.len)))
        return line;
    skip(&line, (size_t)(end - line.data) + 1);
    if (line.len >= back.len && !memcmp(line.data + line.len - back.len, back.data, back.len))
        line.len -= back.len;
    return line;
}

static bool read_line(struct orma_str line, struct entry *e)
{
    struct orma_str rest = without_colours(line);

    e->timed = read_time(&rest, e);
    if (e->timed && columns(rest, e))
        return true;
    if (rest.len < 3 || !priority(rest.data[0], &e->prio))
        return false;
    struct orma_str behind = {rest.data + 2, rest.len - 2};
    return rest.data[1] == '/' ? brief(behind, e) : rest.data[1] == '(' && process(behind, e);
}

/* "[ TIME PID:TID L/TAG ]" */
static bool read_header(struct orma_str line, struct entry *e)
{
    const struct orma_str end = ORMA_STR(" ]");
    struct orma_str rest = without_colours(line), who;
    const char *slash;

    if (rest.len < 4 || memcmp(rest.data, "[ ", 2) != 0 ||
        memcmp(rest.data + rest.len - end.len, end.data, end.len) != 0)
        return false;
    rest = (struct orma_str){rest.data + 2, rest.len - 4};
    e->timed = read_time(&rest, e);
    if (!e->timed || !(slash = orma_str_find(rest, ORMA_STR("/"))) || slash < rest.data + 2 ||
        !priority(slash[-1], &e->prio))
        return false;
    who = (struct orma_str){rest.data, (size_t)(slash - rest.data) - 1};
    skip(&rest, (size_t)(slash - rest.data) + 1);
    e->tag = orma_str_trim(rest);
    return ids(orma_str_trim(who), true, e);
}

/* A line, or a header with its text. */
static bool read_entry(struct orma_str bytes, struct entry *e)
{
    struct orma_str rest = bytes, line;

    if (bytes.len && bytes.data[0] != '[' && bytes.data[0] != '\033')
        return read_line(bytes, e);
    if (!orma_str_cut(&rest, '\n', &line))
        return read_line(bytes, e);
    while (line.len && line.data[line.len - 1] == '\r')
        line.len--;
    if (!read_header(line, e))
        return read_line(bytes, e);
    e->text = orma_str_trim(rest);
    e->lines = true;
    return true;
}

static struct orma_unit_end bad_line(struct orma_file *file, struct orma_str line)
{
    orma_stats_inc(orma_model_stats(file->imp->model, file->imp->model->base),
                   ORMA_STAT_ANDROID_LOG_FORMAT_INVALID);
    return orma_file_damaged(file, "lines", line.data, line.len, ORMA_DAMAGED_LINE);
}

/* Of the entries so far. */
struct logcat {
    bool any, timed;
    uint32_t month; /* of the last date without a year; 0: there was none */
    uint32_t year;  /* ... which is so many years behind the first one */
    bool leap;      /* that year has a February 29 */
};

/* A log is in order, but for some lines: December is before January, and what is behind February 29
 * is a day later than in 1970. */
static int64_t days_behind(struct logcat *self, const struct entry *e)
{
    if (self->month > e->month + MONTHS_FAR && self->year < YEARS_MAX) {
        self->year++;
        self->leap = false;
    } else if (self->month && self->year && e->month > self->month + MONTHS_FAR) {
        self->year--;
        self->leap = false;
    }
    self->month = e->month;
    /* days() makes March 1 of it. */
    self->leap |= e->month == FEBRUARY && e->day == 29;
    return days(1970 + self->year, 1, 1) + (self->leap && e->month > FEBRUARY);
}

/* In a file with times a line without one is no entry. */
static struct orma_unit_end add(struct orma_file *file, const struct entry *e,
                                struct orma_str bytes)
{
    struct logcat *state = file->state;

    orma_file_unit(file, bytes.data);
    if (state->timed && !e->timed)
        return bad_line(file, bytes);
    if (!state->any && e->monotonic)
        orma_file_set_clock(file, ORMA_CLOCK_MONOTONIC);
    state->any = true;
    state->timed |= e->timed;
    int64_t ts = e->ts + (e->month ? days_behind(state, e) * NS_PER_DAY : 0);
    return orma_file_add(file, ts, 0, (const uint8_t *)bytes.data, bytes.len);
}

/* The next line end that an empty line follows, which may end with a carriage return. NULL: none.
 */
static const char *find_gap(struct orma_str s)
{
    const char *end = s.data + s.len, *at = s.data;

    for (; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
        if ((at + 1 < end && at[1] == '\n') || (at + 2 < end && at[1] == '\r' && at[2] == '\n'))
            return at;
    return NULL;
}

/* How long the entry is whose header begins here: up to the next one behind an empty line. 0: its
 * end is not there yet. */
static size_t long_entry(struct orma_str rest, bool at_end)
{
    const struct orma_str heads[] = {ORMA_STR("["), ORMA_STR("-----")};
    struct orma_str at = rest;

    /* One look from front to back: a mark that is far away must not be looked for by each entry. */
    for (const char *gap; (gap = find_gap(at));) {
        skip(&at, (size_t)(gap - at.data) + 1 + (gap[1] == '\r'));
        for (size_t i = 0; i < ORMA_ARRAY_LEN(heads); i++)
            if (orma_str_starts((struct orma_str){at.data + 1, at.len - 1}, heads[i]))
                return (size_t)(gap - rest.data);
    }
    return at_end || rest.len >= LINE_MAX ? rest.len : 0;
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
            break; /* the last one without an end is truncated */
        while (line.len && line.data[line.len - 1] == '\r') /* some have passed two programs */
            line.len--;
        if (read_header(line, &e)) {
            if (!(n = long_entry(rest, at_end)))
                break; /* it comes again, with more */
            (void)add(file, &e, (struct orma_str){rest.data, n});
        } else if (read_line(line, &e)) {
            (void)add(file, &e, line);
        } else if (line.len && !orma_str_starts(line, ORMA_STR("---------"))) {
            orma_file_unit(file, line.data);
            (void)bad_line(file, line);
        }
        skip(&rest, ORMA_MIN(n + 1, rest.len));
    }
    if (at_end)
        orma_file_truncated(file, rest.len);
    return len - rest.len;
}

/* The text of several lines, without carriage returns at their ends. */
static uint32_t text_of(struct orma_import_ctx *imp, struct orma_str text)
{
    struct orma_buf plain = {0};
    uint32_t id;

    if (!memchr(text.data, '\r', text.len))
        return orma_model_str(imp->model, text);
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] != '\r' || i + 1 == text.len || text.data[i + 1] != '\n')
            orma_buf_put_byte(&plain, (uint8_t)text.data[i]);
    imp->model->storage->failed |= plain.failed;
    id = orma_model_str(imp->model, orma_buf_str(&plain));
    orma_buf_fini(&plain);
    return id;
}

static struct orma_unit_end logcat_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_import_ctx *imp = file->imp;
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_LOGS);
    struct orma_processes *procs = orma_model_processes(imp->model, imp->model->base);
    struct entry e = {.lines = false};

    if (!read_entry((struct orma_str){(const char *)item->data, item->len}, &e))
        return orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "entries changed during the import");
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_LOGS_TS, row, item->ts);
    if (e.tid || e.pid || e.timed)
        orma_table_set(t, ORMA_LOGS_UTID, row, orma_processes_thread_of(procs, e.tid, e.pid));
    orma_table_set(t, ORMA_LOGS_PRIO, row, e.prio);
    orma_table_set(t, ORMA_LOGS_LOG_SOURCE, row, orma_model_cstr(imp->model, "android_logcat"));
    orma_table_set(t, ORMA_LOGS_TAG, row, orma_model_str(imp->model, e.tag));
    orma_table_set(t, ORMA_LOGS_MSG, row,
                   e.lines && e.text.len ? text_of(imp, e.text)
                                         : orma_model_str(imp->model, e.text));
    return orma_file_took(file);
}

const struct orma_format_ops orma_format_logcat = {
    .state_bytes = sizeof(struct logcat),
    .clock = ORMA_CLOCK_REALTIME,
    .unit = "entry",
    .read = logcat_read,
    .parse = logcat_parse,
};
