/*
 * Binary formats are known by magic bytes, JSON by the keys near its begin, texts by the form of
 * their first lines. The most specific is asked first, messages of protobuf late: many bytes can be
 * read as such. ENOUGH bytes decide, fewer only at the end of a file. foreign.c tells others' files.
 */
#include "processor/read/detect.h"

#include <string.h>
#include <strings.h>

#include "processor/read/detect_callgrind.h"
#include "processor/read/detect_ctf.h"
#include "processor/read/detect_otlp.h"
#include "processor/read/detect_profile.h"
#include "processor/read/foreign.h"
#include "sdk/base/defs.h"
#include "sdk/base/str.h"
#include "sdk/wire/pb_reader.h"

#define TAR_MAGIC_AT 257
#define ENOUGH 4096
#define PPROF_MIN 10
#define PPROF_LOOK (1 << 16) /* so many bytes are searched for fields of a profile */

static bool has(const uint8_t *data, size_t len, size_t at, const char *magic, size_t magic_len)
{
    return len >= at + magic_len && !memcmp(data + at, magic, magic_len);
}

/* The text without blanks, as far as it takes to tell JSON; a list may begin with a comma. */
static bool is_json(const uint8_t *data, size_t len)
{
    char squeezed[4];
    unsigned n = 0;

    for (size_t i = 0; i < len && n < sizeof(squeezed); i++)
        if ((!strchr(" \t\r\n", data[i]) || !data[i]) &&
            !(data[i] == ',' && n == 1 && squeezed[0] == '['))
            squeezed[n++] = (char)data[i];
    if (n >= 2 && squeezed[0] == '{' && (squeezed[1] == '"' || squeezed[1] == '}'))
        return true;
    return (n >= 3 && squeezed[0] == '[' && squeezed[1] == '{' && squeezed[2] == '"') ||
           (n >= 2 && squeezed[0] == '[' && squeezed[1] == ']');
}

static bool is_systrace(const uint8_t *data, size_t len)
{
    const char *text = (const char *)data;

    if (len && (text[0] == ' ' || text[0] == '\t'))
        return orma_str_trim((struct orma_str){text, len}).len > 0;
    if (len >= 14 && !strncasecmp(text, "<!doctype html", 14))
        return true;
    if (len >= 5 && !strncasecmp(text, "<html", 5))
        return true;
    return has(data, len, 0, "TRACE:\n", 7) || has(data, len, 0, "cpus=", 5) ||
           memmem(data, len, "# tracer", 8);
}

/* Without a magic word, as before 1988 and by `tar --format=v7`: a name, zeroes behind it, and the
 * sum of the header in octal digits. */
