/*
 * Expansion works on slices of sources. Each argument becomes two texts of its own
 * whose pieces know their origin: expanded, for use in a body, and as it was written,
 * with only the $names of the macro around it put in, for __intrinsic_stringify!(). All
 * texts of one expansion share the list of calls, which is that of the result.
 */
#include "processor/sql/dialect/macro.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/sql/dialect/token.h"
#include "sdk/base/search.h"
#include "sdk/base/vec.h"

static void macro_free(struct orma_macro *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->params_num; i++)
        free(self->params[i]);
    free(self->params);
    free(self->name);
    orma_sql_source_unref(self->body);
    free(self);
}
ORMA_DEFINE_AUTO(struct orma_macro *, macro_free)

void orma_macros_fini(struct orma_macros *self)
{
    for (size_t i = 0; i < self->len; i++)
        macro_free(self->macros[i]);
    free(self->macros);
    *self = (struct orma_macros){0};
}

static int compare_name(const struct orma_macro *macro, struct orma_str name)
{
    struct orma_str at = orma_str_from(macro->name);
    int cmp = strncmp(at.data, name.data, ORMA_MIN(at.len, name.len));

    return cmp ? cmp : (at.len > name.len) - (at.len < name.len);
}

/* Index of the macro, or of the place where it belongs: the list is sorted by name. */
static size_t find_slot(const struct orma_macros *self, struct orma_str name, bool *ret_found)
{
    size_t at = ORMA_PARTITION_POINT(i, 0, self->len, compare_name(self->macros[i], name) < 0);

    *ret_found = at < self->len && !compare_name(self->macros[at], name);
    return at;
}

const struct orma_macro *orma_macros_find(const struct orma_macros *self, struct orma_str name)
{
    bool found;
    size_t slot = find_slot(self, name, &found);

    return found ? self->macros[slot] : NULL;
}

static struct orma_macro *macro_new(struct orma_str name, const struct orma_str *params,
                                    size_t params_num, struct orma_sql_source *body)
{
    ORMA_AUTO(macro_free_p) struct orma_macro *macro = calloc(1, sizeof(*macro));

    if (!macro)
        return NULL;
    macro->name = orma_str_dup(name);
    macro->params = calloc(params_num + 1, sizeof(*macro->params));
    if (!macro->name || !macro->params)
        return NULL;
    for (size_t i = 0; i < params_num; i++, macro->params_num++) {
        macro->params[i] = orma_str_dup(params[i]);
        if (!macro->params[i])
            return NULL;
    }
    macro->body = orma_sql_source_ref(body);
    return ORMA_STEAL(macro);
}

int orma_macros_put(struct orma_macros *self, struct orma_str name, const struct orma_str *params,
                    size_t params_num, struct orma_sql_source *body)
{
    bool found;
    size_t slot = find_slot(self, name, &found);
    struct orma_macro *macro = macro_new(name, params, params_num, body);

    if (!macro || (!found && ORMA_GROW(&self->macros, &self->cap, self->len + 1) < 0)) {
        macro_free(macro);
        return -ENOMEM;
    }
    if (found) {
        macro_free(self->macros[slot]);
    } else {
        memmove(&self->macros[slot + 1], &self->macros[slot],
                (self->len - slot) * sizeof(*self->macros));
        self->len++;
    }
    self->macros[slot] = macro;
    return 0;
}

/* Arguments of one call. */
struct args {
    struct orma_sql_text texts[ORMA_MACRO_ARGS_MAX]; /* expanded */
    struct orma_sql_text raws[ORMA_MACRO_ARGS_MAX];  /* as they were written */
    size_t num;
};

/* What $names stand for in a body. */
struct bindings {
    const struct orma_macro *macro;
    const struct args *args;
};

struct expander {
    const struct orma_macros *macros;
    struct orma_sql_text *root; /* has the calls */
    struct orma_sql_error *error;
    const struct orma_macro *active[ORMA_MACRO_DEPTH_MAX]; /* whose bodies are being expanded */
    int active_num;
    int depth;
    size_t work; /* bytes that were read and written: this is what is held at once, at most */
};

/* A part of a source that is being read. */
struct slice {
    struct orma_sql_source *source;
    uint32_t at, end;
    uint32_t call;
};

