/*
 * Random programs of the C interface, and what must be in the trace: each packet is written by the
 * calls of the interface and, beside it, as what a reader must find. Both are compared.
 *
 *   random inproc|system SEED ROUNDS
 *
 * Three kinds: packets of a data source and heap buffers (messages in messages, of any sizes, so
 * that chunks end anywhere), events of the high level (any extras, in any order, on any tracks),
 * and of the low level. Numbers of interned texts are looked up as readers do it.
 */
#include <stdio.h>

#include "sdk/base/buf.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "tests/integration/cabi/session.h"

/* Numbers of fields say what they are: numbers, bytes, messages. */
#define BYTES_FROM 100u
#define MESSAGES_FROM 200u
#define DEPTH 9
#define TESTING 900u
#define BATCH (192u << 10) /* fewer than the shared memory holds: nothing may be dropped */

static unsigned seed;
static struct cat cats[] = {CAT("one", "", NULL, 0), CAT("two", "", NULL, 0),
                            CAT("three", "", NULL, 0)};
static struct source ds = {&perfetto_atomic_false, NULL};
static struct orma_buf wanted;        /* texts, each ended by 0 */
static size_t wanted_at, since_flush; /* how far the reader has come */
static int failures, packets;

static unsigned any(unsigned below)
{
    return (unsigned)rand_r(&seed) % below;
}

static uint64_t number(void)
{
    return ((uint64_t)rand_r(&seed) << 40 ^ (uint64_t)rand_r(&seed) << 20 ^
            (uint64_t)rand_r(&seed)) >>
           any(64);
}

static size_t length(void)
{
    static const unsigned around[] = {0, 1, 100, 127, 4060, 4076, 4090, 8150};

    return any(8) ? any(60) : around[any(8)] + any(24);
}

/* ---- messages ---- */

/* As the headers append a single byte. */
static void put_byte(struct message *m, uint8_t byte)
{
    if (!room(m->cursor)) {
        let_go(m);
        PerfettoStreamWriterNewChunk(m->cursor);
    }
    *m->cursor->at++ = byte;
    m->size++;
}

static void random_message(struct message *m, struct orma_buf *want, int depth)
{
    static uint8_t bytes[16384];

    for (unsigned n = any(7); n; n--) {
        uint32_t field = 1 + any(99);
        size_t len = length(), at;

        switch (any(depth < DEPTH ? 5 : 3)) {
        case 0:
            at = (size_t)number();
            put_int(m, field, at);
            orma_pb_put_u64(want, field, at);
            break;
        case 1:
            memset(bytes, (int)any(256), len);
            put_data(m, BYTES_FROM + field, bytes, len);
            orma_pb_put_bytes(want, BYTES_FROM + field, bytes, len);
            break;
        case 2: /* byte by byte */
            field = 1 + any(15);
            put_byte(m, (uint8_t)(field << 3));
            put_byte(m, 5);
            orma_pb_put_u64(want, field, 5);
            break;
        default: {
            struct message inner = open_message(m, MESSAGES_FROM + field);

            at = orma_pb_begin(want, MESSAGES_FROM + field);
            random_message(&inner, want, depth + 1);
            close_message(&inner);
            orma_pb_end(want, at);
        }
        }
    }
}

/* Sizes as short as they can be. */
static void rewrite(struct orma_buf *out, struct orma_pb_reader r)
{
    struct orma_pb_field f;
    size_t at;

    while (orma_pb_next(&r, &f)) {
        if (f.wire == ORMA_PB_VARINT) {
            orma_pb_put_u64(out, f.id, orma_pb_u64(&f));
        } else if (f.id < MESSAGES_FROM) {
            orma_pb_put_bytes(out, f.id, f.data, f.len);
        } else {
            at = orma_pb_begin(out, f.id);
            rewrite(out, orma_pb_sub(&f));
            orma_pb_end(out, at);
        }
    }
    failures += r.failed;
}

/* ---- what is expected ---- */

static void expect(const struct orma_buf *text)
{
    uint32_t len = (uint32_t)text->len;

    orma_buf_put(&wanted, &len, sizeof(len));
    orma_buf_put(&wanted, text->data, len);
    since_flush += len + 64;
    packets++;
}

