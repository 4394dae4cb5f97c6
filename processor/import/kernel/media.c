/*
 * Video devices and flash storage: buffers and commands on their way to the device and back.
 *
 * A buffer that is queued and dequeued is two instants joined by a flow: the first one leaves its
 * slice in the map of queued buffers, under a hash of what identifies the buffer; the second one
 * takes it. Commands of virtual devices have no duration in the trace and are drawn with a short
 * fixed one. Commands of flash storage are slices on one track per tag, and a counter of those in
 * flight.
 */

#include "processor/import/kernel/fields.h"

#include "processor/model/async.h"
#include "processor/model/flows.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/hash.h"

/* Buffers that a video device has: hash of what names them → the slice that queued them. */
static struct orma_map *queued(struct orma_import_ctx *imp)
{
    return orma_model_lazy(imp->model, (void **)&orma_kernel(imp)->media, sizeof(struct orma_map));
}

/* ---- Video for Linux ---- */

static uint32_t video_instant(struct orma_import_ctx *imp, const struct orma_args_list *args,
                              const struct orma_kernel_event *e, uint32_t name)
{
    return orma_slices_complete(&imp->model->slices, e->ts, 0,
                                orma_model_thread_track(imp->model, e->machine, e->utid),
                                orma_model_lit(imp->model, "Video 4 Linux 2"), name, args);
}

static void put(struct orma_import_ctx *imp, struct orma_args_list *args, const char *key,
                int64_t val)
{
    orma_args_put_uint(args, orma_model_cstr(imp->model, key), (uint64_t)val);
}

/* V4l2Qbuf and V4l2Dqbuf have the same fields. */
#define F(name) ORMA_PB_V4L2_QBUF_FTRACE_EVENT_##name

static uint64_t buffer_key(const struct orma_kernel_event *e, const struct orma_event_fields *f)
{
    const uint32_t parts[] = {e->machine, (uint32_t)f->num[F(MINOR)], (uint32_t)f->num[F(SEQUENCE)],
                              (uint32_t)f->num[F(TYPE)], (uint32_t)f->num[F(INDEX)]};

    return orma_fnv1a(ORMA_FNV1A_BASIS, parts, sizeof(parts));
}

/* A program hands a buffer to the device, or gets it back; an arrow leads from one to the other. */
static void video_buffer(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    bool queues = e->field == ORMA_PB_FTRACE_EVENT_V4L2_QBUF;
    struct orma_map *map = queued(imp);
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t name = orma_strpool_addf(
        &imp->model->storage->pool, "VIDIOC_%s minor=%u seq=%u type=%u index=%u",
        queues ? "QBUF" : "DQBUF", (unsigned)f.num[F(MINOR)], (unsigned)f.num[F(SEQUENCE)],
        (unsigned)f.num[F(TYPE)], (unsigned)f.num[F(INDEX)]);
    ORMA_MODEL_ARGS(args, imp->model);
    put(imp, args, "minor", f.num[F(MINOR)]);
    put(imp, args, "sequence", f.num[F(SEQUENCE)]);
    put(imp, args, "index", f.num[F(INDEX)]);
    put(imp, args, "bytesused", f.num[F(BYTESUSED)]);
    uint32_t slice = video_instant(imp, args, e, name);
    uint64_t key = buffer_key(e, &f);
    if (!map || slice == ORMA_SLICE_NONE)
        return;
    if (queues) {
        imp->model->storage->failed |= orma_map_put(map, key, slice) < 0;
        return;
    }
    uint64_t from = orma_map_take(map, key);
    if (from != ORMA_MAP_NONE)
        orma_flows_insert(imp->model, (uint32_t)from, slice);
}
#undef F

/* The same seen by the queues of the kernel; these events have their fields alike. */
#define F(name) ORMA_PB_VB2_V4L2_QBUF_FTRACE_EVENT_##name

static void video_queue(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    const char *what = "dqbuf";
    struct orma_event_fields f;

    if (e->field == ORMA_PB_FTRACE_EVENT_VB2_V4L2_BUF_QUEUE)
        what = "buf_queue";
    else if (e->field == ORMA_PB_FTRACE_EVENT_VB2_V4L2_BUF_DONE)
        what = "buf_done";
    else if (e->field == ORMA_PB_FTRACE_EVENT_VB2_V4L2_QBUF)
        what = "qbuf";
    orma_event_fields_read(&f, e->payload);
    uint32_t name =
        orma_strpool_addf(&imp->model->storage->pool, "vb2_v4l2_%s minor=%u seq=%u type=0 index=0",
                          what, (unsigned)f.num[F(MINOR)], (unsigned)f.num[F(SEQUENCE)]);
    ORMA_MODEL_ARGS(args, imp->model);
    put(imp, args, "minor", f.num[F(MINOR)]);
    put(imp, args, "sequence", f.num[F(SEQUENCE)]);
    (void)video_instant(imp, args, e, name);
}
#undef F

/* ---- virtual video devices ---- */