/* The text of the slice, from the begin of its source: offsets stay those of the source. */
static struct orma_str slice_text(const struct slice *s)
{
    return (struct orma_str){s->source->text, s->end};
}

static struct orma_sql_origin origin_at(const struct slice *s, uint32_t at)
{
    return (struct orma_sql_origin){s->source, at, s->call};
}

static int ORMA_PRINTF(4, 5)
    fail(struct expander *x, const struct slice *s, uint32_t at, const char *fmt, ...)
{
    struct orma_sql_text where = {0};
    va_list args;

    orma_sql_text_inherit(&where, x->root);
    orma_sql_text_put(&where, origin_at(s, at), 1);
    va_start(args, fmt);
    int r = orma_sql_error_setv(x->error, NULL, 0, fmt, args);
    va_end(args);
    orma_sql_error_wrap(x->error, &where, 0);
    orma_sql_text_fini(&where);
    return r;
}

static int expand(struct expander *x, struct slice s, const struct bindings *b,
                  struct orma_sql_text *out);

/* What a text costs until now: its bytes, and where they came from. */
static size_t cost_of(const struct orma_sql_text *text)
{
    return text->buf.len + text->pieces.len;
}

/* False: it was too much. Pieces look through the sources that a text holds. */
static bool count_work(struct expander *x, const struct orma_sql_text *out, size_t before,
                       size_t read)
{
    x->work += cost_of(out) - before + read + out->sources.len / 64;
    return x->work <= ORMA_MACRO_WORK_MAX;
}

/* True if a blank must keep what was put in apart from what stands there. */
static bool would_grow_together(const struct orma_sql_text *out, char next)
{
    static const char apart[] = " \t\n\r\f\v(),.;";

    if (!out->buf.len)
        return false;
    char last = (char)out->buf.data[out->buf.len - 1];
    return !memchr(apart, last, sizeof(apart) - 1) && !memchr(apart, next, sizeof(apart) - 1);
}

static void put_apart(struct orma_sql_text *out, struct orma_sql_origin where, char next)
{
    if (would_grow_together(out, next))
        orma_sql_text_put_made(out, where, ORMA_STR(" "));
}

static void put_inserted(struct orma_sql_text *out, const struct orma_sql_text *what,
                         struct orma_sql_origin where)
{
    if (!what->buf.len)
        return;
    put_apart(out, where, (char)what->buf.data[0]);
    orma_sql_text_put_text(out, what, 0, (uint32_t)what->buf.len);
}

static void args_free(struct args *self)
{
    for (size_t i = 0; self && i < self->num; i++) {
        orma_sql_text_fini(&self->texts[i]);
        orma_sql_text_fini(&self->raws[i]);
    }
    free(self);
}
ORMA_DEFINE_AUTO(struct args *, args_free)

