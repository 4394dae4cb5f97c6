/*
 * One walk down the packet with the schema at hand. Numbers are taken in any of their forms, as the
 * importers take them; a list of them may be packed.
 */
#include "processor/read/strays.h"

#include "sdk/base/assert.h"

#define DEPTH_MAX 32

static void start(struct orma_strays *self)
{
    static const char *const passed_by[] = {
        "perfetto.protos.TrackEvent",
        "perfetto.protos.FtraceEvent",
        "perfetto.protos.HeapGraphObject",
        "perfetto.protos.PerfSample",
        /* Schemas are read by protos/reflect; of atoms that nobody knows all fields have rows. */
        "perfetto.protos.descriptor.FileDescriptorSet",
        "android.os.statsd.Atom",
    };
    _Static_assert(ORMA_ARRAY_LEN(passed_by) == ORMA_ARRAY_LEN(self->passed_by), "as many");

    self->schema = orma_schema_default();
    self->packet = orma_schema_find_msg(self->schema, ORMA_STR("perfetto.protos.TracePacket"));
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(passed_by); i++) {
        self->passed_by[i] = orma_schema_find_msg(self->schema, orma_str_from(passed_by[i]));
        ORMA_ASSERT(self->passed_by[i] != ORMA_SCHEMA_NONE);
    }
}

static bool passes_by(const struct orma_strays *self, uint32_t msg)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(self->passed_by); i++)
        if (self->passed_by[i] == msg)
            return true;
    return false;
}

static bool fits(const struct orma_field *known, const struct orma_pb_field *f)
{
    switch (known->type) {
    case ORMA_TYPE_STRING:
    case ORMA_TYPE_BYTES:
    case ORMA_TYPE_MESSAGE:
        return f->wire == ORMA_PB_LEN;
    default:
        return f->wire != ORMA_PB_LEN || known->flags & ORMA_FIELD_REPEATED;
    }
}

/* False: the message is malformed. */
static bool look(struct orma_strays *self, const uint8_t *packet, uint32_t msg,
                 struct orma_pb_reader r, unsigned depth)
{
    const struct orma_field *known = NULL; /* of the field before: lists repeat one */
    uint32_t id = 0;                       /* no field has it */
    bool inside = false;
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id != id) {
            id = f.id;
            known = orma_schema_field(self->schema, msg, id);
            inside = known && known->type == ORMA_TYPE_MESSAGE && depth < DEPTH_MAX &&
                     !passes_by(self, known->type_idx);
        }
        bool good = known && fits(known, &f);

        if (good && inside)
            good = look(self, packet, known->type_idx, orma_pb_sub(&f), depth + 1);
        if (!good)
            self->found(self->data, orma_schema_msg_name(self->schema, msg), f.id, packet);
    }
    return !r.failed;
}

/* Of two payloads only one is handed on. Chrome says the same in two forms. */
static bool is_overwritten(const struct orma_read_packet *p, const struct orma_pb_field *f)
{
    return f->id != p->field && f->wire == ORMA_PB_LEN &&
           f->id != ORMA_PB_TRACE_PACKET_INTERNED_DATA &&
           f->id != ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS &&
           p->field != ORMA_PB_TRACE_PACKET_CHROME_METADATA;
}

static void look_for_overwritten(struct orma_strays *self, const struct orma_read_packet *p)
{
    struct orma_pb_reader r = orma_pb_reader(p->bytes.data, p->bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        const struct orma_field *known = orma_schema_field(self->schema, self->packet, f.id);

        if (known && fits(known, &f) && is_overwritten(p, &f))
            self->found(self->data, orma_schema_msg_name(self->schema, self->packet), f.id,
                        (const uint8_t *)p->bytes.data);
    }
}

void orma_strays_look(struct orma_strays *self, const struct orma_read_packet *p)
{
    const uint8_t *packet = (const uint8_t *)p->bytes.data;

    if (!self->schema)
        start(self);
    (void)look(self, packet, self->packet, orma_pb_reader(packet, p->bytes.len), 0);
    if (p->payloads > 1)
        look_for_overwritten(self, p);
}