static bool is_old_tar(const uint8_t *data, size_t len)
{
    enum { HEADER = 512, NAME = 100, SUM_AT = 148, SUM = 8 };
    uint32_t sum = 0, said = 0;
    unsigned digits = 0;

    if (len < HEADER || data[0] <= ' ' || data[NAME - 1])
        return false;
    for (unsigned i = 0; i < HEADER; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM ? ' ' : data[i];
    for (unsigned i = 0; i < SUM; i++) {
        uint8_t c = data[SUM_AT + i];

        if (c >= '0' && c <= '7') {
            said = said * 8 + (uint32_t)(c - '0');
            digits++;
        } else if (c && c != ' ') {
            return false;
        }
    }
    return digits > 3 && said == sum;
}

/* ---- texts, by their first lines ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t skip_digits(struct orma_str s, size_t at)
{
    while (at < s.len && is_digit(s.data[at]))
        at++;
    return at;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t skip_blanks(struct orma_str s, size_t at)
{
    while (at < s.len && is_blank(s.data[at]))
        at++;
    return at;
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

/* Numbers with one such mark between them, if with any. */
static bool is_numbers(struct orma_str word, char mark, bool both)
{
    size_t at = skip_digits(word, 0);

    if (at && at < word.len && word.data[at] == mark) {
        both = false;
        at = word.len > at + 1 ? skip_digits(word, at + 1) : 0;
    }
    return at && at == word.len && !both;
}

/* "12", "12/34"; -1 is no thread. */
static bool is_thread(struct orma_str word)
{
    return is_numbers(word, '/', false) || orma_str_eq(word, ORMA_STR("-1")) ||
           orma_str_eq(word, ORMA_STR("-1/-1"));
}

#define TIME_MAX 40     /* digits and a point, less one */
#define MICROS_DIGITS 6 /* perf prints so many behind the point, or 9 */

/* "comm 12/34 [001] K ", which a time follows. */
static bool is_perf_who(struct orma_str who, bool precise)
{
    struct orma_str word = cut_last_word(&who);

    if (word.len && word.len <= 4 && memchr("KUHGg", word.data[0], 5))
        word = cut_last_word(&who); /* the mode */
    if (word.len > 2 && word.data[0] == '[' && word.data[word.len - 1] == ']' &&
        is_numbers((struct orma_str){word.data + 1, word.len - 2}, 0, false))
        word = cut_last_word(&who); /* the cpu */
    return is_thread(word) && (precise || cut_last_word(&who).len);
}

/* "comm 12/34 [001] 56.789012: event": before one of the colons there are a time and a thread. */
static bool is_perf_text(struct orma_str line)
{
    for (size_t i = 1, from; i < line.len; i++) {
        if (line.data[i] != ':' || !is_digit(line.data[i - 1]))
            continue;
        for (from = i; from && i - from < TIME_MAX && !is_blank(line.data[from - 1]);)
            from--;
        const struct orma_str time = {line.data + from, i - from};
        size_t whole = skip_digits(time, 0);
        bool precise = time.len > whole + MICROS_DIGITS;

        if (is_numbers(time, '.', true) && is_perf_who((struct orma_str){line.data, from}, precise))
            return true;
    }
    return false;
}

/* "a;b;c 12", "a 1.5" */
static bool is_collapsed(struct orma_str line, bool *ret_semicolon)
{
    struct orma_str word = cut_last_word(&line);

    *ret_semicolon = line.len && memchr(line.data, ';', line.len);
    return line.len && (is_numbers(word, 0, false) || is_numbers(word, '.', false));
}

/* "name(...", "<... name resumed>", "+++ exited", "--- SIGCHLD": what strace prints behind the
 * time.
 */
static bool is_traced(struct orma_str line, size_t at)
{
    size_t from = at;

    while (at < line.len &&
           ((line.data[at] | 32) >= 'a' || line.data[at] == '_' || is_digit(line.data[at])))
        at++;
    if (at > from && at < line.len && line.data[at] == '(')
        return true;
    const struct orma_str rest = {line.data + from, line.len - from};
    return orma_str_starts(rest, ORMA_STR("<... ")) || orma_str_starts(rest, ORMA_STR("+++ ")) ||
           orma_str_starts(rest, ORMA_STR("--- "));
}

/* "name(args) = ret" or so: calls have a result, or are not finished. */
static bool is_whole_call(struct orma_str line, size_t at)
{
    return is_traced(line, at) &&
           (orma_str_find(line, ORMA_STR(") = ")) ||
            orma_str_find(line, ORMA_STR("unfinished ...>")) ||
            orma_str_find(line, ORMA_STR(" resumed>")) || orma_str_find(line, ORMA_STR(")  ")));
}

static bool is_call(struct orma_str line)
{
    return is_whole_call(line, 0);
}

/* Behind "123 ", "123<comm> ", "[pid   123] "; 0 if it is none. */
static size_t skip_strace_pid(struct orma_str line)
{
    bool bracket = orma_str_starts(line, ORMA_STR("[pid"));
    size_t from = bracket ? skip_blanks(line, 4) : 0, at = skip_digits(line, from);
    const char *end;

    if (at == from || at >= line.len)
        return 0;
    if (line.data[at] == '<' && (end = memchr(line.data + at, '>', line.len - at)))
        at = (size_t)(end - line.data) + 1;
    return at < line.len && line.data[at] == (bracket ? ']' : ' ') ? skip_blanks(line, at + 1) : 0;
}

/* "12:34:56" of the day; 0 if it is none. */
static size_t skip_time_of_day(struct orma_str line, size_t at)
{
    if (skip_digits(line, at) != at + 2 || line.len < at + 9 || line.data[at + 2] != ':' ||
        skip_digits(line, at + 3) != at + 5 || line.data[at + 5] != ':' ||
        skip_digits(line, at + 6) != at + 8)
        return 0;
    return at + 8;
}

/* Behind "(+     0.000123) " of -r beside another time, "[  59] [00007f3db8875ad7] " of -n and -i.
 */
static size_t skip_columns(struct orma_str line, size_t at)
{
    const char *end;

    at = skip_blanks(line, at);
    while (at < line.len && (line.data[at] == '[' || line.data[at] == '(') &&
           (end = memchr(line.data + at, line.data[at] == '[' ? ']' : ')', line.len - at)))
        at = skip_blanks(line, (size_t)(end - line.data) + 1);
    return at;
}

/* "[pid  ]123 1700000000.123456 call(", with -f and -ttt, -tt, -t or -r. */
static bool is_strace(struct orma_str line)
{
    size_t at = skip_strace_pid(line), end;
    bool fraction;

    at = skip_blanks(line, at);
    if ((end = skip_time_of_day(line, at))) {
        if (end < line.len && line.data[end] == '.')
            end = skip_digits(line, end + 1);
        return end < line.len && line.data[end] == ' ' &&
               is_whole_call(line, skip_columns(line, end));
    }
    end = skip_digits(line, at);
    size_t digits = end - at;
    if (!digits || end >= line.len)
        return false;
    if ((fraction = line.data[end] == '.'))
        end = skip_digits(line, end + 1);
    if (end >= line.len || line.data[end] != ' ' || (!fraction && digits < 10))
        return false;
    end = skip_columns(line, end);
    /* Fewer digits are the time since the last call. */
    return digits >= 9 ? is_traced(line, end) : is_whole_call(line, end);
}

/* ---- logcat ---- */

static bool is_priority(struct orma_str line, size_t at)
{
    return at < line.len && strchr("VDIWEFS", line.data[at]) && line.data[at];
}

/* "I/tag( 12): text", "I/tag: text", "I( 12) text", "I( 12: 34) text" */
static bool is_brief(struct orma_str line, size_t at)
{
    struct orma_str rest = {line.data + ORMA_MIN(at + 2, line.len),
                            line.len - ORMA_MIN(at + 2, line.len)};
    struct orma_str word;

    if (!is_priority(line, at) || rest.len < 3)
        return false;
    if (line.data[at + 1] == '/')
        return orma_str_cut(&rest, ':', &word) && word.len && rest.len && rest.data[0] == ' ' &&
               !memchr(word.data, ';', word.len);
    if (line.data[at + 1] != '(' || !orma_str_cut(&rest, ')', &word) || !word.len || !rest.len ||
        rest.data[0] != ' ')
        return false;
    return is_digit(word.data[word.len - 1]) && (word.data[0] == ' ' || is_digit(word.data[0]));
}

/* "1700000000.123  1234  5678 I tag: text", "12.345 I/tag( 12): text" */
static bool is_seconds_logcat(struct orma_str line)
{
    size_t at = skip_blanks(line, 0), from = at;

    at = skip_digits(line, at);
    if (at == from || at >= line.len || line.data[at] != '.')
        return false;
    from = at + 1;
    at = skip_digits(line, from);
    if ((at - from != 3 && at - from != 6 && at - from != 9) || at >= line.len ||
        line.data[at] != ' ')
        return false;
    at = skip_blanks(line, at);
    if (is_brief(line, at))
        return true;
    for (unsigned i = 0; i < 2; i++) {
        from = at;
        at = skip_digits(line, at);
        if (at == from || at >= line.len || line.data[at] != ' ')
            return false;
        at = skip_blanks(line, at);
    }
    return is_priority(line, at) && at + 1 < line.len && line.data[at + 1] == ' ';
}

static bool is_date(struct orma_str line, size_t at)
{
    if (line.len > at && skip_digits(line, at) == at + 4 && line.len > at + 5 &&
        line.data[at + 4] == '-')
        at += 5;
    return line.len > at + 18 && is_digit(line.data[at]) && is_digit(line.data[at + 1]) &&
           line.data[at + 2] == '-' && line.data[at + 5] == ' ' && line.data[at + 8] == ':' &&
           line.data[at + 11] == ':' && line.data[at + 14] == '.';
}

/* The formats that processor/import/formats/logcat.c lists, also in colour. */
static bool is_logcat(struct orma_str line)
{
    const char *end;

    if (orma_str_starts(line, ORMA_STR("\033[")) && (end = memchr(line.data, 'm', line.len)))
        line = (struct orma_str){end + 1, (size_t)(line.data + line.len - end) - 1};
    if (orma_str_starts(line, ORMA_STR("--------- beginning of")))
        return true;
    return is_date(line, orma_str_starts(line, ORMA_STR("[ ")) ? 2 : 0) || is_brief(line, 0) ||
           is_seconds_logcat(line);
}

/* "9,0,i,vers,36,...", as `dumpsys batterystats -c` begins. */
static bool is_battery_stats(struct orma_str line)
{
    size_t at = skip_digits(line, 0);

    return at && orma_str_starts((struct orma_str){line.data + at, line.len - at},
                                 ORMA_STR(",0,i,vers,"));
}

static unsigned lines_of(const uint8_t *data, size_t len, struct orma_str *lines, unsigned max)
{
    struct orma_str rest = {(const char *)data, len}, line;
    unsigned num = 0;

    while (num < max && orma_str_cut(&rest, '\n', &line)) {
        if (line.len && line.data[line.len - 1] == '\r')
            line.len--;
        if (line.len)
            lines[num++] = line;
    }
    return num;
}

#define STACKS_SURE 3   /* so many lines must be stacks, as far as there are whole ones */
#define STACKS_LINES 64 /* one of so many must have more than one frame */

static bool is_stacks(const uint8_t *data, size_t len, bool at_end)
{
    struct orma_str rest = {(const char *)data, len}, line;
    unsigned num = 0;
    bool deep = false, semicolon;

    while ((num < STACKS_SURE || !deep) && num < STACKS_LINES && rest.len &&
           (at_end || memchr(rest.data, '\n', rest.len))) {
        (void)orma_str_cut(&rest, '\n', &line);
        line = orma_str_trim(line);
        if (!line.len || line.data[0] == '#')
            continue;
        if (!is_collapsed(line, &semicolon))
            return false;
        deep = deep || semicolon;
        num++;
    }
    return deep;
}

/* What perf prints that is no sample, and what strace says of itself. */
static bool is_remark(struct orma_str line)
{
    return line.data[0] == '#' || orma_str_starts(line, ORMA_STR("PERF_RECORD_")) ||
           orma_str_starts(line, ORMA_STR("strace: ")) ||
           (orma_str_starts(line, ORMA_STR("Process ")) &&
            orma_str_find(line, ORMA_STR(" attached")));
}

/* Headings may be long; only comments so far do not say what follows them. */
static enum orma_format by_line(const uint8_t *data, size_t len, bool at_end)
{
    struct orma_str rest = {(const char *)data, len}, line;

    while (rest.len && (at_end || memchr(rest.data, '\n', rest.len))) {
        (void)orma_str_cut(&rest, '\n', &line);
        if (line.len && line.data[line.len - 1] == '\r')
            line.len--;
        if (line.len && !is_remark(line))
            return is_perf_text(line) ? ORMA_FORMAT_PERF_TEXT
                   : is_strace(line)  ? ORMA_FORMAT_STRACE
                                      : ORMA_FORMAT_UNKNOWN;
    }
    return at_end || len >= ORMA_DETECT_MAX || (len && data[0] != '#') ? ORMA_FORMAT_UNKNOWN
                                                                       : ORMA_FORMAT_MORE;
}

static enum orma_format text_format(const uint8_t *data, size_t len, bool at_end)
{
    size_t look = ORMA_MIN(len, (size_t)ENOUGH), most = ORMA_MIN(len, (size_t)ORMA_DETECT_MAX);
    struct orma_str lines[1] = {{0}};
    unsigned num = lines_of(data, look, lines, 1);

    if (memchr(data, 0, look))
        return ORMA_FORMAT_UNKNOWN;
    if (num && is_logcat(lines[0]))
        return ORMA_FORMAT_LOGCAT;
    if (num && is_battery_stats(lines[0]))
        return ORMA_FORMAT_DUMPSTATE;
    if (is_stacks(data, most, at_end && most == len))
        return ORMA_FORMAT_COLLAPSED;
    return by_line(data, most, at_end);
}

/* ---- messages ---- */

/* Bytes that no text has. */
static bool is_binary(const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (data[i] >= 0x80 || (data[i] < 0x20 && !memchr("\t\n\f\r", data[i], 4)))
            return true;
    return false;
}

/* ValueType { type, unit }: two numbers, which no packet is. */
static bool is_value_type(const struct orma_pb_field *field)
{
    struct orma_pb_reader r = orma_pb_sub(field);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id > 2 || f.wire != ORMA_PB_VARINT)
            return false;
    return !r.failed;
}

