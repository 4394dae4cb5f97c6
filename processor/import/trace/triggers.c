/* Triggers of the service, as instants on a track of their own. */
#include "processor/import/trace/trace.h"
#include "protos/fields/trace.h"

struct trigger {
    uint32_t name, producer;
    uint32_t uid;
    bool has_uid;
};

static struct trigger read_trigger(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    struct trigger t = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRIGGER_TRIGGER_NAME)
            t.name = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_TRIGGER_PRODUCER_NAME)
            t.producer = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == ORMA_PB_TRIGGER_TRUSTED_PRODUCER_UID) {
            t.uid = orma_pb_u32(&f);
            t.has_uid = true;
        }
    }
    return t;
}

/* What the trace owes its being to: the first trigger of a clone, else the first one. */
static void note_first(struct orma_import_ctx *imp, uint16_t machine, const struct trigger *t,
                       bool clone)
{
    struct orma_stats *stats = orma_model_stats(imp->model, machine);

    if (orma_metadata_find(imp->model, "trace_trigger", ORMA_METADATA_TRACE, 0) != ORMA_ROW_NONE &&
        (!clone || stats->single[ORMA_STAT_TRACED_CLONE_TRIGGER_TIMESTAMP_NS]))
        return;
    orma_metadata_str(imp->model, "trace_trigger", false, ORMA_METADATA_TRACE, 0, t->name);
}

static void trigger_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct trigger t = read_trigger(imp, item);
    uint32_t track = orma_model_slice_track(imp->model, item->machine, "triggers",
                                            orma_model_lit(imp->model, "Trace Triggers"), 0, NULL);

    ORMA_MODEL_ARGS(args, imp->model);
    if (t.producer)
        orma_args_put_str(args, orma_model_lit(imp->model, "producer_name"), t.producer);
    if (t.has_uid)
        orma_args_put_int(args, orma_model_lit(imp->model, "trusted_producer_uid"), t.uid);
    orma_slices_complete(&imp->model->slices, item->ts, 0, track, 0, t.name, args);
    bool clone = item->field == ORMA_PB_TRACE_PACKET_CLONE_SNAPSHOT_TRIGGER;
    note_first(imp, item->machine, &t, clone);
    if (clone && !orma_model_stats(imp->model, item->machine)
                      ->single[ORMA_STAT_TRACED_CLONE_TRIGGER_TIMESTAMP_NS])
        orma_stats_set(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_TRACED_CLONE_TRIGGER_TIMESTAMP_NS, item->ts);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_TRIGGER,
                                  ORMA_PB_TRACE_PACKET_CLONE_SNAPSHOT_TRIGGER, 0};
const struct orma_importer orma_trace_triggers_importer = {
    .name = "triggers", .fields = fields, .parse = trigger_parse};
