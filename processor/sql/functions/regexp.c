/*
 * Regular expressions, with PCRE2: search, extract, replace.
 *
 * A constant pattern is compiled once per statement. Matching has a limit of
 * steps; a pattern that runs into it is an error, not a hang.
 */
#include <stdlib.h>

#include "processor/sql/functions/functions.h"

#ifdef ORMA_HAVE_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define MATCH_STEPS_MAX 5000000u

struct regex {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    uint32_t groups, options;
};

static void regex_free(void *data)
{
    struct regex *self = data;

    if (!self)
        return;
    pcre2_match_data_free(self->match);
    pcre2_match_context_free(self->limits);
    pcre2_code_free(self->code);
    free(self);
}

static struct regex *compile(sqlite3_context *ctx, struct orma_str pattern, uint32_t options)
{
    struct regex *self = calloc(1, sizeof(*self));
    PCRE2_SIZE offset;
    int error = 0;

    if (self) {
        self->code =
            pcre2_compile((PCRE2_SPTR)pattern.data, pattern.len,
                          options | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &offset, NULL);
        self->limits = pcre2_match_context_create(NULL);
    }
    if (self && !self->code) {
        PCRE2_UCHAR text[128];

        pcre2_get_error_message(error, text, sizeof(text));
        orma_result_error(ctx, "REGEXP: error in the pattern '%.*s' at byte %d: %s",
                          ORMA_STR_ARG(pattern), (int)offset, (const char *)text);
        regex_free(self);
        return NULL;
    }
    if (self)
        self->match = pcre2_match_data_create_from_pattern(self->code, NULL);
    if (!self || !self->match || !self->limits) {
        sqlite3_result_error_nomem(ctx);
        regex_free(self);
        return NULL;
    }
    self->options = options;
    pcre2_set_match_limit(self->limits, MATCH_STEPS_MAX);
    (void)pcre2_jit_compile(self->code, PCRE2_JIT_COMPLETE); /* only faster */
    (void)pcre2_pattern_info(self->code, PCRE2_INFO_CAPTURECOUNT, &self->groups);
    return self;
}

/* The compiled pattern of an argument; kept by SQLite while the argument is constant. */
static struct regex *get_regex(sqlite3_context *ctx, int arg, sqlite3_value *pattern,
                               uint32_t options)
{
    struct regex *self = sqlite3_get_auxdata(ctx, arg);

    if (self && self->options == options) /* flags may be another column */
        return self;
    self = compile(ctx, orma_value_str(pattern), options);
    if (!self)
        return NULL;
    sqlite3_set_auxdata(ctx, arg, self, regex_free);
    return sqlite3_get_auxdata(ctx, arg); /* NULL when SQLite had no memory and freed it */
}

/* 1: found, 0: not, -1: the error is set. Places are in self->match. */
static int search(sqlite3_context *ctx, struct regex *self, struct orma_str s, size_t from,
                  uint32_t options)
{
    int r = pcre2_match(self->code, (PCRE2_SPTR)s.data, s.len, from, options, self->match,
                        self->limits);

    if (r >= 0)
        return 1;
    if (r == PCRE2_ERROR_NOMATCH)
        return 0;
    orma_result_error(ctx, r == PCRE2_ERROR_MATCHLIMIT || r == PCRE2_ERROR_JIT_STACKLIMIT
                               ? "REGEXP: the pattern takes too many steps"
                               : "REGEXP: matching failed");
    return -1;
}

static bool read_flags(sqlite3_context *ctx, sqlite3_value *val, uint32_t *ret_options)
{
    struct orma_str flags = orma_value_str(val);

    *ret_options = 0;
    for (size_t i = 0; i < flags.len; i++) {
        if (flags.data[i] == 'i') {
            *ret_options = PCRE2_CASELESS;
        } else if (flags.data[i] == 'c') {
            *ret_options = 0;
        } else {
            orma_result_error(ctx, "regexp: unknown flag '%c'", flags.data[i]);
            return false;
        }
    }
    return true;
}

/* regexp(pattern, input[, flags]) */
static void regexp(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    uint32_t options = 0;
    struct regex *regex;
    int r;

    if (orma_any_null(argc, argv) || (argc > 2 && !read_flags(ctx, argv[2], &options)))
        return;
    regex = get_regex(ctx, 0, argv[0], options);
    if (!regex)
        return;
    r = search(ctx, regex, orma_value_str(argv[1]), 0, 0);
    if (r >= 0)
        sqlite3_result_int(ctx, r);
}