/* The argument that $name stands for; -1: none. */
static int find_binding(const struct bindings *b, struct orma_str var)
{
    struct orma_str name = {var.data + 1, var.len - 1};

    for (size_t i = 0; b && b->macro && var.data[0] == '$' && i < b->macro->params_num; i++) {
        if (orma_str_eq_c(name, b->macro->params[i]))
            return (int)i;
    }
    return -1;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The text as it stands there, without blanks at both ends; $names are replaced. */
static void copy_raw(struct slice s, const struct bindings *b, struct orma_sql_text *out)
{
    while (s.at < s.end && is_blank(s.source->text[s.at]))
        s.at++;
    while (s.end > s.at && is_blank(s.source->text[s.end - 1]))
        s.end--;
    while (s.at < s.end) {
        struct orma_token tok = orma_token_next(slice_text(&s), s.at);
        int arg = tok.kind == ORMA_TOK_VARIABLE
                      ? find_binding(b, orma_token_text(slice_text(&s), tok))
                      : -1;

        if (arg >= 0)
            orma_sql_text_put_text(out, &b->args->raws[arg], 0,
                                   (uint32_t)b->args->raws[arg].buf.len);
        else
            orma_sql_text_put(out, origin_at(&s, tok.at), tok.len);
        s.at += tok.len;
    }
}

/* Without blanks and comments at both ends. */
static void trim(struct slice *s)
{
    struct orma_token tok = orma_token_next_solid(slice_text(s), s->at);
    uint32_t end = tok.at;

    s->at = tok.at;
    for (; tok.kind != ORMA_TOK_END; tok = orma_token_next_solid(slice_text(s), end))
        end = tok.at + tok.len;
    s->end = end;
}

/* Where the next comma outside parentheses is, or the end. */
static uint32_t find_comma(const struct slice *s)
{
    struct orma_token tok = orma_token_next_solid(slice_text(s), s->at);

    for (int depth = 0; tok.kind != ORMA_TOK_END;
         tok = orma_token_next_solid(slice_text(s), tok.at + tok.len)) {
        if (tok.kind == ORMA_TOK_COMMA && depth == 0)
            break;
        depth += (tok.kind == ORMA_TOK_OPEN) - (tok.kind == ORMA_TOK_CLOSE);
    }
    return tok.at;
}

/* Cuts `inside` at its commas and expands each part into a new text. */
static int read_args(struct expander *x, struct slice inside, const struct bindings *b,
                     struct args *ret)
{
    trim(&inside);
    if (inside.at == inside.end)
        return 0;
    for (;;) {
        struct slice part = inside;

        if (ret->num == ORMA_MACRO_ARGS_MAX)
            return fail(x, &inside, inside.at, "macro call with more than %d arguments",
                        ORMA_MACRO_ARGS_MAX);
        part.end = find_comma(&inside);
        uint32_t next = part.end;
        copy_raw(part, b, &ret->raws[ret->num]);
        x->work += cost_of(&ret->raws[ret->num]) + (next - inside.at);
        trim(&part);
        int r = expand(x, part, b, &ret->texts[ret->num++]);
        if (r < 0)
            return r;
        if (next == inside.end)
            return 0;
        inside.at = next + 1;
    }
}

static bool is_active(const struct expander *x, const struct orma_macro *macro)
{
    for (int i = 0; i < x->active_num; i++) {
        if (x->active[i] == macro)
            return true;
    }
    return false;
}

static int run_macro(struct expander *x, const struct slice *s, uint32_t at, struct orma_str name,
                     const struct args *args, struct orma_sql_text *out)
{
    const struct orma_macro *macro = orma_macros_find(x->macros, name);

    if (!macro)
        return fail(x, s, at, "unknown macro '%.*s'", ORMA_STR_ARG(name));
    if (args->num != macro->params_num)
        return fail(x, s, at,
                    "syntax error near '!': macro '%s' has %zu arguments, but %zu are given",
                    macro->name, macro->params_num, args->num);
    if (is_active(x, macro))
        return fail(x, s, at, "recursive macro expansion: '%s'", macro->name);
    if (x->root->calls.len / sizeof(struct orma_sql_origin) >= ORMA_MACRO_CALLS_MAX)
        return fail(x, s, at, "more than %d macro calls in one statement", ORMA_MACRO_CALLS_MAX);
    if (x->active_num == ORMA_MACRO_DEPTH_MAX)
        return fail(x, s, at, "macro calls nested too deeply");

    struct bindings inner = {macro, args};
    struct slice body = {macro->body, 0, (uint32_t)macro->body->len,
                         orma_sql_text_add_call(x->root, origin_at(s, at))};
    orma_sql_text_hold(x->root, macro->body);
    orma_sql_text_hold(x->root, s->source);
    x->active[x->active_num++] = macro;
    int r = expand(x, body, &inner, out);
    x->active_num--;
    return r;
}

/* __intrinsic_stringify!(tokens): the text between quotes, which are not doubled in it. */
static int run_stringify(struct expander *x, struct slice inside, uint32_t at,
                         const struct bindings *b, struct orma_sql_text *out)
{
    struct orma_sql_origin where = origin_at(&inside, at);
    struct slice solid = inside;

    trim(&solid);
    if (solid.at == solid.end || find_comma(&solid) < solid.end)
        return fail(x, &inside, at,
                    "syntax error near '!': __intrinsic_stringify takes one argument");
    orma_sql_text_put_made(out, where, ORMA_STR("'"));
    copy_raw(inside, b, out);
    orma_sql_text_put_made(out, where, ORMA_STR("'"));
    return 0;
}

/* The range of `text` inside the one pair of parentheses around all of it; all of it without. */
static void strip_parens(struct orma_str text, uint32_t *ret_at, uint32_t *ret_end)
{
    struct orma_token first = orma_token_next_solid(text, 0), tok = first;
    int depth = 0;

    *ret_at = first.at;
    *ret_end = (uint32_t)text.len;
    if (first.kind != ORMA_TOK_OPEN)
        return;
    do {
        depth += (tok.kind == ORMA_TOK_OPEN) - (tok.kind == ORMA_TOK_CLOSE);
        if (depth == 0)
            break;
        tok = orma_token_next_solid(text, tok.at + tok.len);
    } while (tok.kind != ORMA_TOK_END);
    if (depth == 0 && orma_token_next_solid(text, tok.at + 1).kind == ORMA_TOK_END) {
        *ret_at = first.at + 1;
        *ret_end = tok.at;
    }
}

#define LIST_MAX 1024

/* Where the elements of a list stand in its text. */
struct elements {
    struct range {
        uint32_t at, len;
    } ranges[LIST_MAX];
    size_t num;
    bool full; /* there were more */
    bool gap;  /* one that is not the last is empty */
};

/* The elements of "(a, b, c)" or "a, b, c". */
static void split_list(struct orma_str text, struct elements *ret)
{
    uint32_t at, end;
    int depth = 0;

    strip_parens(text, &at, &end);
    text.len = end;
    struct orma_token tok = orma_token_next_solid(text, at);
    struct range cur = {tok.at, 0};
    if (tok.kind == ORMA_TOK_END)
        return;
    for (;; tok = orma_token_next_solid(text, tok.at + tok.len)) {
        bool ends = tok.kind == ORMA_TOK_END || (tok.kind == ORMA_TOK_COMMA && depth == 0);

        if (ends && ret->num == LIST_MAX) {
            ret->full = true;
            return;
        }
        if (ends && (cur.len || tok.kind == ORMA_TOK_COMMA))
            ret->ranges[ret->num++] = cur;
        ret->gap |= ends && !cur.len && tok.kind == ORMA_TOK_COMMA;
        if (tok.kind == ORMA_TOK_END)
            return;
        if (ends)
            cur = (struct range){orma_token_next_solid(text, tok.at + 1).at, 0};
        else
            cur.len = tok.at + tok.len - cur.at;
        depth += (tok.kind == ORMA_TOK_OPEN) - (tok.kind == ORMA_TOK_CLOSE);
    }
}

/* What one run of token_apply needs. */
struct apply_lists {
    struct elements lists[2], raws[2];
    struct args one; /* of the macro, for one element */
};

static void apply_lists_free(struct apply_lists *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->one.num; i++) {
        orma_sql_text_fini(&self->one.texts[i]);
        orma_sql_text_fini(&self->one.raws[i]);
    }
    free(self);
}
ORMA_DEFINE_AUTO(struct apply_lists *, apply_lists_free)

