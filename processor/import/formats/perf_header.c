/*
 * The header of perf.data, its attrs and features.
 *
 * The header points to three sections: attrs (one per event that was counted, each with the ids
 * that its samples carry), data (the records), and behind the data one section per feature whose
 * bit is set, in the order of the bits. Attrs are read first, because the descriptions of events
 * name them by id. All reads go through a cursor that fails at the end of its section.
 *
 * What was recorded to a pipe has a short header, and records instead of sections. They are read
 * before the others are, for which they may come too late otherwise.
 */
#include "processor/import/formats/perf_data.h"

#include <errno.h>

#include "processor/model/callstacks.h"

#define HEADER_SIZE 104
#define PIPE_HEADER_SIZE 16
#define ATTR_MIN 64 /* of the first version */

enum feature {
    FEATURE_BUILD_ID = 2,
    FEATURE_OSRELEASE = 4,
    FEATURE_CMDLINE = 11,
    FEATURE_EVENT_DESC = 12,
    FEATURES_NUM = 256,
};

struct section {
    uint64_t offset, size;
};

static struct section read_section(struct orma_perf_cursor *c)
{
    struct section s;

    s.offset = orma_format_perf_number(c, 8);
    s.size = orma_format_perf_number(c, 8);
    return s;
}

/* A cursor over the section; empty if it lies outside. */
static struct orma_perf_cursor at(struct orma_str bytes, struct section s)
{
    const uint8_t *data = (const uint8_t *)bytes.data;

    if (s.offset > bytes.len || s.size > bytes.len - s.offset)
        return (struct orma_perf_cursor){data, data, true};
    return (struct orma_perf_cursor){data + s.offset, data + s.offset + s.size, false};
}

static struct orma_str text(struct orma_perf_cursor *c)
{
    uint64_t len = orma_format_perf_number(c, 4);
    struct orma_str ret = {(const char *)c->pos, 0};

    if (len > (size_t)(c->end - c->pos)) {
        c->failed = true;
        return ret;
    }
    ret.len = strnlen(ret.data, (size_t)len);
    c->pos += len;
    return ret;
}

static void read_attr(struct orma_perf_attr *a, struct orma_perf_cursor c)
{
    a->type = (uint32_t)orma_format_perf_number(&c, 4);
    (void)orma_format_perf_number(&c, 4); /* its own size is ignored: the section has one */
    a->config = orma_format_perf_number(&c, 8);
    a->period = orma_format_perf_number(&c, 8);
    a->sample_type = orma_format_perf_number(&c, 8);
    a->read_format = orma_format_perf_number(&c, 8);
    a->flags = orma_format_perf_number(&c, 8);
    a->clockid = -1;
    c.pos += ORMA_MIN((size_t)(c.end - c.pos), (size_t)44); /* up to clockid */
    if (a->flags >> 25 & 1 && c.end - c.pos >= 4)
        a->clockid = (int32_t)orma_format_perf_number(&c, 4);
}

static void add_id(struct orma_file *file, struct orma_perf_data *p, uint64_t id)
{
    file->imp->model->storage->failed |= orma_map_put(&p->ids, id, p->attrs_num) < 0;
}

static void read_attrs(struct orma_file *file, struct orma_perf_data *p, struct orma_str bytes,
                       struct section attrs, uint64_t attr_size)
{
    struct orma_perf_cursor c = at(bytes, attrs);

    while ((size_t)(c.end - c.pos) >= attr_size && p->attrs_num < ORMA_PERF_ATTRS_MAX) {
        struct orma_perf_cursor attr = {c.pos, c.pos + attr_size - 16, false};
        struct orma_perf_cursor tail = {attr.end, attr.end + 16, false};
        struct orma_perf_cursor ids = at(bytes, read_section(&tail));

        read_attr(&p->attrs[p->attrs_num], attr);
        while (ids.end - ids.pos >= 8)
            add_id(file, p, orma_format_perf_number(&ids, 8));
        p->attrs_num++;
        c.pos += attr_size;
    }
}

/* ---- features ---- */

static void read_cmdline(struct orma_import_ctx *imp, struct orma_perf_data *p,
                         struct orma_perf_cursor c)
{
    struct orma_buf line = {0};

