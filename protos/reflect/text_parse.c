/*
 * Recursive descent over tokens, writing wire bytes on the way. What a message
 * needs beside its bytes (which fields were seen) is a few words per open message.
 */
#include <errno.h>

#include "protos/reflect/scalar.h"
#include "protos/reflect/text_parser.h"
#include "sdk/base/map.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define FLUSH_BYTES 65536

/* A message being filled. */
struct frame {
    struct orma_seen_msg seen;
    const struct orma_field *packed; /* the numbers of this field are being packed; NULL: none */
    size_t packed_begun;
    uint64_t packs; /* a bit for each field of which numbers were packed; larger ones share one */
    bool in_parts;  /* the numbers of one lie apart */
};

static int parse_message(struct orma_text_parser *p, uint32_t msg);

static const char *name_of(const struct orma_text_parser *p, const struct orma_field *field)
{
    return orma_field_name(p->schema, field);
}

static void close_packed(struct orma_text_parser *p, struct frame *frame)
{
    if (!frame->packed)
        return;
    orma_pb_end(p->out, frame->packed_begun);
    frame->packed = NULL;
}

/* Consecutive numbers of a packed field share one tag. */
static int parse_scalar(struct orma_text_parser *p, struct frame *frame,
                        const struct orma_field *field)
{
    enum orma_pb_wire wire = orma_field_wire(field->type);
    bool dropped = false;
    uint64_t bits = 0;

    int err = orma_text_parse_number(p, field, &bits, &dropped);
    if (err < 0 || dropped)
        return err;
    if (!(field->flags & ORMA_FIELD_PACKED)) {
        orma_pb_put_tag(p->out, field->number, wire);
    } else if (frame->packed != field) {
        const uint64_t bit = UINT64_C(1) << (field->number < 63 ? field->number : 63);

        close_packed(p, frame);
        frame->in_parts |= frame->packs & bit;
        frame->packs |= bit;
        frame->packed = field;
        frame->packed_begun = orma_pb_begin(p->out, field->number);
    }
    orma_scalar_put(p->out, wire, bits);
    return 0;
}

static int parse_value(struct orma_text_parser *p, struct frame *frame,
                       const struct orma_field *field)
{
    struct orma_text_brace outer;
    size_t begun;
    int err;

    switch (field->type) {
    case ORMA_TYPE_MESSAGE:
        if (orma_text_open(p, field, &outer) < 0)
            return p->scan.err;
        begun = orma_pb_begin(p->out, field->number);
        err = parse_message(p, field->type_idx);
        orma_pb_end(p->out, begun);
        return orma_text_close(p, &outer, err);
    case ORMA_TYPE_STRING:
    case ORMA_TYPE_BYTES:
        if (p->token != ORMA_TOKEN_STRING)
            return orma_text_bad_value(p, field);
        begun = orma_pb_begin(p->out, field->number);
        err = orma_text_parse_strings(p, p->out);
        orma_pb_end(p->out, begun);
        return err;
    }
    return parse_scalar(p, frame, field);
}

/* "[a, b]": values of a repeated field. */
static int parse_list(struct orma_text_parser *p, struct frame *frame,
                      const struct orma_field *field)
{
    if (!orma_field_is_repeated(field))
        return orma_scan_fail(&p->scan, "\"%s\" takes one value, not a list", name_of(p, field));
    if (orma_text_advance(p) < 0)
        return p->scan.err;
    if (orma_text_at(p, ']'))
        return orma_text_advance(p);
    for (;;) {
        int err = parse_value(p, frame, field);

        if (err < 0)
            return err;
        if (orma_text_at(p, ']'))
            return orma_text_advance(p);
        if (!orma_text_at(p, ','))
            return orma_text_expected(p, "\",\" or \"]\"");
        if (orma_text_advance(p) < 0)
            return p->scan.err;
    }
}

static int complain_of_oneof(struct orma_text_parser *p, const struct frame *frame,
                             const struct orma_field *field, const struct orma_field *held)
{
    return orma_scan_fail(&p->scan,
                          "\"%s\" cannot be set together with \"%s\": both are of the oneof \"%s\"",
                          name_of(p, field), name_of(p, held),
                          orma_schema_oneof_name(p->schema, frame->seen.msg, field->oneof - 1u));
}

