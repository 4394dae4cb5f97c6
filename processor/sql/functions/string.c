/* Text and bytes. */
#include <stdlib.h>

#include "processor/sql/functions/functions.h"
#include "processor/symbols/demangle.h"
#include "sdk/base/base64.h"
#include "sdk/base/hash.h"
#include "sdk/base/hex.h"

static void hash(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    uint64_t sum = ORMA_FNV1A_BASIS;

    for (int i = 0; i < argc; i++) {
        if (sqlite3_value_type(argv[i]) == SQLITE_INTEGER) {
            int64_t val = sqlite3_value_int64(argv[i]);
            uint8_t bytes[8];

            for (int k = 0; k < 8; k++)
                bytes[k] = (uint8_t)((uint64_t)val >> (8 * k));
            sum = orma_fnv1a(sum, bytes, sizeof(bytes));
        } else if (sqlite3_value_type(argv[i]) == SQLITE_TEXT) {
            struct orma_str s = orma_value_str(argv[i]);

            sum = orma_fnv1a(sum, s.data, s.len);
        } else {
            orma_result_error(ctx, "HASH: arg %d has unknown type", i);
            return;
        }
    }
    sqlite3_result_int64(ctx, (int64_t)sum);
}

static bool is_text_or_null(sqlite3_context *ctx, sqlite3_value *val, const char *otherwise)
{
    if (sqlite3_value_type(val) == SQLITE_TEXT || orma_value_is_null(val))
        return true;
    orma_result_error(ctx, "%s", otherwise);
    return false;
}

static void reverse(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_buf out = {0};
    struct orma_str s;

    (void)argc;
    if (!is_text_or_null(ctx, argv[0], "REVERSE: argument should be string"))
        return;
    s = orma_value_str(argv[0]);
    if (!s.data)
        return;
    for (size_t i = s.len; i-- > 0;)
        orma_buf_put_byte(&out, (uint8_t)s.data[i]);
    orma_result_buf(ctx, &out, false);
}

static void str_split(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_str text, sep;
    int64_t want;

    (void)argc;
    if (sqlite3_value_type(argv[1]) != SQLITE_TEXT || !sqlite3_value_bytes(argv[1])) {
        orma_result_error(ctx, "str_split: delimiter must be a non-empty string");
        return;
    }
    want = sqlite3_value_int64(argv[2]);
    if (sqlite3_value_type(argv[2]) != SQLITE_INTEGER || want < 0) {
        orma_result_error(ctx, "str_split: index must be a non-negative integer");
        return;
    }
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT)
        return;
    text = orma_value_str(argv[0]);
    sep = orma_value_str(argv[1]);
    for (;; want--) {
        const char *next = memmem(text.data, text.len, sep.data, sep.len);
        size_t len = next ? (size_t)(next - text.data) : text.len;

        if (!want) {
            orma_result_str(ctx, (struct orma_str){text.data, len});
            return;
        }
        if (!next)
            return;
        text.data = next + sep.len;
        text.len -= len + sep.len;
    }
}

/* ---- base64 ---- */

static void base64_encode(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_buf out = {0};
    struct orma_str in;

    (void)argc;
    if (orma_value_is_null(argv[0]))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_BLOB) {
        orma_result_error(ctx, "Base64Encode only supports bytes argument");
        return;
    }
    in.data = sqlite3_value_blob(argv[0]);
    in.len = (size_t)sqlite3_value_bytes(argv[0]);
    orma_base64_put(&out, in);
    orma_result_buf(ctx, &out, false);
}

static void base64_decode(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int type = sqlite3_value_type(argv[0]);
    struct orma_buf out = {0};
    struct orma_str in;

    (void)argc;
    if (type == SQLITE_NULL)
        return;
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) {
        orma_result_error(ctx, "BASE64: argument must be string or blob");
        return;
    }
    in.data = sqlite3_value_blob(argv[0]);
    in.len = (size_t)sqlite3_value_bytes(argv[0]);
    if (orma_base64_decode(in, ORMA_BASE64_LENIENT, &out)) {
        orma_result_buf(ctx, &out, true);
        return;
    }
    orma_buf_fini(&out);
    orma_result_error(ctx, "BASE64: Invalid input");
}

/* ---- hexadecimal ---- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void unhex(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_str s;
    uint64_t val = 0;

    (void)argc;
    if (!is_text_or_null(ctx, argv[0], "UNHEX: argument must be text"))
        return;
    s = orma_value_str(argv[0]); /* not before: that makes a text of a blob */
    if (!s.data)
        return;
    for (; s.len && is_blank(s.data[0]); s.data++)
        s.len--;
    while (s.len && is_blank(s.data[s.len - 1]))
        s.len--;
    if (s.len >= 2 && s.data[0] == '0' && (s.data[1] | 0x20) == 'x') {
        s.data += 2;
        s.len -= 2;
    }
    if (!s.len) {
        orma_result_error(ctx, "UNHEX: the text has no digits");
        return;
    }
    for (size_t i = 0; i < s.len; i++) {
        int digit = orma_hex_digit(s.data[i]);

        if (digit < 0 || val >> 59) {
            orma_result_error(ctx,
                              digit < 0 ? "UNHEX: '%s' is not hexadecimal"
                                        : "UNHEX: '%s' is out of range: it has more than 63 bits",
                              (const char *)sqlite3_value_text(argv[0]));
            return;
        }
        val = val << 4 | (uint64_t)digit;
    }
    sqlite3_result_int64(ctx, (int64_t)val);
}

