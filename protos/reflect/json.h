/*
 * Messages as JSON, by the mapping of proto3 adapted to proto2 schemas:
 *
 *   64-bit integers   strings; numbers are read too
 *   enums             names; numbers when they have none, and on input
 *   bytes             base64; on input also the URL alphabet, and without padding
 *   float, double     numbers, or "NaN", "Infinity", "-Infinity"
 *   extensions        "[full.name]"
 *   names             as in the .proto file; camel case is read too, and printed on request
 *   null              on input: the field is absent
 *
 * Only what is in the bytes is printed: no defaults. Groups, maps and the well-known types (Any,
 * Timestamp...) have no special form: no schema of ours has them.
 */
#ifndef ORMA_PROTOS_REFLECT_JSON_H
#define ORMA_PROTOS_REFLECT_JSON_H
#include "protos/reflect/schema.h"

#define ORMA_JSON_DEPTH_MAX 100

enum orma_json_print_flags {
    ORMA_JSON_PRETTY = 1,        /* a line per value, indented by two blanks */
    ORMA_JSON_CAMEL_CASE = 2,    /* JSON names ("flushPeriodMs") instead of the original ones */
    ORMA_JSON_ENUM_NUMBERS = 4,  /* enums as numbers */
    ORMA_JSON_INT64_NUMBERS = 8, /* 64-bit integers as numbers, too */
};

struct orma_json_print {
    uint32_t flags; /* enum orma_json_print_flags */
    /* Out: what JSON can't hold. Fields that the schema does not know or that do not fit it. */
    uint64_t dropped;
    /* Out: strings in which bytes that are no UTF-8 became U+FFFD. */
    uint64_t replaced;
};

/*
 * Appends one object, the fields by ascending number. Where the bytes repeat a singular field, or
 * set several fields of a oneof, the last one counts (messages are merged), as for any reader.
 * `opts` may be NULL.
 *
 * 0; -EBADMSG: the bytes are malformed (`out` is as it was); -ENOMEM.
 */
int orma_json_print(const struct orma_schema *schema, uint32_t msg, const void *data, size_t len,
                    struct orma_json_print *opts, struct orma_buf *out);

/* A string in quotes, with the escapes of JSON. True if bad UTF-8 was replaced. */
bool orma_json_quote(struct orma_buf *out, struct orma_str text);

/* The same where JSON stands in a page, which "</script" would end: '<' is an escape, too. */
bool orma_json_quote_in_page(struct orma_buf *out, struct orma_str text);

enum orma_json_parse_flags {
    /* Fields and enum values that are not known are dropped and counted. */
    ORMA_JSON_LOSSY = 1,
    /* Required fields may be missing. */
    ORMA_JSON_PARTIAL = 2,
};

struct orma_json_parse {
    uint32_t flags;         /* enum orma_json_parse_flags */
    const char *file;       /* for messages; NULL: "-" */
    struct orma_buf *error; /* receives "file:line:col error: ...", the line and a caret; or NULL */
    uint64_t dropped;       /* out */
};

/*
 * Appends the message that `text` (one object) describes. 0; -EBADMSG: the text is wrong, `error`
 * says where, and `out` is as it was; -ENOMEM. `opts` may be NULL.
 */
int orma_json_parse(const struct orma_schema *schema, uint32_t msg, struct orma_str text,
                    struct orma_json_parse *opts, struct orma_buf *out);
#endif