    for (uint64_t num = orma_format_perf_number(&c, 4); num-- > 0 && !c.failed;) {
        struct orma_str arg = text(&c);

        if (line.len)
            orma_buf_put_byte(&line, ' ');
        orma_buf_put(&line, arg.data, arg.len);
    }
    orma_table_set(orma_model_table(imp->model, ORMA_TABLE_PROFILER_SESSION),
                   ORMA_PROFILER_SESSION_CMDLINE, p->session,
                   orma_model_str(imp->model, orma_buf_str(&line)));
    imp->model->storage->failed |= line.failed;
    orma_buf_fini(&line);
}

static void read_event_desc(struct orma_import_ctx *imp, struct orma_perf_data *p,
                            struct orma_perf_cursor c)
{
    uint64_t num = orma_format_perf_number(&c, 4), size = orma_format_perf_number(&c, 4);

    for (unsigned i = 0; i < num && i < ORMA_PERF_ATTRS_MAX && !c.failed; i++) {
        if (size > (size_t)(c.end - c.pos))
            return;
        c.pos += size;
        uint64_t ids = orma_format_perf_number(&c, 4);
        struct orma_str name = text(&c);
        unsigned attr = i;

        for (; ids > 0 && !c.failed; ids--) {
            uint64_t found = orma_map_get(&p->ids, orma_format_perf_number(&c, 8));

            attr = found == ORMA_MAP_NONE ? attr : (unsigned)found;
        }
        if (!c.failed && attr < p->attrs_num)
            p->attrs[attr].name = orma_model_str(imp->model, name);
    }
}

static void read_build_ids(struct orma_import_ctx *imp, struct orma_perf_data *p,
                           struct orma_perf_cursor c)
{
    while (c.end - c.pos >= 8) {
        struct orma_perf_cursor r = c;
        (void)orma_format_perf_number(&r, 4);
        uint64_t misc = orma_format_perf_number(&r, 2), size = orma_format_perf_number(&r, 2);

        if (size < 36 || size > (size_t)(c.end - c.pos))
            return;
        const uint8_t *id = c.pos + 12;
        size_t len = misc >> 15 & 1 ? ORMA_MIN(id[20], 20) : 20;
        const struct orma_str name = {(const char *)c.pos + 36,
                                      strnlen((const char *)c.pos + 36, size - 36)};
        imp->model->storage->failed |=
            orma_map_put(
                &p->build_ids, orma_model_str(imp->model, name),
                orma_callstacks_build_id(imp->model, (struct orma_str){(const char *)id, len})) < 0;
        c.pos += size;
    }
}

static void read_feature(struct orma_import_ctx *imp, struct orma_perf_data *p, unsigned feature,
                         struct orma_perf_cursor c)
{
    switch (feature) {
    case FEATURE_BUILD_ID:
        read_build_ids(imp, p, c);
        break;
    case FEATURE_OSRELEASE:
        orma_metadata_str(imp->model, "system_release", false, ORMA_METADATA_MACHINE, 0,
                          orma_model_str(imp->model, text(&c)));
        break;
    case FEATURE_CMDLINE:
        read_cmdline(imp, p, c);
        break;
    case FEATURE_EVENT_DESC:
        read_event_desc(imp, p, c);
        break;
    default:
        orma_stats_add_at(orma_model_stats(imp->model, imp->model->base),
                          ORMA_STAT_PERF_FEATURES_SKIPPED, (int32_t)feature, 1);
    }
}

/* ---- through a pipe ---- */

/* An attr, as large as it says, and ids. */
static void piped_attr(struct orma_file *file, struct orma_perf_data *p, struct orma_perf_cursor c)
{
    struct orma_perf_cursor size = c, attr = c;

    (void)orma_format_perf_number(&size, 4);
    uint64_t len = orma_format_perf_number(&size, 4);
    if (size.failed || len < ATTR_MIN || len > (size_t)(c.end - c.pos) ||
        p->attrs_num == ORMA_PERF_ATTRS_MAX)
        return;
    attr.end = attr.pos + len;
    read_attr(&p->attrs[p->attrs_num], attr);
    for (c.pos += len; c.end - c.pos >= 8;)
        add_id(file, p, orma_format_perf_number(&c, 8));
    p->attrs_num++;
}

/* What changes about an event: its name is the second kind of change. */
static void piped_update(struct orma_file *file, struct orma_perf_data *p,
                         struct orma_perf_cursor c)
{
    uint64_t what = orma_format_perf_number(&c, 8);
    uint64_t attr = orma_map_get(&p->ids, orma_format_perf_number(&c, 8));
    const struct orma_str name = {(const char *)c.pos,
                                  strnlen((const char *)c.pos, (size_t)(c.end - c.pos))};