/*
 * A profile: its fields in any order, and no others; at least one of those that make it one. The
 * last field may be truncated, by the end of the bytes at hand or of the file.
 */
static bool is_pprof(const uint8_t *data, size_t len)
{
    /* sample_type, sample, mapping, location, function, string_table; period_type: messages */
    const unsigned messages = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 11;
    const unsigned numbers = 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12 | 1 << 13 | 1 << 14;
    const unsigned either = 1 << 13, core = 0x7c | 1 << 7 | 1 << 8;
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;
    unsigned seen = 0;

    if (len < PPROF_MIN || !is_binary(data, ORMA_MIN(len, (size_t)ENOUGH)))
        return false;
    while (orma_pb_next(&r, &f)) {
        unsigned bit = f.id < 15 ? 1u << f.id : 0;

        if (!(bit & (f.wire == ORMA_PB_LEN      ? messages | either
                     : f.wire == ORMA_PB_VARINT ? numbers
                                                : 0)))
            return false;
        if ((f.id == 1 || f.id == 11) && !is_value_type(&f))
            return false;
        seen |= bit;
    }
    return seen & core;
}

/* A length-delimited field 1 is what traces, symbols and pprof begin with: what lies in it tells.
 */
static enum orma_format message_format(const uint8_t *data, size_t len)
{
    size_t at = 1;

