/*
 * A packet is written anew by the schema: numbers as they are, texts as what stands for them, and
 * nothing else. So a field that the schema does not know, or that has other bytes than it says, is
 * not in the output, nor are bytes whose content nobody can tell.
 *
 * What stands for a text is a keyed hash of it. The key is random and forgotten, so a name does not
 * tell its text; within one run equal texts have equal names.
 */
#include "tools/pieces/redact.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "protos/reflect/schema.h"
#include "sdk/wire/pb_writer.h"

#define NESTING_MAX 64
#define NAME_LEN 15 /* as much as a thread's name may have */
#define PATTERN_MAX 1024
#define PID_DIGITS 10

struct redact {
    const struct orma_pieces_redact_request *request;
    struct orma_pieces_source *source;
    struct orma_pieces_piece *piece;
    const struct orma_schema *schema;
    uint32_t packet, print, annotation, interned_string, event; /* messages */
    uint64_t key[2];
    struct orma_buf out, text;
    uint64_t texts, dropped;
};

/* ---- names ---- */

static uint64_t turn(uint64_t v, unsigned by)
{
    return v << by | v >> (64 - by);
}

static void sip_round(uint64_t *v)
{
    v[0] += v[1];
    v[1] = turn(v[1], 13) ^ v[0];
    v[0] = turn(v[0], 32);
    v[2] += v[3];
    v[3] = turn(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = turn(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = turn(v[1], 17) ^ v[2];
    v[2] = turn(v[2], 32);
}

/* SipHash-2-4. */
static uint64_t sip_hash(const uint64_t *key, struct orma_str text)
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
                     key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
    uint64_t word;
    size_t at = 0;

    for (bool last = false; !last; at += 8) {
        last = text.len - at < 8;
        word = last ? (uint64_t)text.len << 56 : 0;
        for (size_t i = 0; i < (last ? text.len - at : 8); i++)
            word |= (uint64_t)(uint8_t)text.data[at + i] << 8 * i;
        v[3] ^= word;
        sip_round(v);
        sip_round(v);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    for (unsigned i = 0; i < 4; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static bool matches(struct redact *self, const char *const *patterns, unsigned num,
                    struct orma_str text)
{
    if (!num || memchr(text.data, 0, text.len))
        return false;
    orma_buf_clear(&self->text);
    orma_buf_put(&self->text, text.data, text.len);
    const char *whole = orma_buf_cstr(&self->text);
    for (unsigned i = 0; i < num; i++)
        if (!fnmatch(patterns[i], whole, 0))
            return true;
    return false;
}

/* The idle threads of a kernel, which all machines have. */
static bool is_idle(struct orma_str text)
{
    const struct orma_str idle = ORMA_STR("swapper");

    if (text.len < idle.len || memcmp(text.data, idle.data, idle.len) ||
        (text.len > idle.len && text.data[idle.len] != '/') || text.len > idle.len + 5)
        return false;
    for (size_t i = idle.len + 1; i < text.len; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return true;
}

/* The kernel keeps the first characters of a thread's name only. Does a pattern match what a longer
 * text that begins so may be? Then it matches with its end cut off. */
static bool may_be_hidden(struct redact *self, struct orma_str text)
{
    const struct orma_pieces_redact_request *r = self->request;
    char begin[PATTERN_MAX];

    for (unsigned i = 0; text.len == NAME_LEN && i < r->hide_num; i++) {
        const size_t len = strlen(r->hide[i]);

        if (len >= sizeof(begin))
            return true;
        for (size_t n = 1; n < len; n++) {
            const char *const patterns[] = {begin};

            memcpy(begin, r->hide[i], n);
            begin[n] = '\0';
            if (begin[n - 1] != '*' && matches(self, patterns, 1, text))
                return true;
        }
    }
    return false;
}

static bool is_hidden(struct redact *self, struct orma_str text)
{
    const struct orma_pieces_redact_request *r = self->request;

    return memchr(text.data, 0, text.len) || /* no pattern can tell */
           matches(self, r->hide, r->hide_num, text) || may_be_hidden(self, text);
}

static bool stays(struct redact *self, struct orma_str text)
{
    const struct orma_pieces_redact_request *r = self->request;

    if (!text.len || is_idle(text) || matches(self, r->keep, r->keep_num, text))
        return true;
    return r->hide_num && !is_hidden(self, text);
}

static void put_hash(struct redact *self, struct orma_buf *out, struct orma_str text)
{
    static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
    char name[NAME_LEN] = "r_";
    uint64_t hash = sip_hash(self->key, text);

    self->texts++;
    for (unsigned i = 2; i < NAME_LEN; i++, hash >>= 5)
        name[i] = digits[hash & 31];
    orma_buf_put(out, name, sizeof(name));
}

static void put_name(struct redact *self, struct orma_buf *out, struct orma_str text)
{
    if (stays(self, text))
        orma_buf_put(out, text.data, text.len);
    else
        put_hash(self, out, text);
}

static bool is_number(struct orma_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((text.data[i] < '0' || text.data[i] > '9') && !(text.data[i] == '-' && !i))
            return false;
    return text.len > 0;
}

/* Of a formed line: B|PID|NAME, where the name may have bars; C|PID|NAME|VALUE,
 * G|PID|TRACK|NAME|ID. What is a pid or a value by its place stays. */
static void put_parts(struct redact *self, struct orma_buf *out, struct orma_str rest, bool hidden)
{
    const bool has_name_only = strchr("BIEN", rest.data[0]) != NULL;
    const bool is_one_name = strchr("BI", rest.data[0]) != NULL;

    for (unsigned place = 0;; place++) {
        const char *bar = place == 2 && is_one_name ? NULL : memchr(rest.data, '|', rest.len);
        const struct orma_str part = {rest.data, bar ? (size_t)(bar - rest.data) : rest.len};
        const bool is_pid = place == 1 && part.len <= PID_DIGITS && is_number(part);
        const bool is_value = place > 2 && !bar && !has_name_only && is_number(part);

        if (!place || is_pid || is_value || !part.len)
            orma_buf_put(out, part.data, part.len);
        else if (hidden)
            put_hash(self, out, part);
        else
            put_name(self, out, part);
        if (!bar)
            break;
        orma_buf_put_byte(out, '|');
        rest = (struct orma_str){bar + 1, rest.len - part.len - 1};
    }
}

/* Lines that programs write into the kernel's trace have a form; patterns are for the whole line
 * and for its names. */
static void put_print(struct redact *self, struct orma_buf *out, struct orma_str text)
{
    static const char forms[] = "BECSFGHINT";
    const struct orma_pieces_redact_request *r = self->request;
    const bool line = text.len && text.data[text.len - 1] == '\n';
    struct orma_str rest = {text.data, text.len - line};
    bool formed = rest.len && rest.data[0] && strchr(forms, rest.data[0]) &&
                  (rest.len == 1 || rest.data[1] == '|');

    if (!formed)
        put_name(self, out, rest);
    else if (matches(self, r->keep, r->keep_num, rest))
        orma_buf_put(out, rest.data, rest.len);
    else
        put_parts(self, out, rest, r->hide_num && is_hidden(self, rest));
    if (line)
        orma_buf_put_byte(out, '\n');
}

/* ---- messages ---- */

static void put_message(struct redact *self, struct orma_buf *out, uint32_t msg,
                        struct orma_str bytes, unsigned depth);

static void put_text(struct redact *self, struct orma_buf *out, uint32_t msg,
                     const struct orma_pb_field *f)
{
    const size_t begun = orma_pb_begin(out, f->id);

    if (msg == self->print && f->id == ORMA_PB_PRINT_FTRACE_EVENT_BUF) {
        put_print(self, out, orma_pb_str(f));
    } else if (msg == self->annotation && f->id == ORMA_PB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE) {
        const bool as_it_is = stays(self, orma_pb_str(f));

        if (!as_it_is) /* a text, so that it is JSON */
            orma_buf_put_byte(out, '"');
        put_name(self, out, orma_pb_str(f));
        if (!as_it_is)
            orma_buf_put_byte(out, '"');
    } else {
        put_name(self, out, orma_pb_str(f));
    }
    orma_pb_end(out, begun);
}

/* A list of numbers in one field: written anew, so that it is one. */
static bool put_numbers(struct orma_buf *out, const struct orma_pb_field *f, enum orma_pb_wire wire)
{
    const size_t size = wire == ORMA_PB_I64 ? 8 : 4;
    struct orma_pb_reader r = orma_pb_sub(f);
    const size_t before = out->len, begun = orma_pb_begin(out, f->id);

    if (wire != ORMA_PB_VARINT && f->len % size == 0)
        orma_buf_put(out, f->data, f->len);
    else if (wire != ORMA_PB_VARINT)
        r.failed = true;
    else
        while (r.pos != r.end && !r.failed)
            orma_pb_put_raw_varint(out, orma_pb_varint(&r));
    orma_pb_end(out, begun);
    if (r.failed)
        out->len = before;
    return !r.failed;
}

/* A number that a program made of a text: whoever has the text can find it. */
static bool is_hash(const struct redact *self, const struct orma_field *field)
{
    const char *name = orma_field_name(self->schema, field);
    const size_t len = strlen(name), end = strlen("_hash");

    return orma_field_is_packable(field->type) && len > end && !strcmp(name + len - end, "_hash");
}

/* Fields that hold what no schema tells, or that only serve to decode such. */
static bool is_opaque(const struct redact *self, uint32_t msg, uint32_t id)
{
    if (msg == self->event)
        return self->request->drop_args && id == ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS;
    return msg == self->packet &&
           (id == ORMA_PB_TRACE_PACKET_EXTENSION_DESCRIPTOR ||
            id == ORMA_PB_TRACE_PACKET_PROTOVMS || id == ORMA_PB_TRACE_PACKET_VIDEO_FRAME ||
            id == ORMA_PB_TRACE_PACKET_SYNCHRONIZATION_MARKER);
}

/* False: it is left out. */
static bool put_field(struct redact *self, struct orma_buf *out, uint32_t msg,
                      const struct orma_pb_field *f, unsigned depth)
{
    const struct orma_field *known = orma_schema_field(self->schema, msg, f->id);
    size_t begun;

    if (!known || is_opaque(self, msg, f->id) || is_hash(self, known))
        return false;
    const enum orma_pb_wire wire = orma_field_wire(known->type);
    if (f->wire == ORMA_PB_LEN && wire != ORMA_PB_LEN)
        return known->flags & ORMA_FIELD_REPEATED && put_numbers(out, f, wire);
    if (f->wire != (uint32_t)wire)
        return false;
    if (wire == ORMA_PB_VARINT) {
        orma_pb_put_u64(out, f->id, f->num);
    } else if (wire == ORMA_PB_I64) {
        orma_pb_put_fixed64(out, f->id, f->num);
    } else if (wire == ORMA_PB_I32) {
        orma_pb_put_fixed32(out, f->id, (uint32_t)f->num);
    } else if (known->type == ORMA_TYPE_STRING ||
               (known->type == ORMA_TYPE_BYTES && msg == self->interned_string)) {
        put_text(self, out, msg, f);
    } else if (known->type == ORMA_TYPE_BYTES || depth == NESTING_MAX) {
        return false;
    } else {
        begun = orma_pb_begin(out, f->id);
        put_message(self, out, known->type_idx, orma_pb_str(f), depth + 1);
        orma_pb_end(out, begun);
    }
    return true;
}

static void put_message(struct redact *self, struct orma_buf *out, uint32_t msg,
                        struct orma_str bytes, unsigned depth)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        self->dropped += !put_field(self, out, msg, &f, depth);
    self->dropped += r.failed;
}

static int redact_packet(void *ctx, const struct orma_pieces_packet *packet)
{
    struct redact *self = ctx;

    orma_buf_clear(&self->out);
    put_message(self, &self->out, self->packet, packet->p.bytes, 0);
    if (self->out.failed || self->text.failed)
        return -ENOMEM;
    orma_pieces_piece_put_packet(self->piece, orma_buf_str(&self->out));
    return self->piece->error;
}

static int drop_field(void *ctx, struct orma_str bytes)
{
    struct redact *self = ctx;

    (void)bytes;
    self->dropped++;
    return 0;
}

/* ---- both commands ---- */

static int keep_packet(void *ctx, const struct orma_pieces_packet *packet)
{
    struct orma_pieces_piece *piece = ctx;

    orma_pieces_piece_put_packet(piece, packet->p.bytes);
    return piece->error;
}

static int keep_field(void *ctx, struct orma_str bytes)
{
    struct orma_pieces_piece *piece = ctx;

    orma_pieces_piece_put_raw(piece, bytes);
    return piece->error;
}

static int finish(struct orma_pieces_source *source, struct orma_pieces_piece *piece, int r,
                  const char *what)
{
    if (r == 0)
        orma_pieces_tell_damage(source);
    r = orma_pieces_piece_close(piece, r, what);
    return orma_pieces_tell_memory(source->program, source->path, r);
}

/* The output may be packed as the input, so what that is must be known before. */
static int look(void *ctx, const struct orma_pieces_packet *packet)
{
    const struct orma_pieces_source *source = ctx;

    (void)packet;
    return source->has_deflate || source->has_zstd ? 1 : 0;
}

static int open_both(struct orma_pieces_source *source, struct orma_pieces_piece *piece,
                     const char *path, const struct orma_output_want *want,
                     enum orma_pieces_packing packing)
{
    if (!orma_pieces_can_pack(want->program, packing))
        return -ENOTSUP;
    int r = orma_output_check(want);
    if (r == 0)
        r = orma_pieces_source_open(source, want->program, path);
    if (r < 0)
        return orma_pieces_tell_memory(want->program, path, r);
    if (packing == ORMA_PIECES_AS_IS)
        r = orma_pieces_source_walk(source, look, NULL, source);
    if (r >= 0)
        r = orma_pieces_piece_open(piece, want, orma_pieces_choose(source, packing));
    if (r < 0)
        orma_pieces_source_close(source);
    return orma_pieces_tell_memory(want->program, path, r);
}

int orma_pieces_recompress(const char *path, const struct orma_output_want *want,
                           enum orma_pieces_packing packing)
{
    struct orma_pieces_source source;
    struct orma_pieces_piece piece;
    char what[64];
    int r = open_both(&source, &piece, path, want, packing);

    if (r < 0)
        return r;
    r = orma_pieces_source_walk(&source, keep_packet, keep_field, &piece);
    snprintf(what, sizeof(what), "%" PRIu64 " packet%s", piece.packets,
             piece.packets == 1 ? "" : "s");
    r = finish(&source, &piece, r, what);
    orma_pieces_source_close(&source);
    return r;
}

static uint32_t message(const struct redact *self, const char *name)
{
    return orma_schema_find_msg(self->schema, orma_str_from(name));
}

int orma_pieces_redact(const struct orma_pieces_redact_request *request)
{
    struct orma_pieces_source source;
    struct orma_pieces_piece piece;
    struct redact self = {
        .request = request, .source = &source, .piece = &piece, .schema = orma_schema_default()};
    char what[128];

    self.packet = message(&self, "perfetto.protos.TracePacket");
    self.print = message(&self, "perfetto.protos.PrintFtraceEvent");
    self.annotation = message(&self, "perfetto.protos.DebugAnnotation");
    self.interned_string = message(&self, "perfetto.protos.InternedString");
    self.event = message(&self, "perfetto.protos.TrackEvent");
    if (getrandom(self.key, sizeof(self.key), 0) != sizeof(self.key)) {
        fprintf(stderr, "%s: no random numbers: %s\n", request->program, strerror(errno));
        return -EIO;
    }
    int r = open_both(&source, &piece, request->path, &request->want, request->packing);
    if (r < 0)
        return r;
    r = orma_pieces_source_walk(&source, redact_packet, drop_field, &self);
    snprintf(what, sizeof(what), "%" PRIu64 " texts replaced, %" PRIu64 " fields left out",
             self.texts, self.dropped);
    r = finish(&source, &piece, r, what);
    explicit_bzero(self.key, sizeof(self.key));
    orma_buf_fini(&self.out);
    orma_buf_fini(&self.text);
    orma_pieces_source_close(&source);
    return r;
}