    if (what == 2 && attr < p->attrs_num)
        p->attrs[attr].name = orma_model_str(file->imp->model, name);
}

/* What a file has in its sections comes as records between the others. */
static bool read_piped(struct orma_file *file, struct orma_perf_data *p, struct orma_str bytes)
{
    const uint8_t *pos = (const uint8_t *)bytes.data + PIPE_HEADER_SIZE;
    const uint8_t *end = (const uint8_t *)bytes.data + bytes.len;

    p->piped = true;
    p->session = orma_callstacks_session(file->imp->model, "linux.perf", 0);
    p->data = (struct orma_str){(const char *)pos, (size_t)(end - pos)};
    while (end - pos >= 8) {
        struct orma_perf_cursor c = {pos, end, false};
        uint32_t type = (uint32_t)orma_format_perf_number(&c, 4);
        (void)orma_format_perf_number(&c, 2);
        uint32_t size = (uint32_t)orma_format_perf_number(&c, 2);

        if (size < 8 || size > (size_t)(end - pos))
            break; /* who reads the records will tell */
        c.end = pos + size;
        uint64_t behind = orma_format_perf_behind(type, c);
        if (type == ORMA_PERF_RECORD_ATTR)
            piped_attr(file, p, c);
        else if (type == ORMA_PERF_RECORD_EVENT_UPDATE)
            piped_update(file, p, c);
        else if (type == ORMA_PERF_RECORD_FEATURE)
            read_feature(file->imp, p, (unsigned)orma_format_perf_number(&c, 8), c);
        pos += size;
        pos += ORMA_MIN(behind, (uint64_t)(end - pos));
    }
    if (!p->attrs_num)
        orma_file_error(file, -EBADMSG,
                        "perf.data has no attributes: its records can't be read (ERR:tp-parse)");
    return p->attrs_num > 0;
}

uint64_t orma_format_perf_behind(uint32_t type, struct orma_perf_cursor c)
{
    if (type == ORMA_PERF_RECORD_AUXTRACE)
        return orma_format_perf_number(&c, 8);
    if (type == ORMA_PERF_RECORD_TRACING_DATA)
        return orma_align_up(orma_format_perf_number(&c, 4), 8);
    return 0;
}

bool orma_format_perf_read_header(struct orma_file *file, struct orma_perf_data *p,
                                  struct orma_str bytes)
{
    struct orma_perf_cursor c = at(bytes, (struct section){8, bytes.len - ORMA_MIN(bytes.len, 8u)});
    uint64_t size = orma_format_perf_number(&c, 8), bits[4];

    if (size == PIPE_HEADER_SIZE && !c.failed)
        return read_piped(file, p, bytes);
    uint64_t attr_size = orma_format_perf_number(&c, 8);
    struct section attrs = read_section(&c), data = read_section(&c);

    (void)read_section(&c); /* names of event types, obsolete */
    for (unsigned i = 0; i < 4; i++)
        bits[i] = orma_format_perf_number(&c, 8);
    if (size != HEADER_SIZE || c.failed || attr_size < ATTR_MIN + 16 || attr_size > 4096) {
        orma_file_error(file, -EBADMSG,
                        "Failed to perf file header size. Expected %d, found %llu (ERR:tp-parse)",
                        HEADER_SIZE, (unsigned long long)size);
        return false;
    }
    read_attrs(file, p, bytes, attrs, attr_size);
    if (!p->attrs_num || data.offset > bytes.len) {
        orma_file_error(
            file, -EBADMSG,
            "perf.data has no attributes, or is truncated before its data (ERR:tp-parse)");
        return false;
    }
    p->session = orma_callstacks_session(file->imp->model, "linux.perf", 0);
    data.size = ORMA_MIN(data.size, bytes.len - data.offset);
    p->data = (struct orma_str){bytes.data + data.offset, data.size};
    c = at(bytes, (struct section){data.offset + data.size, bytes.len - data.offset - data.size});
    for (unsigned i = 0; i < FEATURES_NUM; i++)
        if (bits[i / 64] >> (i % 64) & 1)
            read_feature(file->imp, p, i, at(bytes, read_section(&c)));
    return true;
}