    if (is_pprof(data, ORMA_MIN(len, (size_t)PPROF_LOOK)))
        return ORMA_FORMAT_PPROF;
    if (!len || data[0] != 0x0a)
        return ORMA_FORMAT_UNKNOWN;
    while (at < len && at < 5 && data[at++] >= 0x80) /* the length */
        ;
    /* ModuleSymbols, DeobfuscationMapping */
    if (has(data, len, at, "\xea\x03", 2) || has(data, len, at, "\x82\x04", 2))
        return ORMA_FORMAT_SYMBOLS;
    return ORMA_FORMAT_PROTO;
}

static enum orma_format binary_format(const uint8_t *data, size_t len)
{
    static const struct {
        const char *magic;
        uint8_t len;
        enum orma_format format;
    } magics[] = {
        {"ARROW1", 6, ORMA_FORMAT_ARROW},
        {"OrmaImg1", 8, ORMA_FORMAT_ARCHIVE},
        {"\x10\0\x04\x46\x78\x54\x16\0", 8, ORMA_FORMAT_FUCHSIA},
        {"PERFILE2", 8, ORMA_FORMAT_PERF},
        {"SIMPLEPERF", 10, ORMA_FORMAT_SIMPLEPERF},
        {"\x17\x08\x44tracing", 10, ORMA_FORMAT_TRACE_DAT},
        {"FLR", 4, ORMA_FORMAT_JFR},
        {"Ftrace!", 8, ORMA_FORMAT_UFTRACE},
        {"PK\3\4", 4, ORMA_FORMAT_ZIP},
        {"\x1f\x8b", 2, ORMA_FORMAT_GZIP},
        {"\x28\xb5\x2f\xfd", 4, ORMA_FORMAT_ZSTD},
        {"\3757zXZ\0", 6, ORMA_FORMAT_XZ},
        {"SLOW\4\0", 6, ORMA_FORMAT_ART_METHOD_V2},
        {"SLOW\5\0", 6, ORMA_FORMAT_ART_METHOD_V2},
        {"SLOW\xf4\0", 6, ORMA_FORMAT_ART_METHOD_V2},
        {"SLOW\xf5\0", 6, ORMA_FORMAT_ART_METHOD_V2},
        {"SLOW", 4, ORMA_FORMAT_ART_METHOD},
        {"*version\n", 9, ORMA_FORMAT_ART_METHOD},
        {"JAVA PROFILE", 12, ORMA_FORMAT_ART_HPROF},
    };