/* Marks a field as seen: singular fields once, and one field of a oneof. */
static int note_field(struct orma_text_parser *p, struct frame *frame,
                      const struct orma_field *field)
{
    bool last_wins = p->opts->flags & ORMA_TEXT_LAST_WINS;
    bool keep = p->opts->flags & ORMA_TEXT_KEEP_ALL;
    bool again = orma_seen_mark(&p->seen, &frame->seen, field) && !orma_field_is_repeated(field);
    struct orma_seen_oneof *held =
        field->oneof ? orma_seen_oneof(&p->seen, &frame->seen, field) : NULL;
    bool beside = held && held->field && held->field != field;

    if (keep)
        p->opts->kept += again || beside;
    else if (again && !last_wins)
        return orma_scan_fail(&p->scan, "\"%s\" takes one value, but this is the second",
                              name_of(p, field));
    else if (beside && !last_wins)
        return complain_of_oneof(p, frame, field, held->field);
    else if (beside)
        orma_seen_drop_oneof(&p->seen, &frame->seen, field, p->out);
    return 0;
}

/* The field that the current token names. NULL: an error, or dropped (then scan.err is 0). */
static const struct orma_field *find_field(struct orma_text_parser *p, const struct frame *frame,
                                           bool extension)
{
    struct orma_str name = {p->scan.text, p->scan.len};
    const struct orma_field *field = orma_schema_field_named(p->schema, frame->seen.msg, name);
    struct orma_buf hint = {0};

    if (field && !!(field->flags & ORMA_FIELD_EXTENSION) == extension)
        return field;
    if (p->opts->flags & ORMA_TEXT_LOSSY) {
        p->opts->dropped++;
        return NULL;
    }
    orma_schema_suggest_field(p->schema, frame->seen.msg, name, &hint);
    orma_scan_fail(&p->scan, "\"%s\" has no %s \"%s\"%s",
                   orma_schema_short_name(orma_schema_msg_name(p->schema, frame->seen.msg)),
                   extension ? "extension" : "field", p->scan.text, orma_buf_cstr(&hint));
    orma_buf_fini(&hint);
    return NULL;
}

static int parse_known_field(struct orma_text_parser *p, struct frame *frame,
                             const struct orma_field *field)
{
    size_t start;
    int err;

    if (frame->packed != field)
        close_packed(p, frame);
    err = note_field(p, frame, field);
    start = p->out->len;
    if (err || (err = orma_text_advance(p)) < 0)
        return err;
    if (orma_text_at(p, ':'))
        err = orma_text_advance(p);
    else if (field->type != ORMA_TYPE_MESSAGE)
        err = orma_text_expected(p, "\":\"");
    if (!err)
        err = orma_text_at(p, '[') ? parse_list(p, frame, field) : parse_value(p, frame, field);
    if (!err && field->oneof)
        *orma_seen_oneof(&p->seen, &frame->seen, field) =
            (struct orma_seen_oneof){field, start, p->out->len};
    if (!err && (orma_text_at(p, ',') || orma_text_at(p, ';')))
        err = orma_text_advance(p);
    return err;
}

static const char *name_or_close(char close)
{
    if (close == '}')
        return "the name of a field or \"}\"";
    return close == '>' ? "the name of a field or \">\"" : "the name of a field";
}

/* One field: `name: value`, `[extension]: value`, `number: value`. */
static int parse_field(struct orma_text_parser *p, struct frame *frame)
{
    bool extension = orma_text_at(p, '[');

    if (p->token == ORMA_TOKEN_NUMBER) {
        close_packed(p, frame);
        return orma_text_parse_raw_field(p);
    }
    if (extension)
        p->token = orma_text_extension(&p->scan);
    if (p->scan.err)
        return p->scan.err;
    if (p->token != ORMA_TOKEN_NAME)
        return orma_text_expected(p, name_or_close(p->brace.close));
    const struct orma_field *field = find_field(p, frame, extension);
    if (field)
        return parse_known_field(p, frame, field);
    if (p->scan.err || orma_text_advance(p) < 0)
        return p->scan.err;
    return orma_text_skip_value(p);
}

static int check_required(struct orma_text_parser *p, const struct frame *frame)
{
    const struct orma_field *missing = orma_seen_missing(&p->seen, &frame->seen);

    if (!missing || p->opts->flags & ORMA_TEXT_PARTIAL)
        return 0;
    return orma_scan_fail(&p->scan, "this \"%s\" lacks \"%s\", which is required",
                          orma_schema_short_name(orma_schema_msg_name(p->schema, frame->seen.msg)),
                          name_of(p, missing));
}