static void compare(const struct orma_buf *got)
{
    uint32_t len;

    if (wanted.len - wanted_at < sizeof(len)) {
        failures++;
        fprintf(stderr, "a packet too many\n");
        return;
    }
    memcpy(&len, wanted.data + wanted_at, sizeof(len));
    const uint8_t *want = wanted.data + wanted_at + sizeof(len);
    wanted_at += sizeof(len) + len;
    if (got->len == len && !memcmp(got->data, want, len))
        return;
    if (failures++ < 3 && len < 2000)
        fprintf(stderr, "wanted %.*s\ngot    %.*s\n", (int)len, want, (int)got->len, got->data);
    else if (failures < 3)
        fprintf(stderr, "wanted %u bytes, got %zu\n", len, got->len);
}

/* ---- packets and heap buffers ---- */

static void put_packet(void)
{
    static struct orma_buf want;

    EACH_INSTANCE(ds, it)
    {
        struct cursor c = PerfettoDsTracerImplPacketBegin(it.tracer);
        struct message m = {.cursor = &c}, t = open_message(&m, TESTING);

        orma_buf_clear(&want);
        random_message(&t, &want, 0);
        close_message(&t);
        PerfettoDsTracerImplPacketEnd(it.tracer, &c);
        expect(&want);
        if (!any(50))
            PerfettoDsTracerImplFlush(it.tracer, NULL, NULL);
    }
}

static void fill_heap(void)
{
    struct orma_buf want = {0}, got = {0};
    struct cursor c;
    size_t len, earlier;
    void *heap = PerfettoHeapBufferCreate(&c);
    struct message m = {.cursor = &c};

    random_message(&m, &want, 0);
    earlier = c.earlier + (size_t)(c.at - c.begin);
    uint8_t *part = malloc(earlier + 1);
    PerfettoHeapBufferCopyInto(heap, &c, part, earlier / 2); /* more may follow */
    random_message(&m, &want, 0);
    uint8_t *all = take_heap(heap, &c, &len);
    rewrite(&got, orma_pb_reader(all, len));
    if (got.len != want.len || memcmp(got.data, want.data, want.len) != 0 ||
        memcmp(all, part, earlier / 2) != 0) {
        failures++;
        fprintf(stderr, "a heap buffer of %zu bytes is not what was written\n", len);
    }
    free(all);
    free(part);
    orma_buf_fini(&want);
    orma_buf_fini(&got);
}

/* ---- events ---- */

static const char *const names[] = {"a", "b", "", "another name",
                                    "a name that is longer than fifty-two characters, as some are"};

static const char *any_name(void)
{
    static char made[24];

    if (any(4))
        return names[any(5)];
    snprintf(made, sizeof(made), "made %u", any(200)); /* other texts at the same address */
    return made;
}

struct extras {
    const void *list[16];
    union {
        struct x_arg arg;
        struct x_u64 u64;
        struct x_double real;
        struct x_ptr ptr;
        struct x_named named;
        struct x_word word;
    } of[15];
    struct f_u64 field;
    struct f_ptr inner;
    const void *fields[3], *inners[2];
    char texts[15][24];
    unsigned num;
};

/* What follows the name: in the order of kinds, then of the program. */
struct parts {
    struct orma_buf args, flows, ends, ids, fields;
};

static void add_arg(struct extras *x, struct parts *p, uint32_t type)
{
    const char *name = any(8) ? names[any(5)] : NULL;
    uint64_t val = number();
    struct x_arg arg = {.type = type, .name = name, .num = val};

    orma_buf_printf(&p->args, " (%s", name ? name : "-");
    switch (type) {
    case 7:
        arg.boolean = val & 1;
        orma_buf_printf(&p->args, " 2:%d)", arg.boolean);
        break;
    case 10:
        arg.real = (double)(int64_t)val / 3;
        orma_buf_printf(&p->args, " 5:%.17g)", arg.real);
        break;
    case 11:
        snprintf(x->texts[x->num], sizeof(x->texts[0]), "%.*s", (int)any(20),
                 "a text of any length");
        arg.text = x->texts[x->num];
        orma_buf_printf(&p->args, " 6:%s)", arg.text);
        break;
    default:
        orma_buf_printf(&p->args, " %u:%llu)",
                        type == 8   ? 3
                        : type == 9 ? 4
                                    : 7,
                        (unsigned long long)val);
    }
    x->of[x->num].arg = arg;
}