#define VIRTIO_INPUT 0x100
#define VIRTIO_OUTPUT 0x101
/* Commands have no length; this much can be seen. */
#define COMMAND_NS 100000

static struct orma_track_spec stream_spec(struct orma_import_ctx *imp,
                                          const struct orma_kernel_event *e, const char *type,
                                          uint32_t stream, struct orma_track_dim second,
                                          const char *what)
{
    struct orma_track_spec spec = {
        .type = type,
        .event = ORMA_TRACK_SLICES,
        .machine = e->machine,
        .dims_num = 2,
        .dims = {orma_dim(orma_model_lit(imp->model, "virtio_stream_id"), stream), second},
        .name = orma_strpool_addf(&imp->model->storage->pool, "virtio_video stream #%u %s", stream,
                                  what),
        .parent = ORMA_TRACK_NONE,
    };

    return spec;
}

static const char *command_name(uint64_t type)
{
    static const char *const names[] = {
        "QUERY_CAPABILITY", "STREAM_CREATE",  "STREAM_DESTROY",       "STREAM_DRAIN",
        "RESOURCE_CREATE",  "RESOURCE_QUEUE", "RESOURCE_DESTROY_ALL", "QUEUE_CLEAR",
        "GET_PARAMS",       "SET_PARAMS",     "QUERY_CONTROL",        "GET_CONTROL",
        "SET_CONTROL",
    };

    return type >= 0x100 && type - 0x100 < ORMA_ARRAY_LEN(names) ? names[type - 0x100] : NULL;
}

static void virtio_command(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    bool done = e->field == ORMA_PB_FTRACE_EVENT_VIRTIO_VIDEO_CMD_DONE;
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t type = (uint64_t)f.num[ORMA_PB_VIRTIO_VIDEO_CMD_FTRACE_EVENT_TYPE];
    const struct orma_track_spec spec = stream_spec(
        imp, e, "virtio_video_command",
        (uint32_t)f.num[ORMA_PB_VIRTIO_VIDEO_CMD_FTRACE_EVENT_STREAM_ID],
        orma_dim(orma_model_lit(imp->model, "is_response"), done), done ? "Responses" : "Requests");
    const char *name = command_name(type);
    orma_slices_complete(
        &imp->model->slices, e->ts, COMMAND_NS,
        orma_async_instant(imp->model, &spec, e->ts, COMMAND_NS), 0,
        name ? orma_model_cstr(imp->model, name)
             : orma_strpool_addf(&imp->model->storage->pool, "0x%llx", (unsigned long long)type),
        NULL);
}

#define F(name) ORMA_PB_VIRTIO_VIDEO_RESOURCE_QUEUE_FTRACE_EVENT_##name

static void virtio_resource(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    bool done = e->field == ORMA_PB_FTRACE_EVENT_VIRTIO_VIDEO_RESOURCE_QUEUE_DONE;
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t queue = (uint64_t)f.num[F(QUEUE_TYPE)];
    if (queue != VIRTIO_INPUT && queue != VIRTIO_OUTPUT)
        return;
    const struct orma_track_spec spec =
        stream_spec(imp, e, "virtio_video_queue_event", (uint32_t)f.num[F(STREAM_ID)],
                    orma_dim(orma_model_lit(imp->model, "virtio_queue_type"), (int64_t)queue),
                    queue == VIRTIO_INPUT ? "INPUT" : "OUTPUT");
    uint32_t resource = (uint32_t)f.num[F(RESOURCE_ID)];
    uint32_t name = orma_strpool_addf(&imp->model->storage->pool, "Resource #%u", resource);
    ORMA_MODEL_ARGS(args, imp->model);
    put(imp, args, "data_size0", f.num[F(DATA_SIZE0)]);
    put(imp, args, "data_size1", f.num[F(DATA_SIZE1)]);
    put(imp, args, "data_size2", f.num[F(DATA_SIZE2)]);
    put(imp, args, "data_size3", f.num[F(DATA_SIZE3)]);
    put(imp, args, "timestamp", f.num[F(TIMESTAMP)]);
    if (done)
        orma_slices_end(&imp->model->slices, e->ts,
                        orma_async_end(imp->model, &spec, resource, e->ts), 0, 0, args);
    else
        orma_slices_begin(&imp->model->slices, e->ts,
                          orma_async_begin(imp->model, &spec, resource, e->ts, false), 0, name,
                          args);
}
#undef F

/* ---- UFS: flash storage that speaks SCSI ---- */

