/*
 * Functions of SQLite whose time grows faster than what they are given: a width in a format, a
 * text times a pattern. SQLite asks between its steps only whether to go on, so that one call
 * could hold a query for minutes. These are ours, with the same results (test_heavy.c compares):
 * they look at the limits while they work, or refuse what would take too long. LIKE and GLOB stay
 * SQLite's: it plans by them (a pattern with a fixed beginning is a range) only if they are its
 * own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/functions/functions.h"

/* Bytes of work between two looks at the limits. */
#define LOOK_BYTES (1 << 20)
/* Of what cannot be interrupted: a second or so. */
#define PATCH_WORK_MAX UINT64_C(100000000000)
#define JSON_SUBTYPE 'J'

/* After so many bytes of work, which begin at 0 again: true if the function must end. */
static bool must_stop(sqlite3_context *ctx, size_t *work, size_t more)
{
    struct orma_sql *sql = sqlite3_user_data(ctx);

    *work += more;
    if (*work < LOOK_BYTES)
        return false;
    *work = 0;
    orma_sql_look_at_limits(sql);
    if (!orma_sql_is_told_to_stop(sql))
        return false;
    sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    return true;
}

/* Not the first byte of a character. */
static bool is_inside(char c)
{
    return ((uint8_t)c & 0xc0) == 0x80;
}

/* ---- printf ---- */

struct format {
    sqlite3_context *ctx;
    sqlite3_str *out;
    const char *at; /* the rest of the format */
    int argc, used;
    sqlite3_value **argv;
    size_t max, padded; /* what widths and precisions may add, and have added */
    size_t work;
    bool failed; /* the error is told */
};

/* One conversion: what stands between % and its letter. */
struct spec {
    bool left, zero, alternate, alternate2, thousands;
    char sign; /* '+', ' ' or 0 */
    int width, precision;
};

static sqlite3_value *next_arg(struct format *f)
{
    return f->used < f->argc ? f->argv[f->used++] : NULL;
}

static int64_t next_int(struct format *f)
{
    sqlite3_value *val = next_arg(f);

    return val ? sqlite3_value_int64(val) : 0;
}

/* Digits as SQLite counts them, whatever their number. */
static int take_digits(struct format *f)
{
    unsigned val = 0;

    while (*f->at >= '0' && *f->at <= '9')
        val = val * 10 + (unsigned)(*f->at++ - '0');
    return (int)(val & 0x7fffffff);
}

static void take_width(struct format *f, struct spec *s)
{
    if (*f->at != '*') {
        s->width = take_digits(f);
        return;
    }
    f->at++;
    s->width = (int)next_int(f);
    if (s->width < 0) {
        s->left = true;
        s->width = s->width >= -INT32_MAX ? -s->width : 0;
    }
}

static void take_precision(struct format *f, struct spec *s)
{
    if (*f->at != '*') {
        s->precision = take_digits(f);
        return;
    }
    f->at++;
    s->precision = (int)next_int(f);
    if (s->precision < 0)
        s->precision = s->precision >= -INT32_MAX ? -s->precision : -1;
}

static bool take_flag(char c, struct spec *s)
{
    bool *flag = c == '-'   ? &s->left
                 : c == '#' ? &s->alternate
                 : c == '!' ? &s->alternate2
                 : c == '0' ? &s->zero
                 : c == ',' ? &s->thousands
                            : NULL;

    if (flag)
        *flag = true;
    else if (c == '+' || c == ' ')
        s->sign = c;
    else
        return false;
    return true;
}

/* The letter, or 0 at the end. After a width only a precision and l can follow, as in SQLite. */
static char take_spec(struct format *f, struct spec *s)
{
    *s = (struct spec){.precision = -1};
    while (take_flag(*f->at, s))
        f->at++;
    if (*f->at == '*' || (*f->at >= '1' && *f->at <= '9'))
        take_width(f, s);
    if (*f->at == '.') {
        f->at++;
        take_precision(f, s);
    }
    if (*f->at == 'l')
        f->at += f->at[1] == 'l' ? 2 : 1;
    return *f->at ? *f->at++ : 0;
}