/* Length of the run of hexadecimal digits at the begin, and whether 0..9 is among them. */
static size_t hex_run(struct orma_str s, bool *ret_digit)
{
    size_t len = 0;

    *ret_digit = false;
    for (; len < s.len && orma_hex_digit(s.data[len]) >= 0; len++)
        *ret_digit |= s.data[len] <= '9';
    return len;
}

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool is_behind_0x(struct orma_str s, size_t at)
{
    return at >= 2 && (s.data[at - 1] | 0x20) == 'x' && s.data[at - 2] == '0';
}

/* Numbers begin behind 0x, behind punctuation, at the begin of the text, and at any digit. */
static bool may_begin(struct orma_str s, size_t at)
{
    return at == 0 || is_behind_0x(s, at) || !is_letter_or_digit(s.data[at - 1]) ||
           (s.data[at] >= '0' && s.data[at] <= '9');
}

static void strip_numbers(struct orma_str s, size_t min, struct orma_buf *out)
{
    for (size_t at = 0; at < s.len;) {
        bool digit;
        size_t run = 0;

        if (may_begin(s, at)) {
            run = hex_run((struct orma_str){s.data + at, s.len - at}, &digit);
            if (run >= min && (digit || is_behind_0x(s, at)))
                orma_buf_put_str(out, "<num>");
            else
                orma_buf_put(out, s.data + at, run);
            at += run;
        }
        if (!run)
            orma_buf_put_byte(out, (uint8_t)s.data[at++]);
    }
}

static void strip_hex(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_buf out = {0};

    if (orma_any_null(argc, argv))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
        orma_result_error(ctx, "STRIP_HEX: first argument must be string");
    } else if (sqlite3_value_type(argv[1]) != SQLITE_INTEGER) {
        orma_result_error(ctx, "STRIP_HEX: second argument must be integer");
    } else if (sqlite3_value_int64(argv[1]) < 0) {
        orma_result_error(ctx, "STRIP_HEX: min_repeated_digits must be positive");
    } else {
        strip_numbers(orma_value_str(argv[0]), (size_t)sqlite3_value_int64(argv[1]), &out);
        orma_result_buf(ctx, &out, false);
    }
}

/* ---- names of symbols ---- */

static void demangle(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    char *text;

    (void)argc;
    if (!is_text_or_null(ctx, argv[0], "demangle: the symbol must be a string"))
        return;
    text = orma_demangle_careful((const char *)sqlite3_value_text(argv[0]));
    if (text) /* NULL also where no library is installed that knows the names of C++ */
        sqlite3_result_text(ctx, text, -1, free);
}

#define TEXT_FUNC .flags = SQLITE_DETERMINISTIC

const struct orma_sql_func orma_functions_string[] = {
    {.name = "hash",
     .args = -1,
     TEXT_FUNC,
     .scalar = hash,
     .usage = "(value, ...) -> LONG",
     .doc = "FNV-1a over integers (eight bytes) and texts; without arguments its start value. "
            "Other types are an error, and so is NULL."},
    {.name = "__intrinsic_reverse",
     .args = 1,
     TEXT_FUNC,
     .scalar = reverse,
     .usage = "(text) -> STRING",
     .doc = "The bytes of the string in reverse order."},
    {.name = "str_split",
     .args = 3,
     TEXT_FUNC,
     .scalar = str_split,
     .usage = "(text, delimiter, index) -> STRING",
     .doc = "The piece with this index, from 0; NULL past the last."},
    {.name = "__intrinsic_base64_encode",
     .args = 1,
     TEXT_FUNC,
     .scalar = base64_encode,
     .usage = "(bytes) -> STRING",
     .doc = "Base64 with padding."},
    {.name = "__intrinsic_base64_decode",
     .args = 1,
     TEXT_FUNC,
     .scalar = base64_decode,
     .usage = "(text or bytes) -> BYTES",
     .doc = "The decoded bytes; accepts both alphabets, with or without padding."},
    {.name = "__intrinsic_unhex",
     .args = 1,
     TEXT_FUNC,
     .scalar = unhex,
     .usage = "(text) -> LONG",
     .doc = "A hexadecimal number, with or without 0x, up to 63 bits."},
    {.name = "__intrinsic_strip_hex",
     .args = 2,
     TEXT_FUNC,
     .scalar = strip_hex,
     .usage = "(text, min_digits) -> STRING",
     .doc = "Replaces runs of at least this many hexadecimal digits by <num>, if they contain a "
            "decimal digit or follow 0x."},
    {.name = "__intrinsic_demangle",
     .args = 1,
     TEXT_FUNC,
     .scalar = demangle,
     .usage = "(symbol) -> STRING",
     .doc = "The readable name of a C++ or Rust symbol; NULL if it is not mangled."},
    {0},
};
