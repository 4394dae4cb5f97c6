/*
 * perfetto_manifest: JSON that says how the files beside it relate.
 *
 * First the form is checked, key by key in the order of the text below, and kept as texts; then
 * processor/import/core/manifest.c resolves the names. The first thing that is wrong ends the
 * import: half of a manifest would put files at the wrong time without a word.
 *
 *   {"perfetto_manifest": {
 *     "version": 1,
 *     "trace_time": {"clock": "BOOTTIME", "file": "a.pb", "machine": "phone"},
 *     "files": [{"path": "a.pb", "machine": {"name": "phone"}},
 *               {"path": "b.pb", "machines": [{"id": 0, "name": "car"}],
 *                "clocks": {"clock": "BOOTTIME", "offset_ns": 500, "sync_to": {"file": "a.pb"}}}],
 *     "attributes": {"benchmark": "startup"}}}
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "processor/import/core/manifest.h"
#include "processor/import/formats/formats.h"
#include "protos/reflect/json_reader.h"
#include "sdk/base/vec.h"

struct state {
    struct orma_file *file;
    struct orma_manifest *manifest;
    struct orma_buf scratch;
    bool failed;
};

/* 146 years: what is added to a time of this century stays within 64 bits. */
#define OFFSET_MAX (INT64_C(1) << 62)
#define BAD(s, ...)                                                                                \
    ((s)->failed = true, orma_file_error((s)->file, -EBADMSG, "perfetto_manifest: " __VA_ARGS__))

static struct orma_str text_of(struct state *s, const struct orma_json_value *v)
{
    struct orma_str text = orma_json_text(v, &s->scratch);
    const char *copy = orma_arena_strdup(&s->manifest->texts, text);

    if (!copy)
        s->file->imp->model->storage->failed = s->failed = true;
    return (struct orma_str){copy ? copy : "", copy ? text.len : 0};
}

/* A member that is a text, if it is there. */
static void read_text(struct state *s, const struct orma_json_value *in, const char *key,
                      const char *what, struct orma_str *ret)
{
    struct orma_json_value v = orma_json_find(in, key);

    if (s->failed || v.type == ORMA_JSON_NONE)
        return;
    if (v.type != ORMA_JSON_STRING)
        BAD(s, "%s must be a string", what);
    else
        *ret = text_of(s, &v);
}

/* In the order of their ids, from 1. */
static const char *const clocks[] = {"REALTIME",         "REALTIME_COARSE", "MONOTONIC",
                                     "MONOTONIC_COARSE", "MONOTONIC_RAW",   "BOOTTIME"};

static void read_clock_name(struct state *s, const struct orma_json_value *in, uint32_t *ret)
{
    struct orma_json_value v = orma_json_find(in, "clock");

    if (s->failed || v.type == ORMA_JSON_NONE)
        return;
    if (v.type != ORMA_JSON_STRING) {
        BAD(s, "clock name must be a string");
        return;
    }
    struct orma_str name = orma_json_text(&v, &s->scratch);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(clocks); i++)
        if (orma_str_eq_c(name, clocks[i])) {
            *ret = i + 1;
            return;
        }
    BAD(s,
        "unknown clock name: %.*s. Use one of REALTIME, REALTIME_COARSE, MONOTONIC, "
        "MONOTONIC_COARSE, MONOTONIC_RAW, BOOTTIME.",
        (int)ORMA_MIN(name.len, (size_t)100), name.data);
}

static void read_version(struct state *s, const struct orma_json_value *in)
{
    struct orma_json_value v = orma_json_find(in, "version");

    if (v.type == ORMA_JSON_NONE)
        BAD(s, "missing required field: version");
    else if (v.type != ORMA_JSON_INT)
        BAD(s, "version must be an integer");
    else if (v.integer != 1)
        BAD(s, "unsupported version: %lld. Only version 1 is supported; set \"version\": 1.",
            (long long)v.integer);
}

