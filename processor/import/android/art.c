/*
 * What ART says of a process whose heap it dumps: who it is, and, when memory had run out, what was
 * asked for and where.
 */
#include "processor/import/android/android.h"
#include "processor/import/core/late.h"
#include "processor/import/core/msg.h"
#include "processor/model/callstacks.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/base/vec.h"

enum { FIELDS = ORMA_PB_ART_PROCESS_METADATA_OOM_ERROR_MSG + 1 };

/* Stacks are this deep at most; what lies below is left out. */
#define FRAMES_MAX 1024

static uint32_t add_process(struct orma_import_ctx *imp, const struct orma_item *item,
                            const struct orma_pb_field *f)
{
    struct orma_processes *p = orma_model_processes(imp->model, item->machine);
    uint32_t pid = orma_pb_u32(&f[ORMA_PB_ART_PROCESS_METADATA_PID]);
    uint32_t upid = orma_processes_process(p, pid);
    uint32_t package = orma_msg_text(imp, &f[ORMA_PB_ART_PROCESS_METADATA_PACKAGE_NAME]);
    int32_t uid = orma_pb_i32(&f[ORMA_PB_ART_PROCESS_METADATA_UID]);

    if (f[ORMA_PB_ART_PROCESS_METADATA_PROCESS_NAME].id)
        orma_processes_name_process(
            p, upid, orma_msg_text(imp, &f[ORMA_PB_ART_PROCESS_METADATA_PROCESS_NAME]),
            ORMA_PROCESS_NAME_SYSTEM);
    if (f[ORMA_PB_ART_PROCESS_METADATA_UID].id)
        orma_table_set(orma_model_table(imp->model, ORMA_TABLE_PROCESS), ORMA_PROCESS_UID, upid,
                       uid);
    if (package)
        (void)orma_android_add_package(imp, package, uid);
    return upid;
}

/* Frames stand innermost first; a chain begins at the other end. */
static uint32_t callsite_of(struct orma_import_ctx *imp, struct orma_str stack)
{
    struct orma_pb_reader r = orma_pb_reader(stack.data, stack.len);
    struct orma_pb_field f, frame[ORMA_PB_JAVA_FRAME_LINE_NUMBER + 1];
    struct orma_stack_frame frames[FRAMES_MAX];
    uint32_t num = 0, callsite = ORMA_CALLSITE_NONE;

    while (num < FRAMES_MAX && orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_JAVA_STACK_FRAMES)
            continue;
        orma_msg_read(orma_pb_str(&f), frame, ORMA_ARRAY_LEN(frame));
        if (!frame[ORMA_PB_JAVA_FRAME_METHOD_NAME].id)
            continue;
        frames[num++] = (struct orma_stack_frame){
            .name = orma_msg_text(imp, &frame[ORMA_PB_JAVA_FRAME_METHOD_NAME]),
            .source = orma_msg_text(imp, &frame[ORMA_PB_JAVA_FRAME_SOURCE_FILE]),
            .line = orma_pb_u32(&frame[ORMA_PB_JAVA_FRAME_LINE_NUMBER]),
        };
    }
    uint32_t mapping = num ? orma_callstacks_dummy_mapping(imp->model, "art_process_metadata") : 0;
    while (num-- > 0) {
        frames[num].mapping = mapping;
        callsite = orma_callstacks_callsite(imp->model, callsite,
                                            orma_callstacks_frame(imp->model, &frames[num]));
    }
    return callsite;
}

