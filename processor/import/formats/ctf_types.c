/*
 * Metadata of CTF 1.8: types.
 *
 * A name is looked up when it is met, in the scopes that are open, the inner ones first. A type may
 * stand at many places: what differs between these is settled by ctf_layout.c.
 */
#include "processor/import/formats/ctf_tsdl.h"

/* Kinds of names. */
enum { ALIAS, STRUCT, VARIANT, ENUM };

static struct orma_ctf_type *new_type(struct orma_ctf_parser *p, enum orma_ctf_kind kind)
{
    struct orma_ctf_type *t = orma_ctf_alloc(p->self, sizeof(*t));

    if (t) {
        t->kind = kind;
        t->align = 1;
    }
    return t;
}

/* ---- names ---- */

void orma_ctf_parser_open(struct orma_ctf_parser *p)
{
    if (ORMA_VEC_PUSH(&p->scopes, p->scopes_made))
        orma_ctf_no_memory(p->self);
    p->scopes_made++;
}

void orma_ctf_parser_close(struct orma_ctf_parser *p)
{
    if (p->scopes.len)
        p->scopes.len--;
}

static uint64_t name_key(const struct orma_ctf_parser *p, uint32_t scope, unsigned kind,
                         struct orma_str name)
{
    return (uint64_t)scope << 34 | (uint64_t)kind << 32 |
           orma_model_str(p->self->file->imp->model, name);
}

static void define(struct orma_ctf_parser *p, unsigned kind, struct orma_str name,
                   struct orma_ctf_type *type)
{
    if (!p->scopes.len || !type)
        return;
    const uint64_t key = name_key(p, p->scopes.data[p->scopes.len - 1], kind, name);
    if (orma_map_get_ptr(&p->names, key))
        orma_ctf_parser_fail(p, "a type that is declared twice");
    else if (orma_map_put_ptr(&p->names, key, type))
        orma_ctf_no_memory(p->self);
}

static struct orma_ctf_type *look_up(struct orma_ctf_parser *p, unsigned kind, struct orma_str name)
{
    for (uint32_t i = p->scopes.len; i-- > 0;) {
        struct orma_ctf_type *t =
            orma_map_get_ptr(&p->names, name_key(p, p->scopes.data[i], kind, name));

        if (t)
            return t;
    }
    return NULL;
}

/* ---- references ---- */

bool orma_ctf_parser_dotted(struct orma_ctf_parser *p, struct orma_ctf_words *ret)
{
    struct orma_str word;

    ret->len = 0;
    do {
        if (!orma_ctf_parser_name(p, &word))
            return false;
        if (ret->len == 64) {
            orma_ctf_parser_fail(p, "a name of too many parts");
            return false;
        }
        if (ORMA_VEC_PUSH(ret, word))
            orma_ctf_no_memory(p->self);
    } while (orma_ctf_parser_take(p, ".") || orma_ctf_parser_take(p, "->"));
    return !orma_ctf_parser_failed(p);
}

struct orma_ctf_ref *orma_ctf_parser_ref(struct orma_ctf_parser *p, struct orma_str *words,
                                         uint32_t num)
{
    static const struct {
        const char *words[3];
        enum orma_ctf_scope scope;
    } scopes[] = {
        {{"trace", "packet", "header"}, ORMA_CTF_PACKET_HEADER},
        {{"stream", "packet", "context"}, ORMA_CTF_PACKET_CONTEXT},
        {{"stream", "event", "header"}, ORMA_CTF_EVENT_HEADER},
        {{"stream", "event", "context"}, ORMA_CTF_COMMON_CONTEXT},
        {{"event", "context", NULL}, ORMA_CTF_OWN_CONTEXT},
        {{"event", "fields", NULL}, ORMA_CTF_FIELDS},
        {{"env", NULL, NULL}, ORMA_CTF_ENV},
    };
    struct orma_ctf_ref *ref = orma_ctf_alloc(p->self, sizeof(*ref));
    struct orma_str *copy = orma_ctf_alloc(p->self, num * sizeof(*copy));
    uint32_t taken = 0;

    if (!ref || !copy)
        return NULL;
    ref->scope = ORMA_CTF_RELATIVE;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(scopes) && !taken; i++) {
        uint32_t n = 0;

        while (n < 3 && scopes[i].words[n] && n < num &&
               orma_str_eq_c(words[n], scopes[i].words[n]))
            n++;
        if ((n == 3 || !scopes[i].words[n]) && n < num) {
            taken = n;
            ref->scope = scopes[i].scope;
        }
    }
    memcpy(copy, words + taken, (num - taken) * sizeof(*copy));
    ref->names = copy;
    ref->num = num - taken;
    return ref;
}