static void read_trace_time(struct state *s, const struct orma_json_value *in)
{
    struct orma_json_value v = orma_json_find(in, "trace_time");
    struct orma_manifest_clock *ret = &s->manifest->trace_time;

    if (s->failed || v.type == ORMA_JSON_NONE)
        return;
    if (v.type != ORMA_JSON_OBJECT) {
        BAD(s, "trace_time must be an object");
        return;
    }
    if (orma_json_find(&v, "clock").type == ORMA_JSON_NONE) {
        BAD(s, "trace_time needs a clock");
        return;
    }
    read_text(s, &v, "file", "trace_time: file", &ret->file);
    read_text(s, &v, "machine", "trace_time: machine", &ret->machine);
    read_clock_name(s, &v, &ret->clock);
    s->manifest->has_trace_time = !s->failed;
}

/* ---- files ---- */

static void read_sync_to(struct state *s, const struct orma_json_value *in,
                         struct orma_manifest_file *f)
{
    struct orma_json_value to = orma_json_find(in, "sync_to");

    if (s->failed)
        return;
    if (to.type == ORMA_JSON_NONE)
        BAD(s, "clocks: a sync_to block is required. Manual clock handling relates this file to a "
               "clock in another trace, e.g. \"sync_to\": {\"file\": \"other.pb\"}.");
    else if (to.type != ORMA_JSON_OBJECT)
        BAD(s, "clocks: sync_to must be an object");
    else if (orma_json_find(&to, "file").type != ORMA_JSON_STRING)
        BAD(s, "clocks: sync_to.file is required and must be a string");
    read_text(s, &to, "file", "clocks: sync_to.file", &f->to.file);
    read_text(s, &to, "machine", "clocks: sync_to.machine", &f->to.machine);
    read_clock_name(s, &to, &f->to.clock);
}

static void read_clocks(struct state *s, const struct orma_json_value *entry,
                        struct orma_manifest_file *f)
{
    struct orma_json_value v = orma_json_find(entry, "clocks"), offset;

    if (s->failed || v.type == ORMA_JSON_NONE)
        return;
    if (v.type != ORMA_JSON_OBJECT) {
        BAD(s, "clocks must be an object");
        return;
    }
    read_text(s, &v, "machine", "clocks: machine", &f->from.machine);
    read_clock_name(s, &v, &f->from.clock);
    read_sync_to(s, &v, f);
    offset = orma_json_find(&v, "offset_ns");
    if (!s->failed && offset.type != ORMA_JSON_NONE && offset.type != ORMA_JSON_INT)
        BAD(s, "clocks: offset_ns must be an integer");
    else if (!s->failed && (offset.integer > OFFSET_MAX || offset.integer < -OFFSET_MAX))
        BAD(s, "clocks: offset_ns is out of range");
    f->offset_ns = offset.integer;
    f->has_clocks = true;
}

static void read_machine(struct state *s, const struct orma_json_value *entry,
                         struct orma_manifest_file *f)
{
    struct orma_json_value v = orma_json_find(entry, "machine"), name;

    if (s->failed || v.type == ORMA_JSON_NONE)
        return;
    name = orma_json_find(&v, "name");
    if (v.type != ORMA_JSON_OBJECT || name.type != ORMA_JSON_STRING) {
        BAD(s, "machine must be an object with a string name, e.g. \"machine\": {\"name\": "
               "\"phone\"}.");
        return;
    }
    f->machine = text_of(s, &name);
    if (!f->machine.len)
        BAD(s, "machine: name must be non-empty");
}

static void add_machine(struct state *s, const struct orma_json_value *v,
                        struct orma_manifest_file *f)
{
    struct orma_json_value id = orma_json_find(v, "id"), name = orma_json_find(v, "name");
    unsigned cap = f->machines_cap;

    if (v->type != ORMA_JSON_OBJECT || (id.type != ORMA_JSON_INT && id.type != ORMA_JSON_REAL) ||
        name.type != ORMA_JSON_STRING) {
        BAD(s,
            "machines entries need an integer id and a string name, e.g. \"machines\": [{\"id\": "
            "0, \"name\": \"phone\"}].");
        return;
    }
    double raw = orma_json_number(&id);
    if (!(raw >= 0 && raw <= UINT32_MAX)) {
        BAD(s, "machines: id must be in [0, 4294967295]");
        return;
    }
    if (!name.raw.len) {
        BAD(s, "machines: name must be non-empty");
        return;
    }
    if (ORMA_GROW(&f->machines, &f->machines_cap, f->machines_num + (size_t)1) ||
        ORMA_GROW(&f->names, &cap, f->machines_num + (size_t)1)) {
        s->file->imp->model->storage->failed = s->failed = true;
        return;
    }
    f->names[f->machines_num] = text_of(s, &name);
    f->machines[f->machines_num++] = (struct orma_reader_machine){.raw = (uint32_t)raw};
}