/* What SQLite's own printf() of C shall do: width and precision as numbers. */
static void spec_text(const struct spec *s, const char *letters, char *ret, size_t size)
{
    char width[16] = "", precision[16] = "";

    if (s->width)
        (void)snprintf(width, sizeof(width), "%d", s->width);
    if (s->precision >= 0)
        (void)snprintf(precision, sizeof(precision), ".%d", s->precision);
    (void)snprintf(ret, size, "%%%s%s%s%s%s%.1s%s%s%s", s->left ? "-" : "", s->alternate ? "#" : "",
                   s->alternate2 ? "!" : "", s->zero ? "0" : "", s->thousands ? "," : "", &s->sign,
                   width, precision, letters);
}

/* The first character, so often as the precision says; a zero byte for none. */
static void put_char(struct format *f, const struct spec *s)
{
    sqlite3_value *val = next_arg(f);
    const char *text = val ? (const char *)sqlite3_value_text(val) : NULL;
    int times = s->precision > 1 ? s->precision : 1, len = 1;
    int pad = s->width - times;

    if (!text)
        text = "";
    if (is_inside(*text) && (times == 1 || s->left))
        pad++; /* SQLite counts none for a byte that begins no character */
    if (((uint8_t)*text & 0xc0) == 0xc0)
        while (len < 4 && is_inside(text[len]))
            len++;
    if (pad > 0 && !s->left)
        sqlite3_str_appendchar(f->out, pad, ' ');
    if (len == 1)
        sqlite3_str_appendchar(f->out, times, *text);
    for (int i = 0; len > 1 && i < times && !sqlite3_str_errcode(f->out); i++)
        sqlite3_str_append(f->out, text, len);
    if (pad > 0 && s->left)
        sqlite3_str_appendchar(f->out, pad, ' ');
}

/* False where SQLite ends: a letter that it does not know. */
static bool put_conversion(struct format *f, const struct spec *s, char letter)
{
    char spec[64], letters[4] = {letter};
    sqlite3_value *val;

    switch (letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'r':
        memcpy(letters, (char[]){'l', 'l', letter, 0}, 4);
        spec_text(s, letters, spec, sizeof(spec));
        sqlite3_str_appendf(f->out, spec, (long long)next_int(f));
        return true;
    case 'p':
        spec_text(s, letters, spec, sizeof(spec));
        sqlite3_str_appendf(f->out, spec, (void *)(uintptr_t)next_int(f));
        return true;
    case 'f':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
        val = next_arg(f);
        spec_text(s, letters, spec, sizeof(spec));
        sqlite3_str_appendf(f->out, spec, val ? sqlite3_value_double(val) : 0.0);
        return true;
    case 'z':
    case 's':
    case 'q':
    case 'Q':
    case 'w':
        letters[0] = letter == 'z' ? 's' : letter;
        val = next_arg(f);
        spec_text(s, letters, spec, sizeof(spec));
        sqlite3_str_appendf(f->out, spec, val ? (const char *)sqlite3_value_text(val) : NULL);
        return true;
    case 'c':
        put_char(f, s);
        return true;
    case '%':
        spec_text(s, letters, spec, sizeof(spec));
        sqlite3_str_appendf(f->out, spec);
        return true;
    case 'n': /* nothing, but an empty text is no NULL */
        sqlite3_str_append(f->out, "", 0);
        return true;
    default:
        return false;
    }
}

/* Precisions of texts make them shorter; all others are work, up to the end of their digits. */
static bool is_too_long(struct format *f, const struct spec *s, char letter)
{
    f->padded += (size_t)s->width;
    if (!strchr("szqQw", letter) && s->precision > 0)
        f->padded += (size_t)s->precision;
    return f->padded > f->max;
}

/* False at the end of what is to be written. */
static bool put_next(struct format *f)
{
    size_t len = strcspn(f->at, "%");
    struct spec s;

    if (len) /* of what nobody wrote to, the result is NULL */
        sqlite3_str_append(f->out, f->at, (int)len);
    f->at += len;
    if (!*f->at)
        return false;
    if (!*++f->at) {
        sqlite3_str_append(f->out, "%", 1);
        return false;
    }
    size_t before = (size_t)sqlite3_str_length(f->out);
    char letter = take_spec(f, &s);
    if (!letter)
        return false;
    if (is_too_long(f, &s, letter)) {
        sqlite3_result_error_toobig(f->ctx);
        f->failed = true;
        return false;
    }
    if (!put_conversion(f, &s, letter) || sqlite3_str_errcode(f->out))
        return false;
    f->failed = must_stop(f->ctx, &f->work, (size_t)sqlite3_str_length(f->out) - before);
    return !f->failed;
}

