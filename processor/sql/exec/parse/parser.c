#include "processor/sql/exec/parse/parser.h"

#include <string.h>

#include "sdk/base/defs.h"

#define NODES_MAX 20000

/* Words that end an expression or an item, so no alias without AS. */
static const char *const keywords[] = {
    "all",    "and",     "as",     "asc",       "between",      "by",           "case",
    "cast",   "collate", "cross",  "desc",      "distinct",     "else",         "end",
    "escape", "except",  "exists", "filter",    "from",         "full",         "glob",
    "group",  "having",  "in",     "indexed",   "inner",        "intersect",    "is",
    "isnull", "join",    "left",   "like",      "limit",        "match",        "natural",
    "not",    "notnull", "null",   "nulls",     "offset",       "on",           "or",
    "order",  "outer",   "over",   "partition", "regexp",       "right",        "select",
    "then",   "union",   "using",  "values",    "when",         "where",        "window",
    "with",   "rows",    "range",  "groups",    "current_time", "current_date", "current_timestamp",
    "raise",  "set",     "table",  "create",    "default",      "index",        NULL,
};

void *orma_exec_parser_take(struct orma_exec_parser *p, size_t size)
{
    void *mem = ++p->nodes > NODES_MAX ? NULL : orma_arena_alloc(p->arena, size);

    if (!mem)
        p->no = true;
    else
        memset(mem, 0, size);
    return mem;
}

static bool is_keyword(const struct orma_exec_parser *p)
{
    for (const char *const *w = keywords; *w; w++) {
        if (is(p, *w))
            return true;
    }
    return false;
}

bool orma_exec_parser_is_name(const struct orma_exec_parser *p)
{
    return p->tok.kind == ORMA_TOK_QUOTED || (p->tok.kind == ORMA_TOK_WORD && !is_keyword(p));
}

/* Without quotes, doubled ones halved. */
struct orma_str orma_exec_parser_unquote(struct orma_exec_parser *p, struct orma_str s)
{
    char end = s.data[0] == '[' ? ']' : s.data[0];
    char *to = orma_exec_parser_take(p, s.len + 1);
    size_t len = 0;

    for (size_t i = 1; to && i + 1 < s.len; i++) {
        to[len++] = s.data[i];
        i += s.data[i] == end && end != ']';
    }
    return (struct orma_str){to ? to : "", len};
}

struct orma_str orma_exec_parser_name(struct orma_exec_parser *p)
{
    struct orma_str s = orma_token_text(p->text, p->tok);

    if (p->no || !orma_exec_parser_is_name(p)) {
        p->no = true;
        return (struct orma_str){"", 0};
    }
    if (p->tok.kind == ORMA_TOK_QUOTED)
        s = orma_exec_parser_unquote(p, s);
    next(p);
    return s;
}

struct orma_exec_ast *orma_exec_parser_node(struct orma_exec_parser *p, enum orma_exec_op op)
{
    struct orma_exec_ast *e = orma_exec_parser_take(p, sizeof(*e));

    if (e)
        e->op = op;
    return e;
}

struct orma_exec_ast *orma_exec_parser_node2(struct orma_exec_parser *p, enum orma_exec_op op,
                                             struct orma_exec_ast *a, struct orma_exec_ast *b)
{
    struct orma_exec_ast *e = orma_exec_parser_node(p, op);

    if (!e || !a) {
        p->no = true;
        return NULL;
    }
    e->args = a;
    a->next = b;
    return e;
}
