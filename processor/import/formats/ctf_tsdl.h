/* The parser of metadata of CTF 1.8: words (ctf_lex.c), types (ctf_types.c), blocks (ctf_tsdl.c).
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_CTF_TSDL_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_CTF_TSDL_H
#include "processor/import/formats/ctf.h"

enum orma_ctf_token_type {
    ORMA_CTF_END,
    ORMA_CTF_WORD,
    ORMA_CTF_NUMBER,
    ORMA_CTF_QUOTED,
    ORMA_CTF_SIGN, /* text: ":=", "...", "{" and so on */
};

struct orma_ctf_token {
    enum orma_ctf_token_type type;
    struct orma_str text; /* of quoted ones what they mean */
    uint64_t number;
    unsigned line;
};

struct orma_ctf_parser {
    struct orma_ctf *self;
    const char *at, *end;
    unsigned line;
    struct orma_ctf_token token; /* the one at hand */
    unsigned depth;
    /* Names of types: (scope, kind, pool id of the name) → type. */
    struct orma_map names;
    ORMA_VEC(uint32_t) scopes; /* open ones, by number */
    uint32_t scopes_made;
};

static inline bool orma_ctf_parser_failed(const struct orma_ctf_parser *p)
{
    return p->self->failed || orma_file_failed(p->self->file);
}

/* ---- ctf_lex.c ---- */

/* Goes to the next token. */
void orma_ctf_parser_next(struct orma_ctf_parser *p);
ORMA_COLD void orma_ctf_parser_fail(struct orma_ctf_parser *p, const char *what);

static inline bool orma_ctf_parser_is(const struct orma_ctf_parser *p, const char *text)
{
    return (p->token.type == ORMA_CTF_SIGN || p->token.type == ORMA_CTF_WORD) &&
           orma_str_eq_c(p->token.text, text);
}

/* The sign or word is passed, if it is there. */
bool orma_ctf_parser_take(struct orma_ctf_parser *p, const char *text);
/* It must be. */
bool orma_ctf_parser_need(struct orma_ctf_parser *p, const char *text);

/* "12", "-5", "+3", "'a'" */
bool orma_ctf_parser_number(struct orma_ctf_parser *p, uint64_t *ret);
/* A word, or a text. */
bool orma_ctf_parser_name(struct orma_ctf_parser *p, struct orma_str *ret);

/* ---- ctf_types.c ---- */

void orma_ctf_parser_open(struct orma_ctf_parser *p);
void orma_ctf_parser_close(struct orma_ctf_parser *p);

/* typealias, typedef, or a struct, variant or enum with a name. False: it is none of them. */
bool orma_ctf_parser_declares(struct orma_ctf_parser *p);

/* Up to the first token that is none of it. NULL: it failed. */
struct orma_ctf_type *orma_ctf_parser_type(struct orma_ctf_parser *p);

/* "a.b", "stream.event.header.id" of words that are cut already. */
struct orma_ctf_ref *orma_ctf_parser_ref(struct orma_ctf_parser *p, struct orma_str *words,
                                         uint32_t num);
/* Words with points between them. */
ORMA_VEC_STRUCT(orma_ctf_words, struct orma_str);
bool orma_ctf_parser_dotted(struct orma_ctf_parser *p, struct orma_ctf_words *ret);
#endif