    if (has(data, len, TAR_MAGIC_AT, "ustar", 5) || is_old_tar(data, len))
        return ORMA_FORMAT_TAR;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(magics); i++)
        if (has(data, len, 0, magics[i].magic, magics[i].len))
            return magics[i].format;
    /* A frame that is to be skipped: parallel and seekable packers begin with one. */
    if (len >= 4 && (data[0] & 0xf0) == 0x50 && !memcmp(data + 1, "\x2a\x4d\x18", 3))
        return ORMA_FORMAT_ZSTD;
    if (len >= 10 && !memcmp(data, "BZh", 3) && data[3] >= '1' && data[3] <= '9' &&
        (!memcmp(data + 4, "1AY&SY", 6) || !memcmp(data + 4, "\x17rE8P\x90", 6))) /* or empty */
        return ORMA_FORMAT_BZIP2;
    return orma_detect_ctf(data, len) ? ORMA_FORMAT_CTF : ORMA_FORMAT_UNKNOWN;
}

/* JSON, and what looks like it. */
static enum orma_format json_format(const uint8_t *data, size_t len)
{
    static const struct {
        const char *begin;
        enum orma_format format;
    } kinds[] = {{"{\"perfetto_manifest\"", ORMA_FORMAT_MANIFEST},
                 {"{\"meta\"", ORMA_FORMAT_GECKO},
                 {"{\"libs\"", ORMA_FORMAT_GECKO}};
    char squeezed[24] = "";
    unsigned n = 0;

