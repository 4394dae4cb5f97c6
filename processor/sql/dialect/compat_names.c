/* One pass over the tokens. A frame for each parenthesis that is open says whether it stands in a
 * list of result columns, and where the current one begins. */
#include "processor/sql/dialect/compat_names.h"

#include <stdlib.h>

#include "sdk/base/vec.h"

struct frame {
    struct orma_token caller; /* before the parenthesis */
    bool in_list;             /* between SELECT and what ends its columns */
    bool rewritten;           /* something of the current column is */
    bool named;               /* by AS */
    bool begun;               /* the current column has a token */
    uint32_t at;
};

struct finder {
    struct orma_compat_names *names;
    struct orma_str text;
    struct frame *frames;
    unsigned depth;
    struct orma_token before, earlier; /* the last solid tokens */
};

static bool is_one_of(struct orma_str text, struct orma_token tok, const char *const *words)
{
    for (; *words; words++) {
        if (orma_token_is(text, tok, *words))
            return true;
    }
    return false;
}

static bool ends_list(struct orma_str text, struct orma_token before, struct orma_token tok)
{
    static const char *const words[] = {"from",      "where",  "group",     "having",
                                        "window",    "order",  "limit",     "union",
                                        "intersect", "except", "returning", NULL};

    if (orma_token_is(text, before, "distinct") && orma_token_is(text, tok, "from"))
        return false; /* IS DISTINCT FROM */
    return tok.kind == ORMA_TOK_END || tok.kind == ORMA_TOK_CLOSE ||
           (tok.kind == ORMA_TOK_WORD && is_one_of(text, tok, words));
}

/* Whether what a column ends with is not a name without AS. */
static bool cannot_be_name(const struct finder *f)
{
    struct orma_token tok = f->before;

    return tok.kind == ORMA_TOK_CLOSE || tok.kind == ORMA_TOK_NUMBER ||
           f->earlier.kind == ORMA_TOK_OPERATOR || orma_token_is(f->text, tok, "end");
}

static void end_column(struct finder *f, struct frame *frame)
{
    struct orma_compat_names *names = f->names;
    bool counts =
        frame->in_list && frame->begun && frame->rewritten && !frame->named && cannot_be_name(f);

    frame->begun = frame->rewritten = frame->named = false;
    if (!counts)
        return;
    if (ORMA_GROW(&names->list, &names->cap, names->len + 1)) {
        names->failed = true;
        return;
    }
    names->list[names->len++] = (struct orma_compat_name){frame->at, f->before.at + f->before.len};
}

static void begin_list(struct frame *frame)
{
    frame->in_list = true;
    frame->begun = frame->rewritten = frame->named = false;
}

/* A token of the current column, which may be its first. */
static void see(struct finder *f, struct frame *frame, struct orma_token tok)
{
    static const char *const first[] = {"distinct", "all", NULL};

    if (!frame->begun && is_one_of(f->text, tok, first))
        return;
    if (!frame->begun)
        frame->at = tok.at;
    frame->begun = true;
    frame->named |= orma_token_is(f->text, tok, "as");
}

/* What stands around a column that was marked before is marked, too. */
static void mark_rewritten(struct finder *f)
{
    for (unsigned i = f->depth + 1; i-- > 0 && !f->frames[i].rewritten;)
        f->frames[i].rewritten = true;
}

static void take_token(struct finder *f, struct orma_token tok, unsigned depth_max)
{
    struct frame *frame = &f->frames[f->depth];

    if (frame->in_list && ends_list(f->text, f->before, tok)) {
        end_column(f, frame);
        frame->in_list = false;
    } else if (frame->in_list && tok.kind == ORMA_TOK_COMMA) {
        end_column(f, frame);
        return;
    }
    if (tok.kind == ORMA_TOK_CLOSE) {
        f->depth -= f->depth > 0;
        return;
    }
    if (orma_token_is(f->text, tok, "select") || orma_token_is(f->text, tok, "returning")) {
        begin_list(frame);
        return;
    }
    if (frame->in_list)
        see(f, frame, tok);
    if (tok.kind == ORMA_TOK_OPEN && f->depth < depth_max)
        f->frames[++f->depth] = (struct frame){.caller = f->before};
}

void orma_compat_names_find(struct orma_compat_names *self, struct orma_str text,
                            unsigned depth_max, orma_compat_is_rewritten *is_rewritten)
{
    struct finder f = {.names = self, .text = text, .before = {ORMA_TOK_END, 0, 0}};
    struct orma_token tok = orma_token_next_solid(text, 0);

    f.frames = calloc((size_t)depth_max + 1, sizeof(*f.frames));
    self->failed = !f.frames;
    for (; !self->failed; tok = orma_token_next_solid(text, tok.at + tok.len)) {
        struct orma_token caller = f.frames[f.depth].caller;

        take_token(&f, tok, depth_max);
        if (tok.kind == ORMA_TOK_END)
            break;
        if (is_rewritten(text, f.before, tok, caller))
            mark_rewritten(&f);
        f.earlier = f.before;
        f.before = tok;
    }
    free(f.frames);
}

void orma_compat_names_fini(struct orma_compat_names *self)
{
    free(self->list);
    *self = (struct orma_compat_names){0};
}

const struct orma_compat_name *orma_compat_names_at(struct orma_compat_names *self, uint32_t end)
{
    while (self->next < self->len && self->list[self->next].end < end)
        self->next++;
    return self->next < self->len && self->list[self->next].end == end ? &self->list[self->next++]
                                                                       : NULL;
}