static const char *scsi_name(uint64_t opcode)
{
    static const struct {
        uint8_t opcode;
        const char *name;
    } names[] = {
        {0, "TEST UNIT READY"},
        {3, "REQUEST SENSE"},
        {4, "FORMAT UNIT"},
        {8, "READ (6)"},
        {10, "WRITE (6)"},
        {18, "INQUIRY"},
        {27, "START STOP UNIT"},
        {29, "SEND DIAGNOSTIC"},
        {37, "READ CAPACITY (10)"},
        {40, "READ (10)"},
        {42, "WRITE (10)"},
        {47, "VERIFY"},
        {52, "PRE-FETCH (10)"},
        {53, "SYNCHRONIZE CACHE (10)"},
        {59, "WRITE BUFFER"},
        {60, "READ BUFFER"},
        {66, "UNMAP"},
        {85, "MODE SELECT (10)"},
        {90, "MODE SENSE (10)"},
        {136, "READ (16)"},
        {138, "WRITE (16)"},
        {144, "PRE-FETCH (16)"},
        {145, "SYNCHRONIZE CACHE (16)"},
        {158, "READ CAPACITY (16)"},
        {160, "REPORT LUNS"},
        {162, "SECURITY PROTOCOL IN"},
        {181, "SECURITY PROTOCOL OUT"},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++)
        if (names[i].opcode == opcode)
            return names[i].name;
    return "UNDEFINED";
}

#define F(name) ORMA_PB_UFSHCD_COMMAND_FTRACE_EVENT_##name
#define UFS_COMPLETE 1

static void ufs_command(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint32_t doorbell = (uint32_t)f.num[F(DOORBELL)], group = (uint32_t)f.num[F(GROUP_ID)];
    uint32_t tag = (uint32_t)f.num[F(TAG)];
    bool complete = f.num[F(STR_T)] == UFS_COMPLETE;
    int waiting = doorbell ? __builtin_popcount(doorbell) : !complete;
    const struct orma_track_dim dim = orma_dim(orma_model_lit(imp->model, "ufs_tag"), tag);
    orma_model_counter(imp->model, e->ts,
                       orma_model_counter_track(imp->model, e->machine, "ufs_command_count",
                                                orma_model_lit(imp->model, "io.ufs.command.count"),
                                                NULL, 0, NULL),
                       waiting);
    uint32_t track = orma_model_slice_track(
        imp->model, e->machine, "ufs_command_tag",
        orma_strpool_addf(&imp->model->storage->pool, "io.ufs.command.tag[%03u]", tag), 1, &dim);
    if (complete) {
        orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, NULL);
        return;
    }
    const char *name = scsi_name((uint64_t)f.num[F(OPCODE)]);
    orma_slices_begin(
        &imp->model->slices, e->ts, track, 0,
        group ? orma_strpool_addf(&imp->model->storage->pool, "%s (GID=0x%x)", name, group)
              : orma_model_cstr(imp->model, name),
        NULL);
}
#undef F

/* Off, about to be off, about to be on, on: as numbers that rise. */
static void ufs_clock(struct orma_import_ctx *imp, const struct orma_kernel_event *e)
{
    static const uint8_t heights[] = {0, 3, 1, 2};
    struct orma_event_fields f;

    orma_event_fields_read(&f, e->payload);
    uint64_t state = (uint64_t)f.num[ORMA_PB_UFSHCD_CLK_GATING_FTRACE_EVENT_STATE];
    uint32_t track = orma_model_counter_track(
        imp->model, e->machine, "ufs_clkgating",
        orma_model_lit(imp->model, "io.ufs.clkgating (OFF:0/REQ_OFF/REQ_ON/ON:3)"), NULL, 0, NULL);
    orma_model_counter(imp->model, e->ts, track,
                       state < ORMA_ARRAY_LEN(heights) ? heights[state] : 0);
}

static void fini(struct orma_import_ctx *imp)
{
    if (orma_kernel(imp)->media)
        orma_map_fini(orma_kernel(imp)->media);
}

static const uint16_t no_fields[] = {0};
const struct orma_importer orma_kernel_media_importer = {
    .name = "media", .fields = no_fields, .fini = fini};

const struct orma_kernel_handler orma_kernel_media_handlers[] = {
    {ORMA_PB_FTRACE_EVENT_V4L2_QBUF, video_buffer},
    {ORMA_PB_FTRACE_EVENT_V4L2_DQBUF, video_buffer},
    {ORMA_PB_FTRACE_EVENT_VB2_V4L2_BUF_QUEUE, video_queue},
    {ORMA_PB_FTRACE_EVENT_VB2_V4L2_BUF_DONE, video_queue},
    {ORMA_PB_FTRACE_EVENT_VB2_V4L2_QBUF, video_queue},
    {ORMA_PB_FTRACE_EVENT_VB2_V4L2_DQBUF, video_queue},
    {ORMA_PB_FTRACE_EVENT_VIRTIO_VIDEO_CMD, virtio_command},
    {ORMA_PB_FTRACE_EVENT_VIRTIO_VIDEO_CMD_DONE, virtio_command},
    {ORMA_PB_FTRACE_EVENT_VIRTIO_VIDEO_RESOURCE_QUEUE, virtio_resource},
    {ORMA_PB_FTRACE_EVENT_VIRTIO_VIDEO_RESOURCE_QUEUE_DONE, virtio_resource},
    {ORMA_PB_FTRACE_EVENT_UFSHCD_COMMAND, ufs_command},
    {ORMA_PB_FTRACE_EVENT_UFSHCD_CLK_GATING, ufs_clock},
    {0, NULL},
};