static void format(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct format f = {.ctx = ctx, .argc = argc - 1, .argv = argv + 1, .max = orma_result_max(ctx)};

    f.at = argc ? (const char *)sqlite3_value_text(argv[0]) : NULL;
    if (!f.at)
        return;
    f.out = sqlite3_str_new(sqlite3_context_db_handle(ctx));
    while (put_next(&f))
        continue;
    int r = sqlite3_str_errcode(f.out), len = sqlite3_str_length(f.out);
    char *text = sqlite3_str_finish(f.out);
    if (!f.failed && !r) {
        sqlite3_result_text(ctx, text, len, sqlite3_free);
        return;
    }
    sqlite3_free(text);
    if (r == SQLITE_TOOBIG)
        sqlite3_result_error_toobig(ctx);
    else if (r)
        sqlite3_result_error_nomem(ctx);
}

/* ---- replace, instr ---- */

static void replace(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_str text = orma_value_str(argv[0]), old, new;
    struct orma_buf out = {0};
    size_t max = orma_result_max(ctx), work = 0;

    (void)argc;
    old = orma_value_str(argv[1]);
    if (!text.data || !old.data)
        return;
    if (!*old.data) { /* a text, as newer versions of SQLite have it, of whatever it was */
        orma_result_str(ctx, text);
        return;
    }
    new = orma_value_str(argv[2]);
    if (!new.data)
        return;
    for (;;) {
        /* memmem() under a sanitizer looks at all of the text, each time. */
        const char *found = old.len == 1 ? memchr(text.data, *old.data, text.len)
                                         : memmem(text.data, text.len, old.data, old.len);
        size_t len = found ? (size_t)(found - text.data) : text.len;

        orma_buf_put(&out, text.data, len);
        if (!found || out.len > max)
            break;
        orma_buf_put(&out, new.data, new.len);
        text = (struct orma_str){found + old.len, text.len - len - old.len};
        if (must_stop(ctx, &work, len + old.len + new.len)) {
            orma_buf_fini(&out);
            return;
        }
    }
    orma_result_buf(ctx, &out, false);
}

/* The first place of `part` where a character begins, or any of bytes. NULL: none. */
static const char *find_part(struct orma_str s, struct orma_str part, bool of_text)
{
    const char *found = s.len ? memmem(s.data, s.len, part.data, part.len) : NULL;

    while (found && of_text && found > s.data && is_inside(*found))
        found = memmem(found + 1, s.len - (size_t)(found + 1 - s.data), part.data, part.len);
    return found;
}

static struct orma_str bytes_of(sqlite3_value *val)
{
    const char *data = sqlite3_value_blob(val); /* before its length is asked */

    return (struct orma_str){data, (size_t)sqlite3_value_bytes(val)};
}

static void instr(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int types[2] = {sqlite3_value_type(argv[0]), sqlite3_value_type(argv[1])};
    bool of_text = types[0] != SQLITE_BLOB || types[1] != SQLITE_BLOB;
    struct orma_str s, part;
    sqlite3_int64 pos = 1;
    size_t work = LOOK_BYTES;

    (void)argc;
    if (types[0] == SQLITE_NULL || types[1] == SQLITE_NULL || must_stop(ctx, &work, 0))
        return;
    s = of_text ? orma_value_str(argv[0]) : bytes_of(argv[0]);
    part = of_text ? orma_value_str(argv[1]) : bytes_of(argv[1]);
    if (part.len) {
        const char *found = find_part(s, part, of_text);

        for (const char *c = s.data; found && c < found; c++)
            pos += !of_text || !is_inside(c[1]);
        pos = found ? pos : 0;
    }
    sqlite3_result_int64(ctx, pos);
}

/* ---- trim ---- */

/* The bytes of the character of `set` that begins there; a text ends at its first zero byte. */
static size_t char_len(const char *set)
{
    size_t len = 1;

    if ((uint8_t)*set >= 0xc0)
        while (is_inside(set[len]))
            len++;
    return len;
}