/* Whole fields of the outermost message go out as soon as there are enough of them. */
static int flush(struct orma_text_parser *p, const struct frame *frame)
{
    bool may_change = p->opts->flags & ORMA_TEXT_LAST_WINS &&
                      orma_schema_oneof_count(p->schema, frame->seen.msg) > 0;

    if (p->depth || !p->sink || p->out->len < FLUSH_BYTES || frame->packed || may_change)
        return 0;
    if (p->out->failed)
        return -ENOMEM;
    int err = p->sink->write(p->sink->ctx, p->out->data, p->out->len);
    orma_buf_clear(p->out);
    return err;
}

/* All numbers of the field from here on, in one. */
static void put_parts(struct orma_buf *out, struct orma_pb_reader r, uint32_t number)
{
    const size_t begun = orma_pb_begin(out, number);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == number && f.wire == ORMA_PB_LEN)
            orma_buf_put(out, f.data, f.len);
    orma_pb_end(out, begun);
}

/* Numbers of a packed field that lie apart become one list, as other writers make it: readers that
 * look for the list take the last one. */
static void join_packed(struct orma_text_parser *p, uint32_t msg, size_t start)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf joined = {0};
    ORMA_AUTO(orma_map_fini) struct orma_map done = {0};
    struct orma_pb_reader r = orma_pb_reader(p->out->data + start, p->out->len - start);
    struct orma_pb_field f;

    for (struct orma_pb_reader at = r; orma_pb_next(&r, &f); at = r) {
        const struct orma_field *field = orma_schema_field(p->schema, msg, f.id);

        if (!field || !(field->flags & ORMA_FIELD_PACKED) || f.wire != ORMA_PB_LEN) {
            orma_buf_put(&joined, at.pos, (size_t)(r.pos - at.pos));
        } else if (orma_map_get(&done, f.id) == ORMA_MAP_NONE) {
            put_parts(&joined, at, f.id);
            joined.failed |= orma_map_put(&done, f.id, 1) < 0;
        }
    }
    p->out->len = start;
    orma_buf_put(p->out, joined.data, joined.len);
    p->out->failed |= joined.failed;
}

/* The fields of the innermost message; what closes it stays the current token. */
static int parse_message(struct orma_text_parser *p, uint32_t msg)
{
    struct frame frame = {0};
    int err = orma_seen_open(&p->seen, msg, &frame.seen);
    const size_t start = p->out->len;

    while (!err && !orma_text_at_close(p)) {
        err = parse_field(p, &frame);
        if (!err)
            err = flush(p, &frame);
    }
    close_packed(p, &frame);
    if (frame.in_parts && p->depth) /* of the outermost message, parts are gone */
        join_packed(p, msg, start);
    if (!err)
        err = check_required(p, &frame);
    orma_seen_close(&p->seen, &frame.seen);
    return err;
}

static int parse(struct orma_text_parser *p, uint32_t msg)
{
    int err = orma_scan_skip_mark(&p->scan);

    p->seen.schema = p->schema;
    if (!err)
        err = orma_text_advance(p);
    if (!err)
        err = parse_message(p, msg);
    if (!err && p->out->failed)
        err = -ENOMEM;
    if (err == -ENOMEM && p->opts->error && !p->scan.err)
        orma_buf_printf(p->opts->error, "%s: out of memory\n", p->scan.file);
    orma_seen_fini(&p->seen);
    return err;
}

int orma_text_parse(const struct orma_schema *schema, uint32_t msg, struct orma_str text,
                    struct orma_text_parse *opts, struct orma_buf *out)
{
    struct orma_text_parse none = {0};
    struct orma_text_parser p = {.schema = schema, .opts = opts ? opts : &none, .out = out};
    size_t before = out->len;

    p.opts->dropped = 0;
    orma_scan_init_memory(&p.scan, text, p.opts->file, p.opts->error);
    int err = parse(&p, msg);
    if (err < 0)
        out->len = before;
    return err;
}

int orma_text_parse_stream(const struct orma_schema *schema, uint32_t msg,
                           struct orma_reflect_source source, struct orma_text_parse *opts,
                           struct orma_reflect_sink sink)
{
    struct orma_text_parse none = {0};
    struct orma_buf out = {0};
    struct orma_text_parser p = {
        .schema = schema, .opts = opts ? opts : &none, .out = &out, .sink = &sink};

    p.opts->dropped = 0;
    int err = orma_scan_init_source(&p.scan, source, p.opts->file, p.opts->error);
    if (!err)
        err = parse(&p, msg);
    if (!err && out.len)
        err = sink.write(sink.ctx, out.data, out.len);
    orma_scan_fini(&p.scan);
    orma_buf_fini(&out);
    return err;
}
