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
#include <stdlib.h>

#include "processor/model/callstacks.h"

#define HEADER_SIZE 104
#define PIPE_HEADER_SIZE 16
#define ATTR_MIN 64 /* of the first version */

enum feature {
    FEATURE_TRACING_DATA = 1,
    FEATURE_BUILD_ID = 2,
    FEATURE_OSRELEASE = 4,
    FEATURE_ARCH = 6,
    FEATURE_CMDLINE = 11,
    FEATURE_EVENT_DESC = 12,
    FEATURES_NUM = 256,
};

struct section {
    uint64_t offset, size;
};

/* The header, its two tables, the obsolete names, the data, and of each event and feature one. */
#define SECTIONS_MAX (5 + ORMA_PERF_ATTRS_MAX + FEATURES_NUM)

/* What the header leads to: whatever else is in the file is told. */
struct layout {
    struct orma_str bytes;
    struct section list[SECTIONS_MAX];
    unsigned num;
    bool truncated; /* one of them ends behind the file */
};

static struct section read_section(struct orma_perf_cursor *c)
{
    struct section s;

    s.offset = orma_format_perf_number(c, 8);
    s.size = orma_format_perf_number(c, 8);
    return s;
}

/* A cursor over the section, as far as it lies in the file. */
static struct orma_perf_cursor at(struct layout *l, struct section s)
{
    const uint8_t *data = (const uint8_t *)l->bytes.data;

    l->truncated |= s.offset > l->bytes.len || s.size > l->bytes.len - s.offset;
    s.offset = ORMA_MIN(s.offset, l->bytes.len);
    s.size = ORMA_MIN(s.size, l->bytes.len - s.offset);
    if (s.size && l->num < SECTIONS_MAX)
        l->list[l->num++] = s;
    return (struct orma_perf_cursor){data + s.offset, data + s.offset + s.size, false};
}

