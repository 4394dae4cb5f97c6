/*
 * Atoms of statsd: what Android counts, as instants of one track, with their fields as args.
 *
 * A packet has atoms and, beside them, as many times. The number of an atom's only field is what it
 * is of. Its name is in the schema three times: as a field of Atom, where we know its message (or
 * the trace brings it along); as a value of AtomId, where we know no more than the name, so that
 * fields are shown by number; or nowhere. Numbers from 100000 on belong to makers of devices, and
 * are nobody's mistake.
 */
#include "processor/import/android/android.h"
#include "processor/import/core/msg.h"
#include "processor/import/core/proto_args.h"
#include "processor/read/reader.h"
#include "protos/fields/trace.h"

enum { ATOMS = 1, TIMES };
#define OF_MAKERS 100000
#define PREFIX ORMA_STR("ATOM_")

/* ---- reading ---- */

static void push(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx, uint64_t index,
                 const struct orma_pb_field *atom, int64_t ts)
{
    const struct orma_item item = {.ts = ts,
                                   .order = ctx->order + ORMA_MIN(index, ORMA_ORDER_STEP - 1),
                                   .data = atom->data,
                                   .len = (uint32_t)atom->len,
                                   .field = ORMA_PB_TRACE_PACKET_STATSD_ATOM,
                                   .kind = ORMA_ITEM_PACKET,
                                   .machine = ctx->machine};

    if (orma_reader_sortable(imp->reader, ts))
        orma_sorter_push(&imp->reader->sorter, &item);
}

/* Each atom takes its own place in time. */
static bool tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_msg_numbers times = orma_msg_numbers(ctx->p->payload, TIMES);
    struct orma_pb_field f;
    uint64_t index = 0, ns;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ATOMS || f.wire != ORMA_PB_LEN)
            continue;
        bool timed = orma_msg_next_number(&times, &ns);
        if (!timed)
            orma_stats_inc(orma_model_stats(imp->model, ctx->machine),
                           ORMA_STAT_ATOM_TIMESTAMP_MISSING);
        push(imp, ctx, index++, &f, timed ? (int64_t)ns : ctx->ts);
    }
    return true;
}

/* ---- names ---- */

/* "ATOM_SCREEN_STATE_CHANGED" is screen_state_changed. 0: nobody knows it. */
static uint32_t known_name(struct orma_import_ctx *imp, const struct orma_schema *schema,
                           uint32_t number)
{
    uint32_t ids = orma_schema_find_enum(schema, ORMA_STR("perfetto.protos.AtomId"));
    const char *value =
        ids == ORMA_SCHEMA_NONE ? NULL : orma_schema_value_name(schema, ids, (int32_t)number);
    struct orma_buf lower = {0};
    uint32_t id;

    if (!number || !value || !orma_str_starts(orma_str_from(value), PREFIX))
        return 0;
    for (value += PREFIX.len; *value; value++)
        orma_buf_put_byte(&lower,
                          (uint8_t)(*value >= 'A' && *value <= 'Z' ? *value - 'A' + 'a' : *value));
    imp->model->storage->failed |= lower.failed;
    id = orma_model_str(imp->model, orma_buf_str(&lower));
    orma_buf_fini(&lower);
    return id;
}

/* What is to be shown, and how: `message` with args below `prefix`. */
struct atom {
    uint32_t name; /* pool id */
    uint32_t type; /* in the schema */
    const char *prefix;
    struct orma_str message;
};

static struct atom identify(struct orma_import_ctx *imp, const struct orma_item *item)
{
    const struct orma_schema *schema = orma_import_schema(imp);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f = {0};
    struct atom a = {.type = orma_schema_find_msg(schema, ORMA_STR("android.os.statsd.Atom")),
                     .prefix = ""};

    if (!orma_pb_next(&r, &f))
        f.id = 0;
    const struct orma_field *field =
        a.type == ORMA_SCHEMA_NONE ? NULL : orma_schema_field(schema, a.type, f.id);
    if (field && field->type == ORMA_TYPE_MESSAGE) {
        a.name = orma_model_cstr(imp->model, orma_field_name(schema, field));
        a.message = (struct orma_str){(const char *)item->data, item->len};
        return a;
    }
    a.type = orma_schema_find_msg(schema, ORMA_STR("android.os.statsd.UnknownAtom"));
    a.message = orma_pb_str(&f);
    a.name = known_name(imp, schema, f.id);
    if (a.name) {
        a.prefix = orma_strpool_cstr(&imp->model->storage->pool, a.name);
        return a;
    }
    a.name = orma_strpool_addf(&imp->model->storage->pool, "atom_%u", (unsigned)f.id);
    if (f.id < OF_MAKERS)
        orma_stats_inc(orma_model_stats(imp->model, item->machine), ORMA_STAT_ATOM_UNKNOWN);
    return a;
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    const struct atom a = identify(imp, item);
    struct orma_arg_key key;

    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_proto_args walk = {.imp = imp, .ret = args, .show_unknown = true};
    orma_arg_key_init(&key, a.prefix);
    (void)orma_import_proto_args_put(&walk, a.type, a.message, &key); /* no such type: no args */
    orma_slices_complete(&imp->model->slices, item->ts, 0,
                         orma_model_slice_track(imp->model, item->machine, "statsd_atoms",
                                                orma_model_lit(imp->model, "Statsd Atoms"), 0,
                                                NULL),
                         0, a.name, args);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_STATSD_ATOM, 0};
const struct orma_importer orma_android_statsd_importer = {
    .name = "statsd", .fields = fields, .tokenize = tokenize, .parse = parse};