    for (size_t i = 0; i < len && n < sizeof(squeezed) - 1; i++)
        if (!strchr(" \t\r\n", data[i]) || !data[i])
            squeezed[n++] = (char)data[i];
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(kinds); i++)
        if (!strncmp(squeezed, kinds[i].begin, strlen(kinds[i].begin)))
            return kinds[i].format;
    return is_json(data, len) ? ORMA_FORMAT_JSON : ORMA_FORMAT_UNKNOWN;
}

/* Of text as people and editors write it; 0: neither. */
static unsigned wide_text(const uint8_t *data, size_t len)
{
    size_t letters[2] = {0}, look = ORMA_MIN(len, (size_t)64) & ~(size_t)1;

    if (has(data, len, 0, "\xff\xfe\0\0", 4) || has(data, len, 0, "\0\0\xfe\xff", 4))
        return 32;
    if (has(data, len, 0, "\xff\xfe", 2) || has(data, len, 0, "\xfe\xff", 2))
        return 16;
    for (size_t i = 0; i < look; i++)
        if (data[i] >= ' ' && data[i] < 0x7f && !data[i ^ 1])
            letters[i & 1]++;
    return look >= 8 && ORMA_MAX(letters[0], letters[1]) * 2 > look * 3 / 4 ? 16 : 0;
}

