/*
 * The pieces of the text parser: private to protos/reflect. text_value.c reads
 * numbers, text_raw.c fields that the schema does not know, text_parse.c all else.
 */
#ifndef ORMA_PROTOS_REFLECT_TEXT_PARSER_H
#define ORMA_PROTOS_REFLECT_TEXT_PARSER_H
#include "protos/reflect/scan.h"
#include "protos/reflect/seen.h"
#include "protos/reflect/text.h"
#include "protos/reflect/text_token.h"

/* An open message: where it begins, and what closes it (0: the outermost, closed by the end). */
struct orma_text_brace {
    char close;
    uint64_t line, col;
};

struct orma_text_parser {
    const struct orma_schema *schema;
    struct orma_text_parse *opts;
    struct orma_scan scan;
    enum orma_text_token token; /* the current one; its text is in scan */
    struct orma_buf *out;
    const struct orma_reflect_sink *sink; /* NULL: everything stays in `out` */
    struct orma_text_brace brace;         /* the innermost open one */
    unsigned depth;                       /* of open ones */
    struct orma_seen seen;
};

/* All return 0, or the scanner's failure. */

/* The next token becomes the current one. */
static inline int orma_text_advance(struct orma_text_parser *p)
{
    p->token = orma_text_next(&p->scan);
    return p->scan.err;
}

static inline bool orma_text_at(const struct orma_text_parser *p, char c)
{
    return p->token == ORMA_TOKEN_CHAR && p->scan.text[0] == c;
}

/* An error about the current token: "expected X, found Y". */
int orma_text_expected(struct orma_text_parser *p, const char *what);

/* The same for a value of this field. */
int orma_text_bad_value(struct orma_text_parser *p, const struct orma_field *field);

/* A minus sign, if there is one. */
int orma_text_parse_minus(struct orma_text_parser *p, bool *ret_minus);

/* Strings side by side, appended to `out`. */
int orma_text_parse_strings(struct orma_text_parser *p, struct orma_buf *out);

/* The value of a field that is a number on the wire, as the bits that go there. *ret_dropped is
 * set when ORMA_TEXT_LOSSY let an unknown name go. */
int orma_text_parse_number(struct orma_text_parser *p, const struct orma_field *field,
                           uint64_t *ret, bool *ret_dropped);

/* '{' or '<' opens a message; *ret_outer is what orma_text_close() needs. With field NULL: of no
 * known field. */
int orma_text_open(struct orma_text_parser *p, const struct orma_field *field,
                   struct orma_text_brace *ret_outer);

/* The current token ends the innermost message. */
static inline bool orma_text_at_close(const struct orma_text_parser *p)
{
    return p->brace.close ? orma_text_at(p, p->brace.close) : p->token == ORMA_TOKEN_END;
}

/* Goes behind what closes the message, if err is 0; returns err, or the failure of that. */
int orma_text_close(struct orma_text_parser *p, const struct orma_text_brace *outer, int err);

/* A field by number: the current token is the number. */
int orma_text_parse_raw_field(struct orma_text_parser *p);

/* What follows the name of a field that is dropped, its separator included. */
int orma_text_skip_value(struct orma_text_parser *p);
#endif
