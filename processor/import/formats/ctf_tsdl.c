/* Metadata of CTF 1.8: blocks. They may stand in any order, so nothing is looked up between them.
 */
#include "processor/import/formats/ctf_tsdl.h"

/* "packet.header" of words. */
static bool words_are(const struct orma_ctf_words *words, const char *text)
{
    struct orma_str rest = orma_str_from(text), part;
    uint32_t i = 0;

    while (rest.len && orma_str_cut(&rest, '.', &part))
        if (i == words->len || !orma_str_eq(words->data[i++], part))
            return false;
    return i == words->len;
}

/* What stands at the right of "=". */
struct setting {
    struct orma_ctf_words key;
    struct orma_str text; /* data NULL: a number */
    uint64_t number;
    struct orma_ctf_type *type; /* of ":=" */
};

static struct orma_str last_word(const struct setting *s)
{
    return s->key.data[s->key.len - 1];
}

static bool is_true(const struct setting *s)
{
    return s->text.data ? orma_str_eq_c(s->text, "true") || orma_str_eq_c(s->text, "TRUE")
                        : s->number != 0;
}

static bool read_value(struct orma_ctf_parser *p, struct setting *s)
{
    s->text = (struct orma_str){NULL, 0};
    s->number = 0;
    if (p->token.type == ORMA_CTF_QUOTED) {
        if (!orma_ctf_parser_name(p, &s->text))
            return false;
        if (!s->text.data)
            s->text = ORMA_STR("");
        while (p->token.type == ORMA_CTF_QUOTED) /* further parts of a text */
            orma_ctf_parser_next(p);
        return true;
    }
    if (p->token.type == ORMA_CTF_WORD) {
        struct orma_ctf_words words = {0};
        const bool good = orma_ctf_parser_dotted(p, &words);

        if (good)
            s->text = words.data[words.len - 1];
        ORMA_VEC_FINI(&words);
        return good;
    }
    return orma_ctf_parser_number(p, &s->number);
}

/* The next one in a block. False: there is none. */
static bool next_setting(struct orma_ctf_parser *p, struct setting *ret)
{
    while (!orma_ctf_parser_failed(p)) {
        if (orma_ctf_parser_take(p, ";"))
            continue;
        if (orma_ctf_parser_take(p, "}") || p->token.type == ORMA_CTF_END)
            return false;
        if (orma_ctf_parser_declares(p))
            continue;
        if (orma_ctf_parser_is(p, "struct") || orma_ctf_parser_is(p, "variant") ||
            orma_ctf_parser_is(p, "enum") || orma_ctf_parser_is(p, "integer")) {
            (void)orma_ctf_parser_type(p);
            continue;
        }
        if (!orma_ctf_parser_dotted(p, &ret->key))
            return false;
        ret->type = NULL;
        if (orma_ctf_parser_take(p, ":="))
            ret->type = orma_ctf_parser_type(p);
        else if (!orma_ctf_parser_need(p, "=") || !read_value(p, ret))
            return false;
        return !orma_ctf_parser_failed(p) && orma_ctf_parser_need(p, ";");
    }
    return false;
}

static void begin_block(struct orma_ctf_parser *p)
{
    (void)orma_ctf_parser_need(p, "{");
    orma_ctf_parser_open(p);
}

static void end_block(struct orma_ctf_parser *p, struct setting *s)
{
    orma_ctf_parser_close(p);
    (void)orma_ctf_parser_take(p, ";");
    ORMA_VEC_FINI(&s->key);
}

/* Only structs hold what is looked up by name. */
static struct orma_ctf_type *root(struct orma_ctf_parser *p, const struct setting *s)
{
    if (s->type && s->type->kind != ORMA_CTF_STRUCT) {
        orma_ctf_parser_fail(p, "a header, context or list of fields that is no struct");
        return NULL;
    }
    return s->type;
}

static void trace_block(struct orma_ctf_parser *p)
{
    struct orma_ctf *self = p->self;
    struct setting s = {0};

    begin_block(p);
    while (next_setting(p, &s)) {
        if (words_are(&s.key, "major"))
            self->major = (unsigned)s.number;
        else if (words_are(&s.key, "minor"))
            self->minor = (unsigned)s.number;
        else if (words_are(&s.key, "uuid"))
            self->uuid = s.text;
        else if (words_are(&s.key, "byte_order"))
            self->big = orma_str_eq_c(s.text, "be") || orma_str_eq_c(s.text, "network");
        else if (words_are(&s.key, "packet.header"))
            self->packet_header = root(p, &s);
    }
    end_block(p, &s);
}

static void env_block(struct orma_ctf_parser *p)
{
    struct setting s = {0};

    begin_block(p);
    while (next_setting(p, &s)) {
        const struct orma_ctf_env env = {last_word(&s), s.text, (int64_t)s.number};

        if (ORMA_VEC_PUSH(&p->self->env, env))
            orma_ctf_no_memory(p->self);
    }
    end_block(p, &s);
}

