/*
 * Names become numbers: machines get their rows in the order in which they are named, before any
 * file is read; files are found among the members of the archive. Clocks that are named are those
 * of a machine, whichever file they are read in; one without a name is the file's own.
 */
#include "processor/import/core/manifest.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/import/core/file.h"

#define FIRST_NAMED ((uint64_t)1 << 32)

/* How the two ends of a relation are called in messages. */
struct labels {
    const char *file, *machine;
};

struct apply {
    struct orma_manifest *manifest;
    struct orma_file *file;
    struct orma_import *import;
    struct orma_map machines; /* names → rows */
    uint64_t next_raw;
    bool failed;
};

#define BAD(a, ...)                                                                                \
    ((a)->failed = true, orma_file_error((a)->file, -EBADMSG, "perfetto_manifest: " __VA_ARGS__))
#define SHOWN_MAX 60
#define SHOWN(s) (int)ORMA_MIN((s).len, (size_t)SHOWN_MAX), (s).data

void orma_manifest_free(struct orma_manifest *self)
{
    if (!self)
        return;
    for (unsigned i = 0; i < self->files_num; i++) {
        free(self->files[i].machines);
        free(self->files[i].names);
    }
    free(self->files);
    orma_map_fini(&self->by_path);
    orma_map_fini(&self->members);
    orma_arena_fini(&self->texts);
    free(self);
}

const struct orma_manifest_file *orma_manifest_find(const struct orma_manifest *self, uint32_t name)
{
    uint64_t idx = self && name ? orma_map_get(&self->by_path, name) : ORMA_MAP_NONE;

    return idx == ORMA_MAP_NONE ? NULL : &self->files[idx];
}

/* ---- machines ---- */

/* The host has a row of its own as soon as something is of it. */
uint16_t orma_manifest_host(struct orma_import *import)
{
    if (import->no_host) {
        import->no_host = false;
        import->host = orma_reader_add_machine(&import->reader, 0);
    }
    return import->host;
}

static uint16_t new_machine(struct apply *a, uint32_t name)
{
    struct orma_import *import = a->import;
    uint64_t raw = a->next_raw++;
    uint16_t row = 0;

    if (raw == FIRST_NAMED && !import->no_host) { /* nothing is of the host yet: its row is free */
        import->no_host = true;
        import->reader.machine_raw[0] = raw;
        import->reader.hooks.new_machine(import, 0, raw);
    } else {
        row = orma_reader_add_machine(&import->reader, raw);
    }
    orma_table_set(orma_model_table(&import->model, ORMA_TABLE_MACHINE), ORMA_MACHINE_NAME, row,
                   name);
    if (orma_map_put(&a->machines, name, row))
        import->model.storage->failed = true;
    return row;
}

static uint16_t machine_row(struct apply *a, struct orma_str text)
{
    uint32_t name = orma_model_str(&a->import->model, text);
    uint64_t row = orma_map_get(&a->machines, name);

    return row == ORMA_MAP_NONE ? new_machine(a, name) : (uint16_t)row;
}

static void name_machines(struct apply *a, struct orma_manifest_file *f)
{
    if (f->machine.data)
        f->row = machine_row(a, f->machine);
    for (unsigned i = 0; i < f->machines_num; i++) {
        f->machines[i].machine = machine_row(a, f->names[i]);
        if (!f->machines[i].raw)
            f->row = f->machines[i].machine;
    }
}

/* ---- files ---- */

static void index_files(struct apply *a)
{
    struct orma_manifest *m = a->manifest;
    const struct orma_table *t = orma_model_table(&a->import->model, ORMA_TABLE_TRACE_FILE);
    bool failed = false;

    for (unsigned i = 0; i < m->files_num; i++) {
        uint32_t name = orma_model_str(&a->import->model, m->files[i].path);

        if (orma_map_get(&m->by_path, name) == ORMA_MAP_NONE)
            failed |= orma_map_put(&m->by_path, name, i) != 0;
    }
    for (uint32_t row = 0; row < t->rows; row++) {
        uint32_t name = (uint32_t)orma_table_int(t, ORMA_TRACE_FILE_NAME, row);

        if (name && orma_map_get(&m->members, name) == ORMA_MAP_NONE)
            failed |= orma_map_put(&m->members, name, row) != 0;
    }
    a->import->model.storage->failed |= failed;
}