static struct orma_ctf_ref *parse_ref(struct orma_ctf_parser *p)
{
    struct orma_ctf_words words = {0};
    struct orma_ctf_ref *ref = NULL;

    if (orma_ctf_parser_dotted(p, &words))
        ref = orma_ctf_parser_ref(p, words.data, words.len);
    ORMA_VEC_FINI(&words);
    return ref;
}

/* ---- integers, floats, texts ---- */

static bool truth(struct orma_ctf_parser *p)
{
    bool ret;

    if (p->token.type == ORMA_CTF_WORD) {
        ret = orma_ctf_parser_is(p, "true") || orma_ctf_parser_is(p, "TRUE");
        orma_ctf_parser_next(p);
        return ret;
    }
    uint64_t val = 0;
    (void)orma_ctf_parser_number(p, &val);
    return val;
}

static bool is_address_base(struct orma_str text)
{
    static const char *const names[] = {"hexadecimal", "hex", "x", "X", "p", "16"};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++)
        if (orma_str_eq_c(text, names[i]))
            return true;
    return false;
}

static void set_order(struct orma_ctf_parser *p, struct orma_ctf_type *t, struct orma_str text)
{
    if (orma_str_eq_c(text, "le"))
        t->order = ORMA_CTF_LITTLE;
    else if (orma_str_eq_c(text, "be") || orma_str_eq_c(text, "network"))
        t->order = ORMA_CTF_BIG;
    else if (!orma_str_eq_c(text, "native"))
        orma_ctf_parser_fail(p, "an unknown byte order");
}

static void set_align(struct orma_ctf_parser *p, struct orma_ctf_type *t, uint64_t align)
{
    if (!align || align > 1 << 20 || align & (align - 1))
        orma_ctf_parser_fail(p, "an alignment that is no power of two");
    else
        t->align = ORMA_MAX(t->align, (uint32_t)align);
}

struct number_attributes {
    uint64_t size, align, exp, mant;
    bool has_align;
};

static void map_clock(struct orma_ctf_parser *p, struct orma_ctf_type *t)
{
    struct orma_ctf_words words = {0};

    if (orma_ctf_parser_dotted(p, &words) && words.len == 3 &&
        orma_str_eq_c(words.data[0], "clock"))
        t->clock = words.data[1];
    ORMA_VEC_FINI(&words);
}

static void attribute(struct orma_ctf_parser *p, struct orma_ctf_type *t,
                      struct number_attributes *a)
{
    struct orma_str key, word;

    if (!orma_ctf_parser_name(p, &key) || !orma_ctf_parser_need(p, "="))
        return;
    if (orma_str_eq_c(key, "size")) {
        (void)orma_ctf_parser_number(p, &a->size);
    } else if (orma_str_eq_c(key, "align")) {
        a->has_align = orma_ctf_parser_number(p, &a->align);
    } else if (orma_str_eq_c(key, "exp_dig")) {
        (void)orma_ctf_parser_number(p, &a->exp);
    } else if (orma_str_eq_c(key, "mant_dig")) {
        (void)orma_ctf_parser_number(p, &a->mant);
    } else if (orma_str_eq_c(key, "signed")) {
        t->is_signed = truth(p);
    } else if (orma_str_eq_c(key, "byte_order")) {
        if (orma_ctf_parser_name(p, &word))
            set_order(p, t, word);
    } else if (orma_str_eq_c(key, "encoding")) {
        if (orma_ctf_parser_name(p, &word) && !orma_str_eq_c(word, "none") &&
            !orma_str_eq_c(word, "NONE"))
            t->encoding = ORMA_CTF_UTF8;
    } else if (orma_str_eq_c(key, "base")) {
        t->is_address = is_address_base(p->token.text);
        orma_ctf_parser_next(p);
    } else if (orma_str_eq_c(key, "map")) {
        map_clock(p, t);
    } else {
        while (!orma_ctf_parser_is(p, ";") && p->token.type != ORMA_CTF_END)
            orma_ctf_parser_next(p); /* a later version's */
    }
}