static void take_element(const struct orma_sql_text *list, struct range t,
                         struct orma_sql_text *ret)
{
    orma_sql_text_clear(ret);
    orma_sql_text_put_text(ret, list, t.at, t.len);
}

/* One macro run per element, with the elements of the second list as second arguments. */
static int apply_macro(struct expander *x, const struct slice *s, uint32_t at,
                       const struct args *args, const char *joint, bool prefix,
                       struct orma_sql_text *out)
{
    ORMA_AUTO(apply_lists_free_p) struct apply_lists *a = calloc(1, sizeof(*a));
    struct orma_str name = orma_sql_text_str(&args->texts[0]);
    size_t lists = args->num - 1;
    int r = 0;

    if (!a)
        return orma_sql_error_oom(x->error);
    for (size_t k = 0; k < lists; k++) {
        split_list(orma_sql_text_str(&args->texts[k + 1]), &a->lists[k]);
        split_list(orma_sql_text_str(&args->raws[k + 1]), &a->raws[k]);
        if (a->lists[k].full)
            return fail(x, s, at, "token_apply: the list has more than %d elements", LIST_MAX);
        if (a->lists[k].gap)
            return fail(x, s, at, "syntax error near '!': an element of the list is empty");
    }
    a->one.num = lists;
    /* The shorter list counts: (c0, c1, ...) may go further than the columns it stands for. */
    size_t num = lists == 2 ? ORMA_MIN(a->lists[0].num, a->lists[1].num) : a->lists[0].num;
    for (size_t i = 0; i < num && r == 0; i++) {
        for (size_t k = 0; k < lists; k++) {
            take_element(&args->texts[k + 1], a->lists[k].ranges[i], &a->one.texts[k]);
            /* What a call in the list made may be several elements: these have no text before. */
            if (a->raws[k].num == a->lists[k].num)
                take_element(&args->raws[k + 1], a->raws[k].ranges[i], &a->one.raws[k]);
            else
                take_element(&args->texts[k + 1], a->lists[k].ranges[i], &a->one.raws[k]);
            x->work += cost_of(&a->one.texts[k]) + cost_of(&a->one.raws[k]);
        }
        if (i || prefix)
            orma_sql_text_put_made(out, origin_at(s, at), orma_str_from(joint));
        r = run_macro(x, s, at, name, &a->one, out);
    }
    return r;
}