/* How many bytes of the begin or the end of `s` are a character of `set`; 0: none are. */
static size_t match_set(struct orma_str s, bool at_end, const char *set)
{
    for (size_t len; *set; set += len) {
        len = char_len(set);
        if (len <= s.len && !memcmp(at_end ? s.data + s.len - len : s.data, set, len))
            return len;
    }
    return 0;
}

static void trim(sqlite3_context *ctx, int argc, sqlite3_value **argv, bool begin, bool end)
{
    struct orma_str s = orma_value_str(argv[0]);
    const char *set = argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : " ";
    size_t work = 0, len;

    if (!s.data || !set)
        return;
    size_t set_len = strlen(set);
    while (begin && (len = match_set(s, false, set)) > 0) {
        s = (struct orma_str){s.data + len, s.len - len};
        if (must_stop(ctx, &work, set_len))
            return;
    }
    while (end && (len = match_set(s, true, set)) > 0) {
        s.len -= len;
        if (must_stop(ctx, &work, set_len))
            return;
    }
    orma_result_str(ctx, s);
}

static void trim_both(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    trim(ctx, argc, argv, true, true);
}

static void trim_left(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    trim(ctx, argc, argv, true, false);
}

static void trim_right(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    trim(ctx, argc, argv, false, true);
}

/* ---- json_patch ---- */

/* Where SQLite's own functions are those that ours hide here. NULL: none could be opened. */
static sqlite3 *plain_db(struct orma_sql *sql)
{
    if (!sql->plain && sqlite3_open(":memory:", &sql->plain) != SQLITE_OK) {
        sqlite3_close(sql->plain);
        sql->plain = NULL;
    }
    return sql->plain;
}

/* Each key of the patch is looked for among all of the target. */
static void json_patch(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    uint64_t cost = (uint64_t)sqlite3_value_bytes(argv[0]) * (uint64_t)sqlite3_value_bytes(argv[1]);
    sqlite3 *db = plain_db(sqlite3_user_data(ctx));
    sqlite3_stmt *stmt = NULL;
    size_t work = 0;

    (void)argc;
    if (cost > PATCH_WORK_MAX) {
        orma_result_error(ctx, "json_patch: a patch of %d bytes for JSON of %d would take too long",
                          sqlite3_value_bytes(argv[1]), sqlite3_value_bytes(argv[0]));
        return;
    }
    if (must_stop(ctx, &work, (size_t)(cost / 100)))
        return;
    if (!db || sqlite3_prepare_v2(db, "SELECT json_patch(?1, ?2)", -1, &stmt, NULL) ||
        sqlite3_bind_value(stmt, 1, argv[0]) || sqlite3_bind_value(stmt, 2, argv[1])) {
        sqlite3_result_error_nomem(ctx);
    } else if (sqlite3_step(stmt) != SQLITE_ROW) {
        orma_result_error(ctx, "%s", sqlite3_errmsg(db));
    } else {
        orma_result_value(ctx, sqlite3_column_value(stmt, 0));
        sqlite3_result_subtype(ctx, JSON_SUBTYPE);
    }
    (void)sqlite3_finalize(stmt); /* its error is told */
}

const struct orma_sql_func orma_functions_heavy[] = {
    {.name = "format", .args = -1, .flags = SQLITE_DETERMINISTIC, .scalar = format},
    {.name = "instr", .args = 2, .flags = SQLITE_DETERMINISTIC, .scalar = instr},
    {.name = "json_patch", .args = 2, .flags = SQLITE_DETERMINISTIC, .scalar = json_patch},
    {.name = "ltrim", .args = 1, .flags = SQLITE_DETERMINISTIC, .scalar = trim_left},
    {.name = "ltrim", .args = 2, .flags = SQLITE_DETERMINISTIC, .scalar = trim_left},
    {.name = "printf", .args = -1, .flags = SQLITE_DETERMINISTIC, .scalar = format},
    {.name = "replace", .args = 3, .flags = SQLITE_DETERMINISTIC, .scalar = replace},
    {.name = "rtrim", .args = 1, .flags = SQLITE_DETERMINISTIC, .scalar = trim_right},
    {.name = "rtrim", .args = 2, .flags = SQLITE_DETERMINISTIC, .scalar = trim_right},
    {.name = "trim", .args = 1, .flags = SQLITE_DETERMINISTIC, .scalar = trim_both},
    {.name = "trim", .args = 2, .flags = SQLITE_DETERMINISTIC, .scalar = trim_both},
    {0},
};