static void clock_block(struct orma_ctf_parser *p)
{
    struct orma_ctf_clock clock = {.freq = 1000000000};
    struct setting s = {0};

    begin_block(p);
    while (next_setting(p, &s)) {
        if (words_are(&s.key, "name"))
            clock.name = s.text;
        else if (words_are(&s.key, "description"))
            clock.description = s.text;
        else if (words_are(&s.key, "uuid"))
            clock.uuid = s.text;
        else if (words_are(&s.key, "freq"))
            clock.freq = s.number;
        else if (words_are(&s.key, "offset_s"))
            clock.offset_s = (int64_t)s.number;
        else if (words_are(&s.key, "offset"))
            clock.offset = (int64_t)s.number;
        else if (words_are(&s.key, "absolute"))
            clock.absolute = is_true(&s);
    }
    if (!clock.freq)
        orma_ctf_parser_fail(p, "a clock of no frequency");
    if (ORMA_VEC_PUSH(&p->self->clocks, clock))
        orma_ctf_no_memory(p->self);
    end_block(p, &s);
}

static void stream_block(struct orma_ctf_parser *p)
{
    struct orma_ctf_stream_class c = {.clock_idx = ORMA_CTF_NOTHING};
    struct setting s = {0};

    begin_block(p);
    while (next_setting(p, &s)) {
        if (words_are(&s.key, "id")) {
            c.id = s.number;
            c.has_id = true;
        } else if (words_are(&s.key, "event.header")) {
            c.header = root(p, &s);
        } else if (words_are(&s.key, "event.context")) {
            c.context = root(p, &s);
        } else if (words_are(&s.key, "packet.context")) {
            c.packet_context = root(p, &s);
        }
    }
    /* More of them are refused when all are known. */
    for (uint32_t i = 0; i < ORMA_MIN(p->self->classes.len, ORMA_CTF_CLASSES_MAX); i++)
        if (p->self->classes.data[i].id == c.id)
            orma_ctf_parser_fail(p, "two streams of one id");
    if (ORMA_VEC_PUSH(&p->self->classes, c))
        orma_ctf_no_memory(p->self);
    end_block(p, &s);
}

static void event_block(struct orma_ctf_parser *p)
{
    struct orma_ctf_event e = {.loglevel = -1};
    struct setting s = {0};

    begin_block(p);
    while (next_setting(p, &s)) {
        if (words_are(&s.key, "id")) {
            e.id = s.number;
            e.has_id = true;
        } else if (words_are(&s.key, "name")) {
            e.name = s.text;
        } else if (words_are(&s.key, "stream_id")) {
            e.stream_id = s.number;
            e.has_stream = true;
        } else if (words_are(&s.key, "loglevel")) {
            e.loglevel = (int64_t)s.number;
        } else if (words_are(&s.key, "model.emf.uri")) {
            e.emf_uri = s.text;
        } else if (words_are(&s.key, "context")) {
            e.context = root(p, &s);
        } else if (words_are(&s.key, "fields")) {
            e.fields = root(p, &s);
        }
    }
    if (ORMA_VEC_PUSH(&p->self->events, e))
        orma_ctf_no_memory(p->self);
    end_block(p, &s);
}

static void skip_block(struct orma_ctf_parser *p)
{
    struct setting s = {0};

    begin_block(p);
    while (next_setting(p, &s))
        ;
    end_block(p, &s);
}

static void read_block(struct orma_ctf_parser *p)
{
    if (orma_ctf_parser_take(p, "trace"))
        trace_block(p);
    else if (orma_ctf_parser_take(p, "env"))
        env_block(p);
    else if (orma_ctf_parser_take(p, "clock"))
        clock_block(p);
    else if (orma_ctf_parser_take(p, "stream"))
        stream_block(p);
    else if (orma_ctf_parser_take(p, "event"))
        event_block(p);
    else if (orma_ctf_parser_take(p, "callsite"))
        skip_block(p);
    else if (!orma_ctf_parser_declares(p))
        (void)orma_ctf_parser_type(p); /* one with a name */
}

bool orma_ctf_read_tsdl(struct orma_ctf *self)
{
    struct orma_ctf_parser p = {
        .self = self, .at = self->text.data, .end = self->text.data + self->text.len, .line = 1};

    orma_ctf_parser_open(&p);
    orma_ctf_parser_next(&p);
    while (!orma_ctf_parser_failed(&p) && p.token.type != ORMA_CTF_END)
        if (!orma_ctf_parser_take(&p, ";"))
            read_block(&p);
    if (!orma_ctf_parser_failed(&p) && (self->major || self->minor) &&
        (self->major != 1 || self->minor != 8))
        orma_ctf_fail(self, 0, "version %u.%u, which cannot be read (1.8 and 2 can)", self->major,
                      self->minor);
    orma_map_fini(&p.names);
    ORMA_VEC_FINI(&p.scopes);
    return !orma_ctf_parser_failed(&p);
}