static const struct orma_manifest_file *find_file(struct apply *a, struct orma_str path)
{
    return orma_manifest_find(a->manifest, orma_model_str(&a->import->model, path));
}

static bool is_present(struct apply *a, struct orma_str path, uint32_t *ret)
{
    uint64_t row = orma_map_get(&a->manifest->members, orma_model_str(&a->import->model, path));

    *ret = (uint32_t)row;
    return row != ORMA_MAP_NONE;
}

static void check_tables(struct apply *a)
{
    for (unsigned i = 0; i < a->manifest->files_num && !a->failed; i++) {
        const struct orma_manifest_file *f = &a->manifest->files[i];
        uint32_t row;

        if (f->table && !is_present(a, f->path, &row))
            BAD(a, "table member '%.*s' is declared but not present in the archive",
                SHOWN(f->path));
    }
}

/* A path with a mistake in it: what it says is of no file. */
static void count_absent(struct apply *a)
{
    uint32_t row;

    for (unsigned i = 0; i < a->manifest->files_num && !a->failed; i++)
        if (!a->manifest->files[i].table && !is_present(a, a->manifest->files[i].path, &row))
            a->manifest->absent++;
}

/* ---- clocks ---- */

/* The machine of that name, as far as the file is of it. False: it is not. */
static bool declared(const struct orma_manifest_file *f, struct orma_str name, uint16_t *ret)
{
    if (f->machine.data && orma_str_eq(f->machine, name)) {
        *ret = f->row;
        return true;
    }
    for (unsigned i = 0; i < f->machines_num; i++)
        if (orma_str_eq(f->names[i], name)) {
            *ret = f->machines[i].machine;
            return true;
        }
    return false;
}

static uint16_t base_of(struct apply *a, const struct orma_manifest_file *f)
{
    return f->row == ORMA_MANIFEST_HOST ? orma_manifest_host(a->import) : f->row;
}

/* The full key of a clock on a machine: that one, or the file's own. False: said. */
static bool clock_key(struct apply *a, const struct orma_manifest_file *f, uint32_t clock,
                      uint16_t machine, uint64_t *ret)
{
    uint32_t row;

    if (!is_present(a, f->path, &row)) {
        BAD(a,
            "clocks: could not resolve file '%.*s'. It must match the `path` of an entry in the "
            "`files` array.",
            SHOWN(f->path));
        return false;
    }
    *ret = clock ? orma_clock_in(clock, machine, 0)
                 : orma_clock_in(ORMA_CLOCK_TRACE_FILE, base_of(a, f), row);
    return true;
}

/* Which file and machine a clock is of. False: that can't be told, and why is said. */
static bool resolve(struct apply *a, const struct orma_manifest_clock *c, struct labels l,
                    const struct orma_manifest_file **ret_file, uint16_t *ret_machine)
{
    const struct orma_manifest_file *f = find_file(a, c->file);

    if (!f) {
        BAD(a,
            "%s names unknown file '%.*s'. It must match the `path` of an entry in the `files` "
            "array.",
            l.file, SHOWN(c->file));
        return false;
    }
    *ret_file = f;
    if (!c->machine.data && f->has_machines)
        BAD(a, "%s '%.*s' is a multi-machine trace; also name the machine with %s.", l.file,
            SHOWN(c->file), l.machine);
    else if (!c->machine.data)
        *ret_machine = base_of(a, f);
    else if (!declared(f, c->machine, ret_machine))
        BAD(a, "%s '%.*s' is not a machine declared by file '%.*s'.", l.machine, SHOWN(c->machine),
            SHOWN(c->file));
    return !a->failed;
}