static const struct apply {
    const char *name;
    const char *joint;
    bool prefix;
} applies[] = {
    {"__intrinsic_token_apply", ", ", false},
    {"__intrinsic_token_apply_prefix", ", ", true},
    {"__intrinsic_token_apply_and", " AND ", false},
    {"__intrinsic_token_apply_and_prefix", " AND ", true},
};

static int run_apply(struct expander *x, const struct slice *s, uint32_t at, struct slice inside,
                     const struct bindings *b, const struct apply *apply, struct orma_sql_text *out)
{
    ORMA_AUTO(args_free_p) struct args *args = calloc(1, sizeof(*args));
    int r = args ? read_args(x, inside, b, args) : orma_sql_error_oom(x->error);

    if (r < 0)
        return r;
    if (args->num != 2 && args->num != 3)
        return fail(x, s, at,
                    "syntax error near '!': macro '%s' has 2 or 3 arguments, but %zu are given",
                    apply->name, args->num);
    return apply_macro(x, s, at, args, apply->joint, apply->prefix, out);
}

static int run_named(struct expander *x, const struct slice *s, uint32_t at, struct orma_str name,
                     struct slice inside, const struct bindings *b, struct orma_sql_text *out)
{
    if (orma_str_eq_c(name, "__intrinsic_stringify") ||
        orma_str_eq_c(name, "__intrinsic_stringify_ignore_table"))
        return run_stringify(x, inside, at, b, out);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(applies); i++) {
        if (orma_str_eq_c(name, applies[i].name))
            return run_apply(x, s, at, inside, b, &applies[i], out);
    }
    ORMA_AUTO(args_free_p) struct args *args = calloc(1, sizeof(*args));
    int r = args ? read_args(x, inside, b, args) : orma_sql_error_oom(x->error);
    return r < 0 ? r : run_macro(x, s, at, name, args, out);
}

/* Offset of the parenthesis that closes the one at `open`, or the end. */
static uint32_t find_close(const struct slice *s, uint32_t open)
{
    struct orma_token tok = {ORMA_TOK_OPEN, open, 1};

    for (int depth = 0; tok.kind != ORMA_TOK_END;
         tok = orma_token_next_solid(slice_text(s), tok.at + tok.len)) {
        depth += (tok.kind == ORMA_TOK_OPEN) - (tok.kind == ORMA_TOK_CLOSE);
        if (depth == 0)
            return tok.at;
    }
    return s->end;
}

/* The parenthesis of a call whose name ends at `at`: blanks may stand before the '!', nothing
 * behind it. False: it is no call. */
static bool find_open(struct orma_str text, uint32_t at, struct orma_token *ret)
{
    struct orma_token bang = orma_token_next(text, at);

    if (bang.kind == ORMA_TOK_SPACE)
        bang = orma_token_next(text, bang.at + bang.len);
    if (bang.kind != ORMA_TOK_BANG)
        return false;
    *ret = orma_token_next(text, bang.at + 1);
    return ret->kind == ORMA_TOK_OPEN;
}

