/*
 * Streams: packets are read one by one (packets.h), so traces of any size take little
 * memory. Extension descriptors found in the trace are added to the schema before the
 * packets that follow are printed.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "processor/read/detect.h"
#include "processor/read/inflate.h"
#include "protos/fields/trace.h"
#include "protos/reflect/text.h"
#include "sdk/wire/pb_writer.h"
#include "tools/convert/convert.h"
#include "tools/convert/packets.h"

#define SNIFF_BYTES 4096

static uint32_t trace_msg(const struct orma_schema *schema)
{
    return orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.Trace"));
}

/* A source that can be looked at before it is read. */
struct sniffed {
    struct orma_reflect_source source;
    uint8_t head[SNIFF_BYTES];
    size_t len, at;
};

static ssize_t sniffed_read(void *ctx, void *to, size_t len)
{
    struct sniffed *s = ctx;
    size_t n = ORMA_MIN(len, s->len - s->at);

    if (!n)
        return s->source.read(s->source.ctx, to, len);
    memcpy(to, s->head + s->at, n);
    s->at += n;
    return (ssize_t)n;
}

/* Fills the head. 0, or -errno. */
static int sniff(struct sniffed *s)
{
    while (s->len < sizeof(s->head)) {
        ssize_t n = s->source.read(s->source.ctx, s->head + s->len, sizeof(s->head) - s->len);

        if (n < 0)
            return (int)n;
        if (n == 0)
            break;
        s->len += (size_t)n;
    }
    return 0;
}

/* Says what the input is instead of a protobuf trace, if that can be told. */
static int check_is_proto(const struct orma_convert *self, const struct sniffed *s)
{
    enum orma_format format = orma_detect_format(s->head, s->len, true);

    if (!s->len) {
        orma_convert_say(self, "%s: empty", self->in_path);
        return -EBADMSG;
    }
    if (format == ORMA_FORMAT_PROTO || format == ORMA_FORMAT_UNKNOWN || format == ORMA_FORMAT_MORE)
        return 0; /* of newer versions, too */
    orma_convert_say(self, "%s: this is %s, not a protobuf trace%s", self->in_path,
                     orma_detect_format_names[format],
                     orma_detect_is_packed(format) || format == ORMA_FORMAT_ZIP ||
                             format == ORMA_FORMAT_TAR
                         ? ": unpack it first"
                         : "");
    return -EBADMSG;
}

/* The end of a loop over packets, in words. */
static int finish(struct orma_convert *self, const struct orma_convert_packets *p, int r)
{
    uint64_t offset = orma_convert_packets_offset(p);

    if (self->write_failed)
        return r;
    self->keep = r == -EBADMSG && offset > 0;
    if (r == -EBADMSG && !offset)
        orma_convert_say(self, "%s: not a protobuf trace", self->in_path);
    else if (r == -EBADMSG)
        orma_convert_say(self,
                         "%s: truncated or damaged at byte %" PRIu64
                         "; everything before it was converted",
                         self->in_path, offset);
    else if (r == -ENOTSUP)
        orma_convert_say(self, "%s: this program was built without its compression method",
                         self->in_path);
    else if (r < 0)
        orma_convert_say(self, "%s: %s", self->in_path, strerror(-r));
    else if (p->damaged) {
        orma_convert_say(self, "%s: compressed packets are damaged; the intact ones were converted",
                         self->in_path);
        self->keep = true;
        r = -EBADMSG;
    }
    return r;
}

/* ---- text ---- */

/* Unpacked, as in the importer. */
#define SET_MAX ((uint64_t)64 << 20)

/* A trace may bring the definitions of its own extensions; the rest of it is printed with them. */
static void learn(const struct orma_convert *self, struct orma_schema **schema,
                  const struct orma_pb_field *descriptor)
{
    struct orma_pb_reader r = orma_pb_sub(descriptor);
    struct orma_buf inflated = {0}, notes = {0};
    struct orma_pb_field f;
    int result = 0;

    while (result >= 0 && orma_pb_next(&r, &f)) {
        struct orma_str set = orma_pb_str(&f);

        if (f.id == ORMA_PB_EXTENSION_DESCRIPTOR_EXTENSION_SET_GZIP) {
            orma_buf_clear(&inflated);
            result = orma_inflate(ORMA_INFLATE_ZLIB, set, SET_MAX, &inflated);
            set = orma_buf_str(&inflated);
        } else if (f.id != ORMA_PB_EXTENSION_DESCRIPTOR_EXTENSION_SET) {
            continue;
        }
        if (result >= 0 && !*schema)
            result = orma_schema_new(orma_schema_default(), schema);
        if (result >= 0)
            result = orma_schema_add(*schema, set.data, set.len, &notes);
    }
    if (result < 0)
        orma_convert_say(self, "ignored an extension descriptor in the trace: %s",
                         notes.len ? orma_buf_cstr(&notes) : strerror(-result));
    orma_buf_fini(&inflated);
    orma_buf_fini(&notes);
}