static void add_extra(struct extras *x, struct parts *p, bool *literal, uint64_t *track)
{
    uint32_t kind = any(10);
    uint64_t val = number();

    if (kind < 6) {
        add_arg(x, p, 7 + kind);
    } else if (kind == 6) {
        uint32_t type = 13 + any(2);
        x->of[x->num].u64 = (struct x_u64){type, val};
        orma_buf_printf(type == 13 ? &p->flows : &p->ends, " %s%llu", type == 13 ? ">" : "x",
                        (unsigned long long)val);
    } else if (kind == 7) {
        const char *name = names[any(5)];
        x->of[x->num].named = (struct x_named){2, name, val % 7, val % 3, val & 1};
        *track = (val % 3) ^ fnv(name) ^ (val % 7);
    } else if (kind == 8 && !*literal) {
        x->of[x->num].word = (struct x_word){16};
        *literal = true;
    } else if (kind == 9 && !p->fields.len) {
        x->field = (struct f_u64){3, 2000, val};
        x->inner = (struct f_ptr){2, 2001, x->inners, 0};
        x->inners[0] = &x->field;
        x->fields[0] = &x->field;
        x->fields[1] = &x->inner;
        x->of[x->num].ptr = (struct x_ptr){17, x->fields};
        orma_buf_printf(&p->fields, " {%llu}{%llu}", (unsigned long long)val,
                        (unsigned long long)val);
    } else {
        return;
    }
    x->list[x->num] = &x->of[x->num];
    x->num++;
}

static void put_event(void)
{
    static struct orma_buf want;
    struct extras x = {0};
    struct parts p = {0};
    struct cat *c = &cats[any(3)];
    uint32_t type = 1 + any(5);
    const char *name = type == SLICE_END || type == COUNTER || !any(9) ? NULL : any_name();
    uint64_t track = 0, val = number();
    bool literal = false;

    for (unsigned n = any(9); n; n--)
        add_extra(&x, &p, &literal, &track);
    if (type == COUNTER) {
        x.of[x.num].u64 = (struct x_u64){5, val};
        x.list[x.num] = &x.of[x.num];
    }
    orma_buf_clear(&want);
    orma_buf_printf(&want, "%u", type);
    if (type != SLICE_END && type != COUNTER)
        orma_buf_printf(&want, " [%s]", c->text.name);
    if (name)
        orma_buf_printf(&want, " %s%s", literal ? "=" : "", name);
    if (track)
        orma_buf_printf(&want, " @%llu", (unsigned long long)track);
    if (type == COUNTER)
        orma_buf_printf(&want, " #%llu", (unsigned long long)val);
    struct orma_buf *const parts[] = {&p.args, &p.flows, &p.ends, &p.ids, &p.fields};
    for (int i = 0; i < 5; i++) {
        if (parts[i]->len)
            orma_buf_put(&want, parts[i]->data, parts[i]->len);
        orma_buf_fini(parts[i]);
    }
    if (!is_on(c->enabled))
        return;
    PerfettoTeHlEmitImpl(c->impl, (int32_t)type, name, x.list);
    expect(&want);
}

/* As the headers write the text of the number when it is new. */
static uint64_t interned(struct message *m, struct message *data, bool *begun, void *incr,
                         int32_t type, const void *key, size_t len, uint64_t given,
                         const char *text)
{
    bool seen;
    uint64_t iid = PerfettoTeLlImplIntern(incr, type, key, len, &seen);

    if (seen)
        return given ? given : iid;
    if (!*begun)
        *data = open_message(m, 12);
    *begun = true;
    struct message entry = open_message(data, (uint32_t)type);
    put_int(&entry, 1, given ? given : iid);
    put_text(&entry, 2, text);
    close_message(&entry);
    return given ? given : iid;
}

