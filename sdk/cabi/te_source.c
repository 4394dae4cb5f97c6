/* Track events as a data source. */
#include "protos/fields/common.h"
#include "protos/fields/track_event.h"
#include "sdk/cabi/te.h"
#include "sdk/events/te.h"
#include "sdk/wire/pb_writer.h"

static struct orma_cabi_type te_type;
static atomic_bool offered;

static void put_category(void *ctx, const struct orma_cabi_category_desc *desc)
{
    struct orma_buf *b = ctx;
    size_t at = orma_pb_begin(b, ORMA_PB_TRACK_EVENT_DESCRIPTOR_AVAILABLE_CATEGORIES);

    orma_pb_put_cstr(b, ORMA_PB_TRACK_EVENT_CATEGORY_NAME, desc->name ? desc->name : "");
    if (desc->description)
        orma_pb_put_cstr(b, ORMA_PB_TRACK_EVENT_CATEGORY_DESCRIPTION, desc->description);
    for (size_t i = 0; i < desc->tags_num; i++)
        orma_pb_put_cstr(b, ORMA_PB_TRACK_EVENT_CATEGORY_TAGS, desc->tags[i]);
    orma_pb_end(b, at);
}

static void put_descriptor(struct orma_buf *b)
{
    orma_pb_put_cstr(b, ORMA_PB_DATA_SOURCE_DESCRIPTOR_NAME, "track_event");
    orma_pb_put_u64(b, ORMA_PB_DATA_SOURCE_DESCRIPTOR_WILL_NOTIFY_ON_STOP, 1);
    size_t at = orma_pb_begin(b, ORMA_PB_DATA_SOURCE_DESCRIPTOR_TRACK_EVENT_DESCRIPTOR);
    orma_cabi_categories_each(put_category, b);
    orma_pb_end(b, at);
}

void PerfettoTeInit(void)
{
    ORMA_HUSHED;
    struct orma_buf b = {0};

    if (!orma_cabi_is_ready())
        return;
    if (atomic_exchange_explicit(&offered, true, memory_order_relaxed))
        return;
    orma_te_watch_forks();
    orma_cabi_te_begin();
    perfetto_te_process_track_uuid = orma_te_process_uuid();
    put_descriptor(&b);
    te_type.registered = true;
    if (b.failed || orma_cabi_type_add(&te_type, orma_buf_str(&b)) < 0)
        te_type.registered = false;
    orma_buf_fini(&b);
}

/* On the loop: of several calls at a time the last one has all categories. */
static void publish(void *arg)
{
    struct orma_buf b = {0};

    (void)arg;
    put_descriptor(&b);
    if (!b.failed) {
        orma_cabi_type_describe(&te_type, orma_buf_str(&b));
        orma_cabi_system_update(&te_type);
    }
    orma_buf_fini(&b);
}

void PerfettoTePublishCategories(void)
{
    ORMA_HUSHED;

    if (te_type.registered && orma_cabi_is_ready())
        (void)orma_cabi_post(publish, NULL);
}

void orma_cabi_te_revive(void)
{
    if (atomic_load_explicit(&offered, memory_order_relaxed))
        perfetto_te_process_track_uuid = orma_te_process_uuid();
}