static void learn_from_packet(const struct orma_convert *self, struct orma_schema **schema,
                              const struct orma_pb_field *packet)
{
    struct orma_pb_reader r = orma_pb_sub(packet);
    struct orma_pb_field f;

    while (packet->id == ORMA_PB_TRACE_PACKET && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_EXTENSION_DESCRIPTOR)
            learn(self, schema, &f);
    }
}

int orma_convert_text(struct orma_convert *self)
{
    ORMA_AUTO(orma_schema_free_p) struct orma_schema *own = NULL;
    struct orma_text_print opts = {.flags = self->skip_unknown ? ORMA_TEXT_KNOWN_ONLY : 0};
    struct sniffed input = {.source = orma_reflect_source_fd(self->in_fd)};
    struct orma_convert_packets p = {.source = {sniffed_read, &input}, .expand = true};
    struct orma_buf out = {0};
    struct orma_pb_field f;
    int r = sniff(&input);

    if (r == 0 && check_is_proto(self, &input) < 0)
        return -EBADMSG;
    while (r >= 0 && (r = orma_convert_packets_next(&p, &f)) > 0) {
        learn_from_packet(self, &own, &f);
        const struct orma_schema *schema = own ? own : orma_schema_default();
        r = orma_text_print_field(schema, trace_msg(schema), &f, &opts, &out);
        if (r >= 0)
            r = orma_convert_write_if_large(self, &out);
    }
    int written = orma_convert_write(self, &out);
    r = finish(self, &p, r);
    orma_convert_packets_fini(&p);
    orma_buf_fini(&out);
    return r < 0 ? r : written;
}

/* ---- from text ---- */

/* An empty line is the tag of a packet, too. */
static bool is_text(const struct sniffed *s)
{
    for (size_t i = 0; i < s->len; i++)
        if (s->head[i] < ' ' && (!s->head[i] || !strchr("\t\n\r\f\v", s->head[i])))
            return false;
    return true;
}

int orma_convert_binary(struct orma_convert *self)
{
    const struct orma_schema *schema = orma_schema_default();
    struct orma_buf error = {0};
    struct orma_text_parse opts = {.file = strcmp(self->in_path, "-") ? self->in_path
                                                                      : "standard input",
                                   .error = &error,
                                   .flags = ORMA_TEXT_KEEP_ALL};
    struct sniffed input = {.source = orma_reflect_source_fd(self->in_fd)};
    int r = sniff(&input);

    if (r == 0 && !is_text(&input) &&
        orma_detect_format(input.head, input.len, true) == ORMA_FORMAT_PROTO) {
        orma_convert_say(self,
                         "%s: this is a protobuf trace already; 'convert text' turns it into text",
                         self->in_path);
        return -EBADMSG;
    }
    if (r == 0)
        r = orma_text_parse_stream(schema, trace_msg(schema),
                                   (struct orma_reflect_source){sniffed_read, &input}, &opts,
                                   orma_reflect_sink_fd(self->out_fd));

    struct orma_str text = orma_str_trim(orma_buf_str(&error));
    if (r == -EBADMSG && text.len)
        fprintf(stderr, "%.*s\n", (int)text.len, text.data);
    else if (r < 0)
        orma_convert_say(self, "%s: %s", self->in_path, strerror(-r));
    else if (opts.kept)
        orma_convert_say(self,
                         "warning: %" PRIu64 " singular fields have several values, or share a "
                         "oneof with another field; all were kept",
                         opts.kept);
    orma_buf_fini(&error);
    return r;
}

/* ---- unpacking ---- */

int orma_convert_decompress(struct orma_convert *self)
{
    struct sniffed input = {.source = orma_reflect_source_fd(self->in_fd)};
    struct orma_convert_packets p = {.source = {sniffed_read, &input}, .expand = true};
    struct orma_buf out = {0};
    struct orma_pb_field f;
    int r = sniff(&input);

    if (r == 0 && check_is_proto(self, &input) < 0)
        return -EBADMSG;
    while (r >= 0 && (r = orma_convert_packets_next(&p, &f)) > 0) {
        if (f.wire == ORMA_PB_LEN)
            orma_pb_put_bytes(&out, f.id, f.data, f.len);
        else if (f.wire == ORMA_PB_VARINT)
            orma_pb_put_u64(&out, f.id, f.num);
        else if (f.wire == ORMA_PB_I64)
            orma_pb_put_fixed64(&out, f.id, f.num);
        else
            orma_pb_put_fixed32(&out, f.id, (uint32_t)f.num);
        r = orma_convert_write_if_large(self, &out);
    }
    int written = orma_convert_write(self, &out);
    r = finish(self, &p, r);
    orma_convert_packets_fini(&p);
    orma_buf_fini(&out);
    return r < 0 ? r : written;
}
