/*
 * Functions on text that newer versions of SQLite have and 3.40 does not: escapes of Unicode, and
 * JSON in lines.
 *
 * json_pretty() has SQLite check and compact the text first, so what is laid out here is JSON,
 * without blanks between its parts.
 */
#include <string.h>

#include "processor/sql/functions/functions.h"
#include "sdk/base/hex.h"
#include "sdk/base/utf8.h"

/* ---- unistr ---- */

/* The digits behind a backslash and `skip` more characters; false: there are not that many. */
static bool take_code(struct orma_str *s, size_t skip, size_t digits, uint32_t *ret)
{
    uint32_t code = 0;

    if (s->len < skip + digits)
        return false;
    for (size_t i = skip; i < skip + digits; i++) {
        int d = orma_hex_digit(s->data[i]);

        if (d < 0)
            return false;
        code = code << 4 | (uint32_t)d;
    }
    s->data += skip + digits;
    s->len -= skip + digits;
    *ret = code;
    return true;
}

/* One escape, the text behind its backslash. */
static bool take_escape(struct orma_str *s, struct orma_buf *out)
{
    uint32_t code = 0;
    bool ok = false;

    if (!s->len)
        return false;
    switch (*s->data) {
    case '\\':
        orma_buf_put_byte(out, '\\');
        *s = (struct orma_str){s->data + 1, s->len - 1};
        return true;
    case '+':
        ok = take_code(s, 1, 6, &code);
        break;
    case 'u':
        ok = take_code(s, 1, 4, &code);
        break;
    case 'U':
        ok = take_code(s, 1, 8, &code);
        break;
    default:
        ok = take_code(s, 0, 4, &code);
    }
    uint8_t bytes[ORMA_UTF8_MAX];
    if (ok)
        orma_buf_put(out, bytes, orma_utf8_encode(code & 0x1fffff, bytes));
    return ok;
}

static void unistr(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_str s = orma_value_str(argv[0]);
    struct orma_buf out = {0};
    const char *at;

    (void)argc;
    if (!s.data)
        return;
    while (s.len && (at = memchr(s.data, '\\', s.len))) {
        size_t len = (size_t)(at - s.data);

        orma_buf_put(&out, s.data, len);
        s = (struct orma_str){at + 1, s.len - len - 1};
        if (!take_escape(&s, &out)) {
            orma_buf_fini(&out);
            orma_result_error(ctx, "invalid Unicode escape");
            return;
        }
    }
    orma_buf_put(&out, s.data, s.len);
    orma_result_buf(ctx, &out, false);
}

/* ---- json_pretty ---- */

static void new_line(struct orma_buf *out, struct orma_str indent, unsigned depth)
{
    orma_buf_put_byte(out, '\n');
    for (unsigned i = 0; i < depth; i++)
        orma_buf_put(out, indent.data, indent.len);
}

/* The bytes of the text that begins here, with both quotes. */
static size_t text_len(struct orma_str s)
{
    size_t i = 1;

    while (i < s.len && s.data[i] != '"')
        i += s.data[i] == '\\' ? 2 : 1;
    return ORMA_MIN(i + 1, s.len);
}

/* Compact JSON, laid out, up to about `max` bytes. */
static void put_lines(struct orma_buf *out, struct orma_str s, struct orma_str indent, size_t max)
{
    unsigned depth = 0;

    for (size_t i = 0; i < s.len && out->len <= max; i++) {
        char c = s.data[i], next = i + 1 < s.len ? s.data[i + 1] : 0;

        if (c == '"') {
            size_t len = text_len((struct orma_str){s.data + i, s.len - i});

            orma_buf_put(out, s.data + i, len);
            i += len - 1;
        } else if ((c == '{' && next == '}') || (c == '[' && next == ']')) {
            orma_buf_put(out, s.data + i++, 2);
        } else if (c == '}' || c == ']') {
            new_line(out, indent, --depth);
            orma_buf_put_byte(out, (uint8_t)c);
        } else {
            orma_buf_put_byte(out, (uint8_t)c);
            if (c == ':')
                orma_buf_put_byte(out, ' ');
            else if (c == '{' || c == '[' || c == ',')
                new_line(out, indent, depth += c != ',');
        }
    }
}

static void json_pretty(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    sqlite3 *db = sqlite3_context_db_handle(ctx);
    struct orma_str indent = argc > 1 ? orma_value_str(argv[1]) : (struct orma_str){0};
    size_t max = (size_t)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1);
    struct orma_buf out = {0};
    sqlite3_stmt *stmt;

    if (orma_value_is_null(argv[0]))
        return;
    if (sqlite3_prepare_v2(db, "SELECT json(?1)", -1, &stmt, NULL) != SQLITE_OK) {
        orma_result_error(ctx, "%s", sqlite3_errmsg(db));
        return;
    }
    bool ok = sqlite3_bind_value(stmt, 1, argv[0]) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW;
    if (ok)
        put_lines(&out, orma_value_str(sqlite3_column_value(stmt, 0)),
                  indent.data ? indent : ORMA_STR("    "), max);
    (void)sqlite3_finalize(stmt); /* its error is the malformed text's */
    if (ok && out.len <= max) {
        orma_result_buf(ctx, &out, false);
        return;
    }
    orma_buf_fini(&out);
    if (ok)
        sqlite3_result_error_toobig(ctx);
    else
        orma_result_error(ctx, "malformed JSON");
}

const struct orma_sql_func orma_functions_newer_text[] = {
    {.name = "unistr",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = unistr,
     .usage = "(text) -> STRING",
     .doc = "The text with its escapes (\\XXXX, \\uXXXX, \\+XXXXXX, \\UXXXXXXXX) decoded."},
    {.name = "json_pretty",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = json_pretty,
     .usage = "(json [, indent]) -> STRING",
     .doc = "The JSON in lines, indented by four spaces or by the given text."},
    {.name = "json_pretty", .args = 2, .flags = SQLITE_DETERMINISTIC, .scalar = json_pretty},
    {0},
};