static void attributes(struct orma_ctf_parser *p, struct orma_ctf_type *t,
                       struct number_attributes *a)
{
    if (!orma_ctf_parser_need(p, "{"))
        return;
    while (!orma_ctf_parser_failed(p) && !orma_ctf_parser_is(p, "}")) {
        attribute(p, t, a);
        if (!orma_ctf_parser_is(p, "}"))
            (void)orma_ctf_parser_need(p, ";");
    }
    (void)orma_ctf_parser_need(p, "}");
}

static struct orma_ctf_type *integer(struct orma_ctf_parser *p)
{
    struct orma_ctf_type *t = new_type(p, ORMA_CTF_INTEGER);
    struct number_attributes a = {0};

    if (!t)
        return NULL;
    attributes(p, t, &a);
    if (!orma_ctf_parser_failed(p) && (!a.size || a.size > 64))
        orma_ctf_parser_fail(p, "an integer of no, or of more than 64 bits");
    t->bits = (uint32_t)a.size;
    set_align(p, t, a.has_align ? a.align : a.size % 8 ? 1 : 8);
    return t;
}

static struct orma_ctf_type *floating(struct orma_ctf_parser *p)
{
    struct orma_ctf_type *t = new_type(p, ORMA_CTF_FLOAT);
    struct number_attributes a = {0};

    if (!t)
        return NULL;
    attributes(p, t, &a);
    if (!orma_ctf_parser_failed(p) &&
        !((a.exp == 8 && a.mant == 24) || (a.exp == 11 && a.mant == 53) ||
          (a.exp == 5 && a.mant == 11)))
        orma_ctf_parser_fail(p, "a floating-point number that has neither 32 nor 64 bits");
    t->bits = (uint32_t)(a.exp + a.mant);
    set_align(p, t, a.has_align ? a.align : 8);
    return t;
}

static struct orma_ctf_type *string(struct orma_ctf_parser *p)
{
    struct orma_ctf_type *t = new_type(p, ORMA_CTF_STRING);
    struct number_attributes a = {0};

    if (!t)
        return NULL;
    if (orma_ctf_parser_is(p, "{"))
        attributes(p, t, &a);
    t->align = 8;
    t->encoding = ORMA_CTF_UTF8;
    return t;
}

/* ---- enums ---- */

static void enumerators(struct orma_ctf_parser *p, struct orma_ctf_type *t)
{
    ORMA_VEC(struct orma_ctf_label) labels = {0};
    uint64_t next = 0;

    while (!orma_ctf_parser_failed(p) && !orma_ctf_parser_is(p, "}")) {
        struct orma_ctf_label label = {.range = {next, next}};

        if (!orma_ctf_parser_name(p, &label.name))
            break;
        if (orma_ctf_parser_take(p, "=")) {
            if (!orma_ctf_parser_number(p, &label.range.from))
                break;
            label.range.to = label.range.from;
            if (orma_ctf_parser_take(p, "..."))
                (void)orma_ctf_parser_number(p, &label.range.to);
        }
        next = label.range.to + 1;
        if (ORMA_VEC_PUSH(&labels, label))
            orma_ctf_no_memory(p->self);
        if (!orma_ctf_parser_take(p, ","))
            break;
    }
    if (orma_ctf_parser_need(p, "}") &&
        (t->labels = orma_ctf_alloc(p->self, (labels.len + (size_t)1) * sizeof(*t->labels)))) {
        if (labels.len)
            memcpy(t->labels, labels.data, labels.len * sizeof(*t->labels));
        t->labels_num = labels.len;
    }
    ORMA_VEC_FINI(&labels);
}