static void put_low_event(void)
{
    static struct orma_buf want;
    struct cat *c = &cats[any(3)];
    const char *name = any_name();
    struct moment at = PerfettoTeGetTimestamp();

    if (!is_on(c->enabled))
        return;
    for (struct te_loop it = PerfettoTeLlImplBegin(c->impl, at); it.ds.tracer;
         PerfettoTeLlImplNext(c->impl, at, &it)) {
        struct cursor cur = PerfettoDsTracerImplPacketBegin(it.ds.tracer);
        struct message m = {.cursor = &cur}, data;
        bool begun = false;

        put_int(&m, 8, at.value);
        put_int(&m, 58, at.clock);
        put_int(&m, 13, 2);
        uint64_t cat_iid =
            interned(&m, &data, &begun, it.incr, 1, &c->iid, 8, c->iid, c->text.name);
        uint64_t iid = interned(&m, &data, &begun, it.incr, 2, name, strlen(name), 0, name);
        if (begun)
            close_message(&data);
        struct message e = open_message(&m, 11);
        put_int(&e, 9, INSTANT);
        put_int(&e, 3, cat_iid);
        put_int(&e, 10, iid);
        close_message(&e);
        PerfettoDsTracerImplPacketEnd(it.ds.tracer, &cur);
        orma_buf_clear(&want);
        orma_buf_printf(&want, "3 [%s] %s", c->text.name, name);
        expect(&want);
    }
}

/* ---- the reader ---- */

static char texts[4][4096][64]; /* by kind and number: categories, names, names of args */

static const char *text_of(uint32_t kind, uint64_t iid)
{
    return iid < 4096 ? texts[kind][iid] : "?";
}

static void learn(struct orma_pb_reader r)
{
    struct orma_pb_field f, in;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader entry = orma_pb_sub(&f);
        struct orma_str text = {"", 0};
        uint64_t iid = 0;

        while (orma_pb_next(&entry, &in)) {
            if (in.id == 1)
                iid = orma_pb_u64(&in);
            else if (in.id == 2)
                text = orma_pb_str(&in);
        }
        if (f.id < 4 && iid < 4096)
            snprintf(texts[f.id][iid], sizeof(texts[0][0]), "%.*s", (int)text.len, text.data);
    }
}

static void show_arg(struct orma_buf *out, struct orma_pb_reader r)
{
    struct orma_buf val = {0};
    const char *name = "-";
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == 1)
            name = text_of(3, orma_pb_u64(&f));
        else if (f.id == 5)
            orma_buf_printf(&val, " 5:%.17g", orma_pb_double(&f));
        else if (f.id == 6)
            orma_buf_printf(&val, " 6:%.*s", (int)f.len, f.data);
        else
            orma_buf_printf(&val, " %u:%llu", f.id, (unsigned long long)orma_pb_u64(&f));
    }
    orma_buf_printf(out, " (%s%.*s)", name, (int)val.len, val.data ? (char *)val.data : "");
    orma_buf_fini(&val);
}

/* In the order of the bytes. */
static void show_event(struct orma_buf *out, struct orma_pb_reader r)
{
    struct orma_pb_field f, in;

    while (orma_pb_next(&r, &f)) {
        unsigned long long val = f.wire == ORMA_PB_LEN ? 0 : (unsigned long long)orma_pb_u64(&f);

        switch (f.id) {
        case 9:
            orma_buf_printf(out, "%llu", val);
            break;
        case 3:
            orma_buf_printf(out, " [%s]", text_of(1, val));
            break;
        case 10:
            orma_buf_printf(out, " %s", text_of(2, val));
            break;
        case 23:
            orma_buf_printf(out, " =%.*s", (int)f.len, f.data);
            break;
        case 11:
            orma_buf_printf(out, " @%llu", val);
            break;
        case 30:
            orma_buf_printf(out, " #%llu", val);
            break;
        case 4:
            show_arg(out, orma_pb_sub(&f));
            break;
        case 47:
        case 48:
            orma_buf_printf(out, " %c%llu", f.id == 47 ? '>' : 'x', val);
            break;
        case 2000:
            orma_buf_printf(out, " {%llu}", val);
            break;
        case 2001: {
            struct orma_pb_reader inner = orma_pb_sub(&f);
            while (orma_pb_next(&inner, &in))
                orma_buf_printf(out, "{%llu}", (unsigned long long)orma_pb_u64(&in));
            break;
        }
        default:
            orma_buf_printf(out, " ?%u", f.id);
        }
    }
    failures += r.failed;
}