/* "5.678901: ", which systrace has behind a cpu only. */
static bool has_perf_time(struct orma_str line)
{
    struct orma_str word;

    while (line.len && !memchr(line.data, '[', line.len) && orma_str_cut(&line, ' ', &word))
        if (word.len > MICROS_DIGITS + 2 && word.data[word.len - 1] == ':' &&
            is_numbers((struct orma_str){word.data, word.len - 1}, '.', true))
            return true;
    return false;
}

/* "addr symbol (module)" */
static bool is_perf_frame(struct orma_str line)
{
    struct orma_str word;

    if (!line.len || line.data[line.len - 1] != ')' || memchr(line.data, '=', line.len))
        return false;
    while (line.len && orma_str_cut(&line, ' ', &word))
        if (word.len >= 8 && word.len <= 16 && strspn(word.data, "0123456789abcdef") >= word.len &&
            line.len)
            return true;
    return false;
}

static bool is_perf_without_threads(const uint8_t *data, size_t len)
{
    struct orma_str lines[16];
    unsigned num = lines_of(data, len, lines, 16);

    for (unsigned i = 0; i < num; i++)
        if (is_perf_frame(orma_str_trim(lines[i])) || has_perf_time(lines[i]))
            return true;
    return false;
}

/* "comm-123  (  45) [001] ...", or a heading of trace-cmd. */
static bool is_kernel_line(struct orma_str line)
{
    struct orma_str heading = line, name;

    for (size_t i = 0, at; i + 1 < line.len; i++) {
        if (line.data[i] != '-' || (at = skip_digits(line, i + 1)) == i + 1)
            continue;
        at = skip_blanks(line, at);
        if (at < line.len && line.data[at] == '(')
            at = skip_columns(line, at);
        size_t end = at < line.len && line.data[at] == '[' ? skip_digits(line, at + 1) : at;
        if (end > at + 1 && end < line.len && line.data[end] == ']')
            return true;
    }
    if (orma_str_find(line, ORMA_STR(": cpus=")))
        (void)orma_str_cut(&heading, ':', &name);
    return orma_str_starts(orma_str_trim(heading), ORMA_STR("cpus=")) ||
           orma_str_starts(line, ORMA_STR("version = "));
}

static bool is_kernel_text(const uint8_t *data, size_t len)
{
    struct orma_str lines[4];
    unsigned num = lines_of(data, len, lines, ORMA_ARRAY_LEN(lines));

    for (unsigned i = 0; i < num; i++)
        if (is_kernel_line(lines[i]))
            return true;
    return false;
}

static bool is_xml(const uint8_t *data, size_t len)
{
    return orma_str_starts(orma_str_trim((struct orma_str){(const char *)data, len}),
                           ORMA_STR("<?xml"));
}