static struct orma_ctf_type *enumeration(struct orma_ctf_parser *p)
{
    struct orma_ctf_type *of = NULL, *t;
    struct orma_str name = {NULL, 0};

    if (p->token.type == ORMA_CTF_WORD)
        (void)orma_ctf_parser_name(p, &name);
    if (name.data && !orma_ctf_parser_is(p, ":") && !orma_ctf_parser_is(p, "{")) {
        if (!(t = look_up(p, ENUM, name)))
            orma_ctf_parser_fail(p, "an enum that is not declared");
        return t;
    }
    if (orma_ctf_parser_take(p, ":"))
        of = orma_ctf_parser_type(p);
    else if (!(of = look_up(p, ALIAS, ORMA_STR("int"))))
        orma_ctf_parser_fail(p, "an enum without the type of its numbers");
    if (!of || orma_ctf_parser_failed(p))
        return NULL;
    if (of->kind != ORMA_CTF_INTEGER || !(t = new_type(p, ORMA_CTF_INTEGER))) {
        orma_ctf_parser_fail(p, "an enum whose numbers are no integers");
        return NULL;
    }
    *t = *of;
    t->labels = NULL;
    if (orma_ctf_parser_need(p, "{"))
        enumerators(p, t);
    if (name.data)
        define(p, ENUM, name, t);
    return t;
}

/* ---- structs and variants ---- */

ORMA_VEC_STRUCT(members, struct orma_ctf_member);

static struct orma_ctf_type *array_of(struct orma_ctf_parser *p, struct orma_ctf_type *elem,
                                      uint64_t length, struct orma_ctf_ref *ref)
{
    struct orma_ctf_type *t = new_type(p, ORMA_CTF_ARRAY);

    if (!t)
        return NULL;
    if (length > UINT32_MAX)
        orma_ctf_parser_fail(p, "an array of too many elements");
    t->elem = elem;
    t->length = (uint32_t)length;
    t->ref = ref;
    t->align = elem->align;
    if (elem->kind == ORMA_CTF_INTEGER && elem->bits == 8 && elem->encoding && elem->align == 8)
        t->kind = ORMA_CTF_TEXT, t->encoding = ORMA_CTF_UTF8;
    return t;
}

#define DIMENSIONS_MAX 8

/* "[2][n]": the last one is the innermost. */
static struct orma_ctf_type *dimensions(struct orma_ctf_parser *p, struct orma_ctf_type *elem)
{
    struct {
        uint64_t length;
        struct orma_ctf_ref *ref;
    } list[DIMENSIONS_MAX];
    unsigned num = 0;

    while (!orma_ctf_parser_failed(p) && orma_ctf_parser_take(p, "[")) {
        if (num == DIMENSIONS_MAX) {
            orma_ctf_parser_fail(p, "an array of too many dimensions");
            return NULL;
        }
        list[num].length = 0;
        list[num].ref = NULL;
        if (p->token.type == ORMA_CTF_NUMBER)
            (void)orma_ctf_parser_number(p, &list[num].length);
        else
            list[num].ref = parse_ref(p);
        num++;
        (void)orma_ctf_parser_need(p, "]");
    }
    while (num-- && elem && !orma_ctf_parser_failed(p))
        elem = array_of(p, elem, list[num].length, list[num].ref);
    return elem;
}

/* "name[5]", "name : 3" */
static bool declarator(struct orma_ctf_parser *p, struct orma_ctf_type *type,
                       struct orma_ctf_member *ret)
{
    uint64_t bits;