static void read_machines(struct state *s, const struct orma_json_value *entry,
                          struct orma_manifest_file *f)
{
    struct orma_json_value v = orma_json_find(entry, "machines"), m;

    if (s->failed || v.type == ORMA_JSON_NONE)
        return;
    if (v.type != ORMA_JSON_ARRAY)
        BAD(s, "machines must be an array");
    f->has_machines = true;
    struct orma_json a = orma_json_inside(&v);
    while (!s->failed && orma_json_element(&a, &m))
        add_machine(s, &m, f);
}

/* Tables in archives are no traces: what is said of them is checked, no more. */
static void read_table(struct state *s, const struct orma_json_value *entry,
                       struct orma_manifest_file *f)
{
    struct orma_json_value v = orma_json_find(entry, "__exported_table_schema"), c;
    struct orma_json_value name = orma_json_find(&v, "name"),
                           rows = orma_json_find(&v, "row_count"),
                           columns = orma_json_find(&v, "columns");

    if (s->failed || v.type == ORMA_JSON_NONE)
        return;
    f->table = true;
    if (f->has_clocks || f->machine.data || f->has_machines) {
        BAD(s,
            "'%.*s': an exported table is not a trace, so __exported_table_schema cannot be "
            "combined with clocks/machine/machines",
            ORMA_STR_ARG(f->path));
        return;
    }
    if (v.type != ORMA_JSON_OBJECT || orma_json_find(&v, "format").type != ORMA_JSON_INT ||
        name.type != ORMA_JSON_STRING || rows.type != ORMA_JSON_INT ||
        columns.type != ORMA_JSON_ARRAY) {
        BAD(s, "__exported_table_schema needs an integer format, a string name, an integer "
               "row_count and a columns array");
        return;
    }
    if (rows.integer < 0 || rows.integer > UINT32_MAX)
        BAD(s, "table '%.*s': invalid row_count", ORMA_STR_ARG(name.raw));
    struct orma_json a = orma_json_inside(&columns);
    while (!s->failed && orma_json_element(&a, &c))
        if (c.type != ORMA_JSON_OBJECT || orma_json_find(&c, "name").type != ORMA_JSON_STRING ||
            orma_json_find(&c, "type").type == ORMA_JSON_NONE)
            BAD(s, "table '%.*s': malformed column entry", ORMA_STR_ARG(name.raw));
}

static void read_file(struct state *s, const struct orma_json_value *entry)
{
    struct orma_manifest *m = s->manifest;
    struct orma_json_value path = orma_json_find(entry, "path");

    if (entry->type != ORMA_JSON_OBJECT || path.type != ORMA_JSON_STRING) {
        BAD(s, "files entries must be objects with a string path");
        return;
    }
    if (ORMA_GROW(&m->files, &m->files_cap, m->files_num + (size_t)1)) {
        s->file->imp->model->storage->failed = s->failed = true;
        return;
    }
    struct orma_manifest_file *f = &m->files[m->files_num++];
    *f = (struct orma_manifest_file){.path = text_of(s, &path), .row = ORMA_MANIFEST_HOST};
    read_clocks(s, entry, f);
    if (!s->failed && orma_json_find(entry, "machine").type != ORMA_JSON_NONE &&
        orma_json_find(entry, "machines").type != ORMA_JSON_NONE)
        BAD(s, "machine and machines are mutually exclusive. Use `machine` for a single-machine "
               "file, or `machines` to remap a multi-machine proto's embedded ids; not both.");
    read_machine(s, entry, f);
    read_machines(s, entry, f);
    read_table(s, entry, f);
}

static void read_files(struct state *s, const struct orma_json_value *in)
{
    struct orma_json_value v = orma_json_find(in, "files"), entry;

    if (s->failed || v.type == ORMA_JSON_NONE)
        return;
    if (v.type != ORMA_JSON_ARRAY)
        BAD(s, "files must be an array");
    struct orma_json a = orma_json_inside(&v);
    while (!s->failed && orma_json_element(&a, &entry))
        read_file(s, &entry);
}