static void read_packet(struct orma_pb_reader r)
{
    struct orma_pb_reader event = {0};
    struct orma_pb_field f;
    struct orma_buf got = {0};
    uint64_t flags = 0, sequence = 0;
    bool is_event = false, is_packet = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == 11) {
            event = orma_pb_sub(&f);
            is_event = true;
        } else if (f.id == 12) {
            learn(orma_pb_sub(&f));
        } else if (f.id == 13) {
            flags = orma_pb_u64(&f);
        } else if (f.id == 10) {
            sequence = orma_pb_u64(&f);
        } else if (f.id == TESTING) {
            is_packet = true;
            rewrite(&got, orma_pb_sub(&f));
        } else if (f.id == 42 && orma_pb_u64(&f) != 1) {
            failures++;
            fprintf(stderr, "packets were dropped\n");
        }
    }
    failures += r.failed;
    if (flags & 1)
        memset(texts, 0, sizeof(texts));
    if (is_event)
        show_event(&got, event);
    if ((is_event || is_packet) && sequence > 1)
        compare(&got);
    orma_buf_fini(&got);
}

static void on_piece(void *s, const void *data, size_t len, bool more, void *user)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;

    (void)s, (void)more, (void)user;
    while (orma_pb_next(&r, &f))
        read_packet(orma_pb_sub(&f));
    failures += r.failed;
}

/* ---- a session of each kind ---- */

static void record(bool system, const char *source, void (*one)(void), client_flag **flag,
                   unsigned rounds)
{
    const struct wanted w = {
        .source = source, .on = {"*"}, .buffer_kb = 65536, .clear_ms = any(2) ? 0 : 1 + any(20)};
    void *s = start_session(system, &w);
    int before = packets;

    orma_buf_clear(&wanted);
    wanted_at = since_flush = 0;
    if (!wait_until_on(flag))
        failures++;
    for (unsigned i = 0; i < rounds; i++) {
        one();
        if (since_flush > BATCH && !PerfettoTracingSessionFlushBlocking(s, 10000))
            failures++;
        since_flush = since_flush > BATCH ? 0 : since_flush;
    }
    PerfettoTracingSessionStopBlocking(s);
    PerfettoTracingSessionReadTraceBlocking(s, on_piece, NULL);
    PerfettoTracingSessionDestroy(s);
    if (wanted_at != wanted.len || packets == before) {
        failures++;
        fprintf(stderr, "%s: the trace ends at byte %zu of %zu\n", source, wanted_at, wanted.len);
    }
}

static void put_either(void)
{
    if (any(3))
        put_event();
    else
        put_low_event();
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const bool system = strcmp(argv[1], "system") == 0;
    const unsigned rounds = (unsigned)atoi(argv[3]);

    seed = (unsigned)atoi(argv[2]);
    init_backend(system, 1024);
    if (!register_source(&ds, "random.custom", PerfettoDsImplCreate()))
        return 1;
    PerfettoTeInit();
    for (int i = 0; i < 3; i++)
        register_cat(&cats[i]);
    PerfettoTePublishCategories();
    for (unsigned i = 0; i < rounds / 8; i++)
        fill_heap();
    record(system, "random.custom", put_packet, &ds.enabled, rounds);
    record(system, "track_event", put_event, &cats[0].enabled, rounds);
    record(system, "track_event", put_low_event, &cats[0].enabled, rounds);
    record(system, "track_event", put_either, &cats[0].enabled, rounds);
    printf("seed %s: %d packets, %d failures\n", argv[2], packets, failures);
    orma_buf_fini(&wanted);
    return failures != 0;
}