/* Texts that lack what rows are made of, and how to get it. */
static const char *text_foreign(const uint8_t *data, size_t len)
{
    size_t look = ORMA_MIN(len, (size_t)ENOUGH);
    struct orma_str line[1] = {{0}};

    if (wide_text(data, len) == 16)
        return "text in UTF-16; `iconv -f UTF-16 -t UTF-8` converts it to text that can be read";
    if (wide_text(data, len) == 32)
        return "text in UTF-32; `iconv -f UTF-32 -t UTF-8` converts it to text that can be read";
    if (memchr(data, 0, look) || !lines_of(data, look, line, 1))
        return NULL;
    if (orma_str_starts(line[0], ORMA_STR("% time ")) &&
        orma_str_find(line[0], ORMA_STR("syscall")))
        return "a summary by `strace -c`, which has no individual calls; record with `strace -f "
               "-ttt -T -o FILE`";
    if (is_call(line[0]))
        return "`strace` output without times; record with `strace -f -ttt -T -o FILE`";
    if (is_perf_without_threads(data, look))
        return "`perf script` output without threads or times; print it with `perf script -F "
               "+tid,+time`";
    return NULL;
}

size_t orma_detect_mark(const uint8_t *data, size_t len)
{
    return has(data, len, 0, "\xef\xbb\xbf", 3) ? 3 : 0;
}

static enum orma_format unmarked(const uint8_t *data, size_t len, bool at_end)
{
    size_t look = ORMA_MIN(len, (size_t)ENOUGH);
    enum orma_format format;

    if ((format = binary_format(data, len)) != ORMA_FORMAT_UNKNOWN)
        return format;
    if (orma_detect_otlp(data, len))
        return ORMA_FORMAT_OTLP;
    if (orma_detect_callgrind(data, look))
        return ORMA_FORMAT_CALLGRIND;
    if (wide_text(data, len) || orma_foreign_find(data, len))
        return ORMA_FORMAT_UNKNOWN;
    if ((format = orma_detect_profile(data, len, at_end)) != ORMA_FORMAT_UNKNOWN)
        return format;
    if ((format = json_format(data, look)) != ORMA_FORMAT_UNKNOWN)
        return format;
    if (is_xml(data, look) && memmem(data, look, "trace-query-result", 18))
        return ORMA_FORMAT_INSTRUMENTS;
    if (has(data, len, 0, "TRACE:\n", 7) && memmem(data, look, "\x78\x9c", 2))
        return ORMA_FORMAT_CTRACE;
    if (has(data, len, 0, "# ninja log", 11))
        return ORMA_FORMAT_NINJA;
    if ((format = text_format(data, len, at_end)) != ORMA_FORMAT_UNKNOWN)
        return format;
    if (is_kernel_text(data, look))
        return ORMA_FORMAT_SYSTRACE;
    if (is_systrace(data, look))
        return is_blank((char)data[0]) && text_foreign(data, len) ? ORMA_FORMAT_UNKNOWN
                                                                  : ORMA_FORMAT_SYSTRACE;
    if ((format = message_format(data, len)) != ORMA_FORMAT_UNKNOWN)
        return format;
    if (len && data[0] == 0x09)
        return ORMA_FORMAT_PRIMES;
    if (memmem(data, look, "== dumpstate: ", 14))
        return ORMA_FORMAT_DUMPSTATE;
    return ORMA_FORMAT_UNKNOWN;
}

/* Programs of Windows begin texts with a mark, which says nothing about what follows. */
enum orma_format orma_detect_format(const uint8_t *data, size_t len, bool at_end)
{
    size_t mark = orma_detect_mark(data, len);

    if (len < ENOUGH && !at_end)
        return ORMA_FORMAT_MORE;
    return unmarked(data + mark, len - mark, at_end);
}

const char *orma_detect_foreign(const uint8_t *data, size_t len)
{
    const size_t mark = orma_detect_mark(data, len);
    const char *text = text_foreign(data, len);

    return text ? text : orma_foreign_find(data + mark, len - mark);
}

const char *orma_detect_guess(const uint8_t *data, size_t len)
{
    const size_t mark = orma_detect_mark(data, len);

    return orma_foreign_guess(data + mark, len - mark);
}