/* ---- attributes ---- */

static void read_attribute(struct state *s, struct orma_str raw_key,
                           const struct orma_json_value *v)
{
    struct orma_model *model = s->file->imp->model;
    const struct orma_json_value key = {.type = ORMA_JSON_STRING,
                                        .escaped =
                                            raw_key.len && memchr(raw_key.data, '\\', raw_key.len),
                                        .raw = raw_key};
    struct orma_str name = text_of(s, &key);
    struct orma_buf full = {0};

    if (!name.len) {
        BAD(s, "attributes: keys must be non-empty");
        return;
    }
    if (v->type != ORMA_JSON_STRING && v->type != ORMA_JSON_INT) {
        BAD(s, "attributes: '%.*s' must be a string or an integer",
            (int)ORMA_MIN(name.len, (size_t)100), name.data);
        return;
    }
    orma_buf_printf(&full, "manifest_attribute.%.*s", ORMA_STR_ARG(name));
    orma_buf_put_byte(&full, 0);
    const char *text = full.failed ? "" : (const char *)full.data;
    if (v->type == ORMA_JSON_INT)
        orma_metadata_int(model, text, false, ORMA_METADATA_GLOBAL, 0, v->integer);
    else
        orma_metadata_str(model, text, false, ORMA_METADATA_GLOBAL, 0,
                          orma_model_str(model, orma_json_text(v, &s->scratch)));
    model->storage->failed |= full.failed;
    orma_buf_fini(&full);
}

static void read_attributes(struct state *s, const struct orma_json_value *in)
{
    struct orma_json_value v = orma_json_find(in, "attributes"), value;
    struct orma_str key;

    if (s->failed || v.type == ORMA_JSON_NONE)
        return;
    if (v.type != ORMA_JSON_OBJECT)
        BAD(s, "attributes must be an object of string or integer values, e.g. \"attributes\": "
               "{\"benchmark\": \"startup\"}.");
    struct orma_json o = orma_json_inside(&v);
    while (!s->failed && orma_json_member(&o, &key, &value))
        read_attribute(s, key, &value);
}

/* ---- the whole ---- */

static bool find_root(struct orma_str text, struct orma_json_value *ret)
{
    struct orma_json j = orma_json(text);
    struct orma_json_value all, value;
    struct orma_str key;

    *ret = (struct orma_json_value){0};
    if (!orma_json_read(&j, &all) || all.type != ORMA_JSON_OBJECT)
        return false;
    struct orma_json o = orma_json_inside(&all);
    while (orma_json_member(&o, &key, &value))
        if (orma_json_name_is(key, "perfetto_manifest"))
            *ret = value;
    return !o.failed && ret->type == ORMA_JSON_OBJECT;
}

static void read_manifest(struct state *s, struct orma_str text)
{
    struct orma_json_value root;

    if (!find_root(text, &root)) {
        BAD(s, "expected a JSON object with a top-level perfetto_manifest key");
        return;
    }
    read_version(s, &root);
    read_trace_time(s, &root);
    read_files(s, &root);
    read_attributes(s, &root);
}

static size_t manifest_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct orma_import *import = file->import;
    struct state s = {.file = file};

    (void)at_end; /* it is read once, whole */
    s.manifest = import->manifest = calloc(1, sizeof(*import->manifest));
    if (!s.manifest) {
        file->imp->model->storage->failed = true;
        return len;
    }
    read_manifest(&s, (struct orma_str){(const char *)data, len});
    orma_file_unit(file, data);
    if (!s.failed)
        orma_manifest_apply(s.manifest, file);
    if (!orma_file_failed(file) && s.manifest->absent)
        orma_file_parts(file, ORMA_ACCOUNT_MISSING, "files that the manifest names",
                        s.manifest->absent);
    (void)orma_file_took(file); /* a part that is wrong ends the import */
    orma_buf_fini(&s.scratch);
    return len;
}

const struct orma_format_ops orma_format_manifest = {
    .unit = "manifest", .whole = true, .read = manifest_read};