/* regexp_extract(input, pattern) */
static void regexp_extract(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_str in = orma_value_str(argv[0]);
    struct regex *regex;
    const PCRE2_SIZE *places;

    if (orma_any_null(argc, argv))
        return;
    regex = get_regex(ctx, 1, argv[1], 0);
    if (!regex)
        return;
    if (search(ctx, regex, in, 0, 0) <= 0)
        return;
    if (regex->groups > 1) {
        orma_result_error(ctx, "REGEXP_EXTRACT: pattern has more than one group.");
        return;
    }
    places = pcre2_get_ovector_pointer(regex->match);
    int group = regex->groups && places[2] != PCRE2_UNSET && places[3] > places[2];
    orma_result_str(ctx, (struct orma_str){in.data + places[2 * group],
                                           places[2 * group + 1] - places[2 * group]});
}

/* \\0 ... \\9 are groups that the pattern must have; two backslashes are one. */
static bool can_replace(struct orma_str with, uint32_t groups)
{
    for (size_t i = 0; i < with.len; i++) {
        char next = i + 1 < with.len ? with.data[i + 1] : 0;

        if (with.data[i] != '\\')
            continue;
        if (next != '\\' && (next < '0' || next > '9' || (uint32_t)(next - '0') > groups))
            return false;
        i++;
    }
    return true;
}

static void put_replacement(struct orma_buf *out, struct orma_str with, struct orma_str in,
                            const PCRE2_SIZE *places)
{
    for (size_t i = 0; i < with.len; i++) {
        const PCRE2_SIZE *group;

        if (with.data[i] != '\\' || with.data[++i] == '\\') {
            orma_buf_put_byte(out, (uint8_t)with.data[i]);
            continue;
        }
        group = &places[2 * (with.data[i] - '0')];
        if (group[0] != PCRE2_UNSET && group[1] > group[0])
            orma_buf_put(out, in.data + group[0], group[1] - group[0]);
    }
}

/* Where the next character begins. */
static size_t behind_character(struct orma_str in, size_t at)
{
    do
        at++;
    while (at < in.len && ((uint8_t)in.data[at] & 0xc0) == 0x80);
    return at;
}

/* regexp_replace_simple(input, pattern, replacement) */
static void regexp_replace(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_str in = orma_value_str(argv[0]), with = orma_value_str(argv[2]);
    struct regex *regex;
    struct orma_buf out = {0};
    size_t from = 0, done = 0;
    int r = 0;

    if (orma_any_null(argc, argv))
        return;
    regex = get_regex(ctx, 1, argv[1], 0);
    if (!regex)
        return;
    if (!can_replace(with, regex->groups)) {
        orma_result_str(ctx, in);
        return;
    }
    while (from <= in.len && (r = search(ctx, regex, in, from, 0)) > 0) {
        const PCRE2_SIZE *places = pcre2_get_ovector_pointer(regex->match);
        size_t begin = places[0], end = places[1];

        if (end < begin) /* \K in a lookahead */
            break;
        orma_buf_put(&out, in.data + done, begin - done);
        put_replacement(&out, with, in, places);
        done = end;
        from = end > begin ? end : behind_character(in, end); /* an empty match */
    }
    if (r < 0) {
        orma_buf_fini(&out);
        return;
    }
    orma_buf_put(&out, in.data + done, in.len - done);
    orma_result_buf(ctx, &out, false);
}
#else
static void regexp(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    orma_result_error(ctx, "REGEXP: built without PCRE2");
}
#define regexp_extract regexp
#define regexp_replace regexp
#endif

const struct orma_sql_func orma_functions_regexp[] = {
    {.name = "__intrinsic_regexp",
     .args = 2,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = regexp,
     .usage = "(pattern, input) -> BOOL",
     .doc = "Whether the pattern matches anywhere in the text; also as input REGEXP pattern."},
    {.name = "__intrinsic_regexp",
     .args = 3,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = regexp,
     .usage = "(pattern, input, flags) -> BOOL",
     .doc = "The same; flags: i ignores case, c does not."},
    {.name = "__intrinsic_regexp_with_flags",
     .args = 3,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = regexp,
     .usage = "(pattern, input, flags) -> BOOL",
     .doc = "The same under another name."},
    {.name = "__intrinsic_regexp_extract",
     .args = 2,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = regexp_extract,
     .usage = "(input, pattern) -> STRING",
     .doc = "The first match, or its one group if that is not empty; NULL if there is none."},
    {.name = "__intrinsic_regexp_replace_simple",
     .args = 3,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = regexp_replace,
     .usage = "(input, pattern, replacement) -> STRING",
     .doc = "The input with every match replaced; \\\\0 to \\\\9 in the replacement stand for the "
            "match and its groups. The input, if the pattern has no such group."},
    {0},
};