    while (orma_ctf_parser_take(p, "*") || orma_ctf_parser_take(p, "const"))
        ;
    *ret = (struct orma_ctf_member){.type = type};
    if (!orma_ctf_parser_name(p, &ret->name))
        return false;
    if (orma_ctf_parser_take(p, ":")) {
        if (!orma_ctf_parser_number(p, &bits))
            return false;
        if (type->kind != ORMA_CTF_INTEGER || !bits || bits > type->bits ||
            !(ret->type = new_type(p, ORMA_CTF_INTEGER))) {
            orma_ctf_parser_fail(p, "a bit field of the wrong size");
            return false;
        }
        *ret->type = *type;
        ret->type->bits = (uint32_t)bits;
        ret->type->align = 1;
        return true;
    }
    ret->type = dimensions(p, type);
    return ret->type && !orma_ctf_parser_failed(p);
}

static void read_members(struct orma_ctf_parser *p, struct members *ret)
{
    while (!orma_ctf_parser_failed(p) && !orma_ctf_parser_is(p, "}")) {
        struct orma_ctf_member m;

        if (orma_ctf_parser_take(p, ";") || orma_ctf_parser_declares(p))
            continue;
        struct orma_ctf_type *type = orma_ctf_parser_type(p);
        if (!type || orma_ctf_parser_take(p, ";"))
            continue; /* a struct with a name, of which there is no field */
        do {
            if (!declarator(p, type, &m))
                return;
            if (ORMA_VEC_PUSH(ret, m))
                orma_ctf_no_memory(p->self);
        } while (orma_ctf_parser_take(p, ","));
        (void)orma_ctf_parser_need(p, ";");
    }
}

static void body(struct orma_ctf_parser *p, struct orma_ctf_type *t)
{
    struct members list = {0};

    if (p->depth >= ORMA_CTF_DEPTH_MAX) {
        orma_ctf_parser_fail(p, "types that are nested too deep");
        return;
    }
    p->depth++;
    orma_ctf_parser_open(p);
    read_members(p, &list);
    orma_ctf_parser_close(p);
    p->depth--;
    (void)orma_ctf_parser_need(p, "}");
    t->members = orma_ctf_alloc(p->self, (list.len + (size_t)1) * sizeof(*t->members));
    if (t->members && list.len) {
        memcpy(t->members, list.data, list.len * sizeof(*t->members));
        t->members_num = list.len;
    }
    ORMA_VEC_FINI(&list);
}

static void struct_align(struct orma_ctf_parser *p, struct orma_ctf_type *t)
{
    uint64_t align;

    for (uint32_t i = 0; t->kind == ORMA_CTF_STRUCT && i < t->members_num; i++)
        if (t->members[i].type->kind != ORMA_CTF_VARIANT)
            t->align = ORMA_MAX(t->align, t->members[i].type->align);
    if (t->kind == ORMA_CTF_STRUCT && orma_ctf_parser_take(p, "align")) {
        if (orma_ctf_parser_need(p, "(") && orma_ctf_parser_number(p, &align))
            set_align(p, t, align);
        (void)orma_ctf_parser_need(p, ")");
    }
}

static struct orma_ctf_type *compound(struct orma_ctf_parser *p, enum orma_ctf_kind kind)
{
    const unsigned names = kind == ORMA_CTF_STRUCT ? STRUCT : VARIANT;
    struct orma_ctf_type *t = NULL, *known = NULL;
    struct orma_ctf_ref *ref = NULL;
    struct orma_str name = {NULL, 0};

    if (p->token.type == ORMA_CTF_WORD && !orma_ctf_parser_is(p, "align"))
        (void)orma_ctf_parser_name(p, &name);
    if (kind == ORMA_CTF_VARIANT && orma_ctf_parser_take(p, "<")) {
        ref = parse_ref(p);
        (void)orma_ctf_parser_need(p, ">");
    }
    if (orma_ctf_parser_failed(p))
        return NULL;
    if (!orma_ctf_parser_is(p, "{")) {
        known = name.data ? look_up(p, names, name) : NULL;
        if (!known) {
            orma_ctf_parser_fail(p, "a struct or variant that is not declared");
            return NULL;
        }
        if (!ref)
            return known;
    }
    if (!(t = new_type(p, kind)))
        return NULL;
    if (known) {
        *t = *known;
    } else {
        orma_ctf_parser_next(p);
        body(p, t);
        struct_align(p, t);
    }
    if (ref)
        t->ref = ref;
    if (name.data && !known)
        define(p, names, name, t);
    return t;
}