static int by_offset(const void *a, const void *b)
{
    const struct section *x = a, *y = b;

    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sections are aligned: a few bytes between them are zero. */
static void tell_gap(struct orma_file *file, const struct layout *l, uint64_t from, uint64_t to)
{
    const char *data = l->bytes.data;

    for (; from < to && !data[from]; from++)
        continue;
    if (from < to)
        orma_file_damage(file, data + from, (size_t)(to - from),
                         "bytes of perf.data that its header does not lead to");
}

static void tell_gaps(struct orma_file *file, struct layout *l)
{
    uint64_t end = 0;

    qsort(l->list, l->num, sizeof(*l->list), by_offset);
    for (unsigned i = 0; i < l->num; i++) {
        tell_gap(file, l, end, l->list[i].offset);
        end = ORMA_MAX(end, l->list[i].offset + l->list[i].size);
    }
    tell_gap(file, l, end, l->bytes.len);
}

static void lacks(struct orma_file *file, const char *kind, const uint8_t *where)
{
    orma_file_part(file, ORMA_ACCOUNT_DAMAGED, kind, where);
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

#define MANY_ATTRS "descriptions of events behind the 256th"

/* False: there are more than are read, and where their ids lie is not known. */
static bool read_attrs(struct orma_file *file, struct orma_perf_data *p, struct layout *l,
                       struct section attrs, uint64_t attr_size)
{
    struct orma_perf_cursor c = at(l, attrs);

    while ((size_t)(c.end - c.pos) >= attr_size && p->attrs_num < ORMA_PERF_ATTRS_MAX) {
        struct orma_perf_cursor attr = {c.pos, c.pos + attr_size - 16, false};
        struct orma_perf_cursor tail = {attr.end, attr.end + 16, false};
        struct orma_perf_cursor ids = at(l, read_section(&tail));

        read_attr(&p->attrs[p->attrs_num], attr);
        while (ids.end - ids.pos >= 8)
            add_id(file, p, orma_format_perf_number(&ids, 8));
        p->attrs_num++;
        c.pos += attr_size;
    }
    const uint64_t left = (uint64_t)(c.end - c.pos) / attr_size;
    if (left)
        orma_file_parts(file, ORMA_ACCOUNT_NOT_READ, MANY_ATTRS, left);
    else if (c.pos < c.end)
        lacks(file, "descriptions of events", c.pos);
    return !left;
}

/* ---- features ---- */

/* "perf sched record", and options like -a and -C. */
static bool says_all(unsigned at, struct orma_str arg, struct orma_str before)
{
    return (at == 2 && orma_str_eq_c(before, "sched") && orma_str_eq_c(arg, "record")) ||
           orma_str_starts(arg, ORMA_STR("--all-cpus")) ||
           orma_str_starts(arg, ORMA_STR("--cpu=")) || orma_str_eq_c(arg, "--cpu") ||
           (arg.len > 1 && arg.data[0] == '-' && (arg.data[1] == 'a' || arg.data[1] == 'C'));
}

static void read_cmdline(struct orma_file *file, struct orma_perf_data *p,
                         struct orma_perf_cursor c)
{
    struct orma_import_ctx *imp = file->imp;
    struct orma_buf line = {0};
    struct orma_str before = {"", 0};
    bool of_command = false;
    unsigned at = 0;

    for (uint64_t num = orma_format_perf_number(&c, 4); num-- > 0 && !c.failed; at++) {
        struct orma_str arg = text(&c);

        of_command |= orma_str_eq_c(arg, "--");
        p->of_all |= !of_command && says_all(at, arg, before);
        before = arg;
        if (line.len)
            orma_buf_put_byte(&line, ' ');
        orma_buf_put(&line, arg.data, arg.len);
    }
    orma_table_set(orma_model_table(imp->model, ORMA_TABLE_PROFILER_SESSION),
                   ORMA_PROFILER_SESSION_CMDLINE, p->session,
                   orma_model_str(imp->model, orma_buf_str(&line)));
    imp->model->storage->failed |= line.failed;
    orma_buf_fini(&line);
    if (c.failed)
        lacks(file, "command lines", c.pos);
}

static void read_event_desc(struct orma_file *file, struct orma_perf_data *p,
                            struct orma_perf_cursor c)
{
    uint64_t num = orma_format_perf_number(&c, 4), size = orma_format_perf_number(&c, 4);

    for (unsigned i = 0; i < num && i < ORMA_PERF_ATTRS_MAX && !c.failed; i++) {
        c.failed |= size > (size_t)(c.end - c.pos);
        c.pos += c.failed ? 0 : size;
        uint64_t ids = orma_format_perf_number(&c, 4);
        struct orma_str name = text(&c);
        unsigned attr = i;

        for (; ids > 0 && !c.failed; ids--) {
            uint64_t found = orma_map_get(&p->ids, orma_format_perf_number(&c, 8));

            attr = found == ORMA_MAP_NONE ? attr : (unsigned)found;
        }
        if (!c.failed && attr < p->attrs_num)
            p->attrs[attr].name = orma_model_str(file->imp->model, name);
    }
    if (c.failed)
        lacks(file, "names of events", c.pos);
}

static void read_build_ids(struct orma_file *file, struct orma_perf_data *p,
                           struct orma_perf_cursor c)
{
    struct orma_import_ctx *imp = file->imp;

    while (c.end - c.pos >= 8) {
        struct orma_perf_cursor r = c;
        (void)orma_format_perf_number(&r, 4);
        uint64_t misc = orma_format_perf_number(&r, 2), size = orma_format_perf_number(&r, 2);

        if (size < 36 || size > (size_t)(c.end - c.pos))
            break;
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
    if (c.pos < c.end)
        lacks(file, "build ids of files", c.pos);
}

static void read_feature(struct orma_file *file, struct orma_perf_data *p, unsigned feature,
                         struct orma_perf_cursor c)
{
    struct orma_import_ctx *imp = file->imp;

    switch (feature) {
    case FEATURE_TRACING_DATA:
        p->formats = (struct orma_str){(const char *)c.pos, (size_t)(c.end - c.pos)};
        break;
    case FEATURE_BUILD_ID:
        read_build_ids(file, p, c);
        break;
    case FEATURE_OSRELEASE:
        orma_metadata_str(imp->model, "system_release", false, ORMA_METADATA_MACHINE, 0,
                          orma_model_str(imp->model, p->release = text(&c)));
        if (c.failed)
            lacks(file, "names of the system", c.pos);
        break;
    case FEATURE_ARCH: /* which is in no table */
        p->arch = text(&c);
        orma_stats_add_at(orma_model_stats(imp->model, imp->model->base),
                          ORMA_STAT_PERF_FEATURES_SKIPPED, (int32_t)feature, 1);
        if (c.failed)
            lacks(file, "names of the system", c.pos);
        break;
    case FEATURE_CMDLINE:
        read_cmdline(file, p, c);
        break;
    case FEATURE_EVENT_DESC:
        read_event_desc(file, p, c);
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
    if (size.failed || len < ATTR_MIN || len > (size_t)(c.end - c.pos)) {
        lacks(file, "descriptions of events", c.pos);
        return;
    }
    if (p->attrs_num == ORMA_PERF_ATTRS_MAX) {
        orma_file_part(file, ORMA_ACCOUNT_NOT_READ, MANY_ATTRS, c.pos);
        return;
    }
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
            read_feature(file, p, (unsigned)orma_format_perf_number(&c, 8), c);
        pos += size;
        if (type == ORMA_PERF_RECORD_TRACING_DATA)
            p->formats = (struct orma_str){(const char *)pos,
                                           (size_t)ORMA_MIN(behind, (uint64_t)(end - pos))};
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

/*
 * A recording that was killed has a size of 0, since that is written last: its data reach to the
 * end of the file, and there are no features.
 */
static struct section find_data(struct orma_file *file, struct section data, size_t len)
{
    if (data.size || data.offset >= len)
        return data;
    orma_file_part(file, ORMA_ACCOUNT_MISSING,
                   "ends of the recording (the size of its data is 0, as perf leaves it when it is "
                   "killed)",
                   NULL);
    data.size = len - data.offset;
    return data;
}

/* Features that perf could not write have left entries without a size behind those of the table. */
static void pass_empty_entries(struct layout *l, uint64_t from)
{
    uint64_t to = l->bytes.len;

    for (unsigned i = 0; i < l->num; i++)
        if (l->list[i].offset >= from)
            to = ORMA_MIN(to, l->list[i].offset);
    for (; from < to && to - from >= 16 && l->num < SECTIONS_MAX; from += 16) {
        struct orma_perf_cursor c = at(l, (struct section){from, 16});

        if (read_section(&c).size) {
            l->num--;
            return;
        }
    }
}

static void read_features(struct orma_file *file, struct orma_perf_data *p, struct layout *l,
                          uint64_t from, const uint64_t *bits)
{
    unsigned num = 0;

    for (unsigned i = 0; i < 4; i++)
        num += (unsigned)__builtin_popcountll(bits[i]);
    struct orma_perf_cursor c = at(l, (struct section){from, num * UINT64_C(16)});
    for (unsigned i = 0; i < FEATURES_NUM; i++)
        if (bits[i / 64] >> (i % 64) & 1 && c.end - c.pos >= 16)
            read_feature(file, p, i, at(l, read_section(&c)));
    if (c.pos == c.end && from < l->bytes.len)
        pass_empty_entries(l, from + num * UINT64_C(16));
}

bool orma_format_perf_read_header(struct orma_file *file, struct orma_perf_data *p,
                                  struct orma_str bytes)
{
    struct layout l = {.bytes = bytes};
    struct orma_perf_cursor c = at(&l, (struct section){0, ORMA_MIN(bytes.len, HEADER_SIZE)});
    uint64_t bits[4];

    (void)orma_format_perf_number(&c, 8); /* the magic */
    uint64_t size = orma_format_perf_number(&c, 8);

    if (size == PIPE_HEADER_SIZE && !c.failed)
        return read_piped(file, p, bytes);
    uint64_t attr_size = orma_format_perf_number(&c, 8);
    struct section attrs = read_section(&c), data = read_section(&c), types = read_section(&c);

    for (unsigned i = 0; i < 4; i++)
        bits[i] = orma_format_perf_number(&c, 8);
    if (size != HEADER_SIZE || c.failed || attr_size < ATTR_MIN + 16 || attr_size > 4096) {
        orma_file_error(file, -EBADMSG,
                        "Failed to perf file header size. Expected %d, found %llu (ERR:tp-parse)",
                        HEADER_SIZE, (unsigned long long)size);
        return false;
    }
    const bool knows_all = read_attrs(file, p, &l, attrs, attr_size);
    if (!p->attrs_num || data.offset > bytes.len) {
        orma_file_error(
            file, -EBADMSG,
            "perf.data has no attributes, or is truncated before its data (ERR:tp-parse)");
        return false;
    }
    p->session = orma_callstacks_session(file->imp->model, "linux.perf", 0);
    (void)at(&l, types); /* names of event types, obsolete */
    const bool ended = data.size;
    data = find_data(file, data, bytes.len);
    struct orma_perf_cursor records = at(&l, data);
    p->data = (struct orma_str){(const char *)records.pos, (size_t)(records.end - records.pos)};
    if (ended)
        read_features(file, p, &l, data.offset + p->data.len, bits);
    if (knows_all)
        tell_gaps(file, &l);
    p->cut_off = l.truncated;
    return true;
}