/* At a word, or a $name that stands for one: if a call begins there, expands it. 1 and *ret_next
 * behind it, 0 if it is none. */
static int try_call(struct expander *x, const struct slice *s, struct orma_token word,
                    const struct bindings *b, struct orma_sql_text *out, uint32_t *ret_next)
{
    struct orma_str text = slice_text(s), name = orma_token_text(text, word);
    struct orma_token open;

    if (!find_open(text, word.at + word.len, &open))
        return 0;
    if (word.kind == ORMA_TOK_VARIABLE) {
        int arg = find_binding(b, name);

        if (arg < 0)
            return 0;
        name = orma_sql_text_str(&b->args->texts[arg]);
    }
    uint32_t close = find_close(s, open.at);
    if (close == s->end)
        return fail(x, s, open.at, "missing ')' after this macro call");

    struct orma_sql_text made = {0};
    struct slice inside = {s->source, open.at + 1, close, s->call};
    int r = run_named(x, s, word.at, name, inside, b, &made);
    put_inserted(out, &made, origin_at(s, word.at));
    out->failed |= made.failed;
    orma_sql_text_fini(&made);
    *ret_next = close + 1;
    return r < 0 ? r : 1;
}

/* A token that is not replaced; `after` says that something was put in right before it. */
static void put_token(struct orma_sql_text *out, const struct slice *s, struct orma_token tok,
                      bool inner, bool after)
{
    struct orma_sql_origin where = origin_at(s, tok.at);
    struct orma_str text = orma_token_text(slice_text(s), tok);

    if ((tok.kind == ORMA_TOK_COMMENT && inner) ||
        (tok.kind == ORMA_TOK_SPACE && memchr(text.data, 0xc2, text.len))) {
        orma_sql_text_put_made(out, where, ORMA_STR(" "));
        return;
    }
    if (after)
        put_apart(out, where, text.data[0]);
    orma_sql_text_put(out, where, tok.len);
}

static int expand_tokens(struct expander *x, struct slice s, const struct bindings *b,
                         struct orma_sql_text *out)
{
    bool after = false; /* something was put in right before */

    while (s.at < s.end && !out->failed) {
        struct orma_token tok = orma_token_next(slice_text(&s), s.at);
        size_t before = cost_of(out);
        int bound = -1, r = 0;

        s.at += tok.len;
        if (tok.kind == ORMA_TOK_WORD || tok.kind == ORMA_TOK_VARIABLE)
            r = try_call(x, &s, tok, b, out, &s.at);
        if (r < 0)
            return r;
        if (tok.kind == ORMA_TOK_VARIABLE && !r)
            bound = find_binding(b, orma_token_text(slice_text(&s), tok));
        if (bound >= 0)
            put_inserted(out, &b->args->texts[bound], origin_at(&s, tok.at));
        else if (!r)
            put_token(out, &s, tok, b || x->depth > 1, after);
        after = bound >= 0 || r;
        if (!count_work(x, out, before, tok.len))
            return fail(x, &s, tok.at, "macro expansion copies more than %zu MiB",
                        ORMA_MACRO_WORK_MAX >> 20);
    }
    if (!out->failed)
        return 0;
    return fail(x, &s, ORMA_MIN(s.at, s.end), "macro expansion exceeds %zu MiB, or out of memory",
                ORMA_SQL_EXPANDED_MAX >> 20);
}

static int expand(struct expander *x, struct slice s, const struct bindings *b,
                  struct orma_sql_text *out)
{
    if (x->depth == ORMA_MACRO_DEPTH_MAX)
        return fail(x, &s, s.at, "macro calls nested too deeply");
    x->depth++;
    int r = expand_tokens(x, s, b, out);
    x->depth--;
    return r;
}

int orma_macros_expand(const struct orma_macros *self, struct orma_sql_source *source, uint32_t at,
                       uint32_t end, struct orma_sql_text *out, struct orma_sql_error *error)
{
    struct expander x = {.macros = self, .root = out, .error = error};
    struct slice s = {source, at, end, ORMA_SQL_NO_CALL};

    return expand(&x, s, NULL, out);
}