/* ---- all ---- */

/* Words of a name: of those before a declarator all but the last. Which they are is told by what
 * follows: the parser looks one token ahead, so it stands before the last one then. */
static struct orma_ctf_type *named(struct orma_ctf_parser *p)
{
    struct orma_buf name = {0};
    struct orma_ctf_type *t = NULL, *longest = NULL;
    struct orma_ctf_parser at_longest = *p;

    while (p->token.type == ORMA_CTF_WORD) {
        if (orma_ctf_parser_is(p, "const")) {
            orma_ctf_parser_next(p);
            continue;
        }
        if (name.len)
            orma_buf_put_byte(&name, ' ');
        orma_buf_put(&name, p->token.text.data, p->token.text.len);
        orma_ctf_parser_next(p);
        if (name.len > 200)
            break;
        if ((t = look_up(p, ALIAS, orma_buf_str(&name)))) {
            longest = t;
            at_longest.at = p->at;
            at_longest.line = p->line;
            at_longest.token = p->token;
        }
    }
    if (longest) {
        p->at = at_longest.at;
        p->line = at_longest.line;
        p->token = at_longest.token;
    } else {
        orma_ctf_parser_fail(p, "a type that is not declared");
    }
    orma_buf_fini(&name);
    return longest;
}

struct orma_ctf_type *orma_ctf_parser_type(struct orma_ctf_parser *p)
{
    struct orma_ctf_type *t;

    if (p->depth >= ORMA_CTF_DEPTH_MAX) {
        orma_ctf_parser_fail(p, "types that are nested too deep");
        return NULL;
    }
    while (orma_ctf_parser_take(p, "const"))
        ;
    p->depth++;
    if (orma_ctf_parser_take(p, "integer"))
        t = integer(p);
    else if (orma_ctf_parser_take(p, "floating_point"))
        t = floating(p);
    else if (orma_ctf_parser_take(p, "string"))
        t = string(p);
    else if (orma_ctf_parser_take(p, "enum"))
        t = enumeration(p);
    else if (orma_ctf_parser_take(p, "struct"))
        t = compound(p, ORMA_CTF_STRUCT);
    else if (orma_ctf_parser_take(p, "variant"))
        t = compound(p, ORMA_CTF_VARIANT);
    else
        t = named(p);
    p->depth--;
    return orma_ctf_parser_failed(p) ? NULL : t;
}

/* "typealias TYPE := unsigned long;" */
static void alias(struct orma_ctf_parser *p)
{
    struct orma_ctf_type *t = orma_ctf_parser_type(p);
    struct orma_buf name = {0};

    if (t && orma_ctf_parser_need(p, ":=")) {
        while (p->token.type == ORMA_CTF_WORD && name.len < 200) {
            if (name.len)
                orma_buf_put_byte(&name, ' ');
            orma_buf_put(&name, p->token.text.data, p->token.text.len);
            orma_ctf_parser_next(p);
        }
        if (name.len)
            define(p, ALIAS, orma_buf_str(&name), t);
        else
            orma_ctf_parser_fail(p, "no name");
        (void)orma_ctf_parser_need(p, ";");
    }
    orma_buf_fini(&name);
}

static void define_type(struct orma_ctf_parser *p)
{
    struct orma_ctf_type *t = orma_ctf_parser_type(p);
    struct orma_ctf_member m;

    while (t && declarator(p, t, &m)) {
        define(p, ALIAS, m.name, m.type);
        if (!orma_ctf_parser_take(p, ","))
            break;
    }
    if (!orma_ctf_parser_failed(p))
        (void)orma_ctf_parser_need(p, ";");
}

bool orma_ctf_parser_declares(struct orma_ctf_parser *p)
{
    if (orma_ctf_parser_take(p, "typealias"))
        alias(p);
    else if (orma_ctf_parser_take(p, "typedef"))
        define_type(p);
    else
        return false;
    return true;
}