static void add_oome(struct orma_import_ctx *imp, const struct orma_item *item, uint32_t graph,
                     const struct orma_pb_field *f)
{
    static const struct orma_msg_column columns[] = {
        {ORMA_PB_ART_PROCESS_METADATA_OOM_ALLOCATION_SIZE,
         ORMA_HEAP_GRAPH_JAVA_OOME_DETAILS_ALLOCATION_SIZE_BYTES, ORMA_MSG_INT, true},
        {ORMA_PB_ART_PROCESS_METADATA_OOM_TOTAL_BYTES_FREE,
         ORMA_HEAP_GRAPH_JAVA_OOME_DETAILS_TOTAL_BYTES_FREE, ORMA_MSG_INT, true},
        {ORMA_PB_ART_PROCESS_METADATA_OOM_FREE_BYTES_UNTIL_OOM,
         ORMA_HEAP_GRAPH_JAVA_OOME_DETAILS_FREE_BYTES_UNTIL_OOM, ORMA_MSG_INT, true},
        {ORMA_PB_ART_PROCESS_METADATA_OOM_ERROR_MSG, ORMA_HEAP_GRAPH_JAVA_OOME_DETAILS_ERROR_MSG,
         ORMA_MSG_TEXT, false},
    };
    struct orma_processes *p = orma_model_processes(imp->model, item->machine);
    uint32_t pid = orma_pb_u32(&f[ORMA_PB_ART_PROCESS_METADATA_PID]);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_HEAP_GRAPH_JAVA_OOME_DETAILS);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_HEAP_GRAPH_JAVA_OOME_DETAILS_HEAP_GRAPH_ID, row, graph);
    orma_msg_set_columns(imp, t, row, columns, ORMA_ARRAY_LEN(columns), f);
    if (!f[ORMA_PB_ART_PROCESS_METADATA_OOM_THREAD_JAVA_STACK].id)
        return;
    uint32_t callsite =
        callsite_of(imp, orma_pb_str(&f[ORMA_PB_ART_PROCESS_METADATA_OOM_THREAD_JAVA_STACK]));
    t = orma_model_table(imp->model, ORMA_TABLE_HEAP_GRAPH_THREAD_CALLSITE);
    row = orma_table_add(t);
    orma_table_set(t, ORMA_HEAP_GRAPH_THREAD_CALLSITE_HEAP_GRAPH_ID, row, graph);
    orma_table_set(t, ORMA_HEAP_GRAPH_THREAD_CALLSITE_UTID, row,
                   orma_processes_thread_of(p, pid, pid));
    if (callsite != ORMA_CALLSITE_NONE)
        orma_table_set(t, ORMA_HEAP_GRAPH_THREAD_CALLSITE_CALLSITE_ID, row, callsite);
}

/* The process, which others see; and its row's number as what is left. Stacks are of others, too.
 */
static bool glance(struct orma_import_ctx *imp, struct orma_item *item)
{
    struct orma_pb_field f[FIELDS];

    orma_msg_read(orma_msg_item(item), f, FIELDS);
    item->aux = add_process(imp, item, f);
    if (f[ORMA_PB_ART_PROCESS_METADATA_OOM_ALLOCATION_SIZE].id)
        orma_import_late_attach(imp, ORMA_FAMILY_HEAP_GRAPH);
    return true;
}

static bool parse_late(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_HEAP_GRAPH);
    struct orma_pb_field f[FIELDS];
    uint32_t row = orma_table_add(t);

    orma_msg_read(orma_msg_item(item), f, FIELDS);
    orma_table_set_time(t, ORMA_HEAP_GRAPH_TS, row, item->ts);
    orma_table_set(t, ORMA_HEAP_GRAPH_UPID, row, (int64_t)item->aux);
    if (!f[ORMA_PB_ART_PROCESS_METADATA_OOM_ALLOCATION_SIZE].id)
        return true;
    orma_table_set(t, ORMA_HEAP_GRAPH_DUMP_REASON, row, orma_model_lit(imp->model, "OOME"));
    add_oome(imp, item, row, f);
    return true;
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_ART_PROCESS_METADATA, 0};
const struct orma_importer orma_android_art_importer = {
    .name = "art",
    .fields = fields,
    .family = ORMA_FAMILY_HEAP_GRAPH,
    .glance = glance,
    .parse_late = parse_late,
};