static void set_trace_time(struct apply *a)
{
    static const struct labels labels = {"trace_time: file", "trace_time: machine"};
    const struct orma_manifest_clock *c = &a->manifest->trace_time;
    const struct orma_manifest_file *f;
    uint16_t machine = 0;

    if (!a->manifest->has_trace_time)
        return;
    if (!c->file.data && c->machine.data) {
        BAD(a,
            "%s '%.*s' needs %s too: a machine name alone is ambiguous because embedded machine "
            "ids are scoped to their trace.",
            labels.machine, SHOWN(c->machine), labels.file);
        return;
    }
    if (!c->file.data)
        machine = orma_manifest_host(a->import);
    else if (!resolve(a, c, labels, &f, &machine))
        return;
    (void)orma_timeline_claim(&a->import->reader.timeline, a->file->row,
                              orma_clock_in(c->clock, machine, 0)); /* the first to ask */
}

/* The machine that the clock of the file itself is on. */
static bool own_machine(struct apply *a, const struct orma_manifest_file *f, uint16_t *ret)
{
    if (!f->from.machine.data && f->has_machines)
        BAD(a,
            "clocks: file '%.*s' is a multi-machine trace; name which machine the clock is on with "
            "clocks: machine.",
            SHOWN(f->path));
    else if (!f->from.machine.data)
        *ret = base_of(a, f);
    else if (!declared(f, f->from.machine, ret))
        BAD(a, "clocks: machine '%.*s' is not a machine declared by file '%.*s'.",
            SHOWN(f->from.machine), SHOWN(f->path));
    return !a->failed;
}

/* The file's clock reads T when the other one reads T + offset. */
static void tie_file(struct apply *a, const struct orma_manifest_file *f)
{
    static const struct labels labels = {"clocks: sync_to.file", "clocks: sync_to.machine"};
    const struct orma_manifest_file *other;
    uint16_t own = 0, machine = 0;
    uint64_t from, to;

    if (!f->has_clocks || !own_machine(a, f, &own) ||
        !resolve(a, &f->to, labels, &other, &machine) ||
        !clock_key(a, f, f->from.clock, own, &from) ||
        !clock_key(a, other, f->to.clock, machine, &to))
        return;
    orma_timeline_tie(&a->import->reader.timeline, from, ORMA_MAX(0, -f->offset_ns), to,
                      ORMA_MAX(0, f->offset_ns));
}

void orma_manifest_apply(struct orma_manifest *self, struct orma_file *file)
{
    struct apply a = {
        .manifest = self, .file = file, .import = file->import, .next_raw = FIRST_NAMED};

    index_files(&a);
    check_tables(&a);
    for (unsigned i = 0; i < self->files_num && !a.failed; i++)
        name_machines(&a, &self->files[i]);
    if (!a.failed)
        set_trace_time(&a);
    for (unsigned i = 0; i < self->files_num && !a.failed; i++)
        tie_file(&a, &self->files[i]);
    count_absent(&a);
    orma_map_fini(&a.machines);
}

/* ---- files that begin ---- */

#define PREFIX "perfetto_manifest: "
static const char one_machine[] =
    PREFIX "a `machine` override attributes the file to one machine, but the file contains packets "
           "from multiple machines. Replace `machine` with a `machines` block that maps each "
           "embedded machine_id to a named machine, e.g. \"machines\": [{\"id\": 0, \"name\": "
           "\"phone\"}, {\"id\": 7, \"name\": \"vm\"}].";
static const char one_timeline[] =
    PREFIX "a `clocks` override applies only to a single-machine file, but the file contains "
           "packets from multiple machines. Remove the `clocks` override and let the trace's own "
           "remote clock snapshots align the machines; if you need to anchor a specific embedded "
           "machine, split it into its own file and override that.";
static const char one_clock[] = PREFIX "clock overrides require the trace to use a single clock";

void orma_manifest_describe(const struct orma_manifest_file *f, struct orma_reader_file *ret)
{
    bool pinned = f->has_clocks && !f->from.clock;

    ret->named = f->has_machines;
    ret->machines = f->machines;
    ret->machines_num = f->machines_num;
    ret->no_machines = f->machine.data ? one_machine : pinned ? one_timeline : NULL;
    ret->no_snapshots = pinned ? one_clock : NULL;
}
