/*
 *   frames without symbols ─► by module and address ─► symbolizer ─► packets
 */
#include "processor/api/symbolize.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "processor/api/processor_impl.h"
#include "processor/import/core/import.h"
#include "processor/store/storage.h"
#include "processor/symbols/proguard.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

/* A packet is closed when it is so large; readers hold one in memory. */
#define PACKET_BYTES ((size_t)256 << 10)
#define MAP_BYTES_MAX ((size_t)1 << 30)

/* A place that needs a name. */
struct place {
    uint32_t path, build_id; /* pool ids */
    uint64_t load_bias, pc;
};

static int by_module(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    if (x->build_id != y->build_id)
        return x->build_id < y->build_id ? -1 : 1;
    if (x->load_bias != y->load_bias)
        return x->load_bias < y->load_bias ? -1 : 1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static bool same_module(const struct place *a, const struct place *b)
{
    return a->path == b->path && a->build_id == b->build_id && a->load_bias == b->load_bias;
}

/* ---- what needs names ---- */

static void collect(const struct orma_storage *st, struct orma_buf *places)
{
    const struct orma_table *frames = &st->tables[ORMA_TABLE_STACK_PROFILE_FRAME];
    const struct orma_table *mappings = &st->tables[ORMA_TABLE_STACK_PROFILE_MAPPING];

    for (uint32_t i = 0; i < frames->rows; i++) {
        uint32_t m = (uint32_t)orma_table_int(frames, ORMA_STACK_PROFILE_FRAME_MAPPING, i);

        if (m >= mappings->rows ||
            !orma_table_is_null(frames, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, i))
            continue;
        const struct place p = {
            .path = (uint32_t)orma_table_int(mappings, ORMA_STACK_PROFILE_MAPPING_NAME, m),
            .build_id = (uint32_t)orma_table_int(mappings, ORMA_STACK_PROFILE_MAPPING_BUILD_ID, m),
            .load_bias =
                (uint64_t)orma_table_int(mappings, ORMA_STACK_PROFILE_MAPPING_LOAD_BIAS, m),
            .pc = (uint64_t)orma_table_int(frames, ORMA_STACK_PROFILE_FRAME_REL_PC, i),
        };
        if (orma_strpool_get(&st->pool, p.build_id).len)
            orma_buf_put(places, &p, sizeof(p));
    }
}

/* ---- packets ---- */

static void put_build_id(struct orma_buf *out, struct orma_str hex)
{
    uint8_t bytes[ORMA_BUILD_ID_MAX];
    size_t len = 0;

    for (size_t i = 0; i + 1 < hex.len && len < sizeof(bytes); i += 2) {
        char pair[3] = {hex.data[i], hex.data[i + 1], 0};

        bytes[len++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    orma_pb_put_bytes(out, ORMA_PB_MODULE_SYMBOLS_BUILD_ID, bytes, len);
}

static void put_address(struct orma_buf *out, uint64_t pc, const struct orma_source_frame *frames,
                        size_t num)
{
    size_t address = orma_pb_begin(out, ORMA_PB_MODULE_SYMBOLS_ADDRESS_SYMBOLS);

    orma_pb_put_u64(out, ORMA_PB_ADDRESS_SYMBOLS_ADDRESS, pc);
    for (size_t i = 0; i < num; i++) {
        size_t line = orma_pb_begin(out, ORMA_PB_ADDRESS_SYMBOLS_LINES);

        orma_pb_put_cstr(out, ORMA_PB_LINE_FUNCTION_NAME, frames[i].function);
        if (*frames[i].file)
            orma_pb_put_cstr(out, ORMA_PB_LINE_SOURCE_FILE_NAME, frames[i].file);
        if (frames[i].line)
            orma_pb_put_u64(out, ORMA_PB_LINE_LINE_NUMBER, frames[i].line);
        orma_pb_end(out, line);
    }
    orma_pb_end(out, address);
}

/* A packet of a module that is being written. */
struct writer {
    struct orma_buf out;
    size_t packet, symbols;
    bool open;
};

static void open_packet(struct writer *w, const struct orma_symbolizer_module *m)
{
    w->packet = orma_pb_begin(&w->out, ORMA_PB_TRACE_PACKET);
    w->symbols = orma_pb_begin(&w->out, ORMA_PB_TRACE_PACKET_MODULE_SYMBOLS);
    orma_pb_put_str(&w->out, ORMA_PB_MODULE_SYMBOLS_PATH, m->path);
    put_build_id(&w->out, m->build_id);
    w->open = true;
}

static int close_packet(struct orma_symbolize *self, struct writer *w)
{
    int r = 0;

    if (!w->open)
        return 0;
    w->open = false;
    orma_pb_end(&w->out, w->symbols);
    orma_pb_end(&w->out, w->packet);
    r = w->out.failed ? -ENOMEM : self->put(self->data, &w->out);
    orma_buf_clear(&w->out);
    return r;
}

/* The places [0, num) of one module. */
static int symbolize_module(struct orma_symbolize *self, const struct orma_storage *st,
                            const struct place *places, size_t num, struct writer *w)
{
    const struct orma_symbolizer_module m = {orma_strpool_get(&st->pool, places->path),
                                             orma_strpool_get(&st->pool, places->build_id),
                                             places->load_bias};
    struct orma_source_frame frames[ORMA_SOURCE_FRAMES_MAX];
    const char *file = orma_symbolizer_file(self->symbolizer, &m);
    int r = 0;

    self->result.modules++;
    self->result.modules_found += file != NULL;
    if (self->told)
        self->told(self->data, m.path, m.build_id, file);
    for (size_t i = 0; file && i < num && r == 0; i++) {
        if (i && places[i].pc == places[i - 1].pc)
            continue;
        size_t found = orma_symbolizer_frames(self->symbolizer, &m, places[i].pc, frames);
        if (!found)
            continue;
        self->result.frames_named++;
        if (!w->open)
            open_packet(w, &m);
        put_address(&w->out, places[i].pc, frames, found);
        if (w->out.len >= PACKET_BYTES)
            r = close_packet(self, w);
    }
    int closed = close_packet(self, w);
    return r ? r : closed;
}

int orma_symbolize_storage(struct orma_symbolize *self, const struct orma_storage *storage)
{
    struct orma_buf buf = {0};
    struct writer w = {0};
    int r;

    self->result = (struct orma_symbolize_result){0};
    collect(storage, &buf);
    struct place *places = (struct place *)(void *)buf.data;
    size_t num = buf.len / sizeof(*places), end;
    r = buf.failed ? -ENOMEM : 0;
    if (num)
        qsort(places, num, sizeof(*places), by_module);
    for (size_t i = 0; i < num; i++)
        self->result.frames += !i || by_module(&places[i], &places[i - 1]) != 0;
    for (size_t i = 0; r == 0 && i < num; i = end) {
        for (end = i + 1; end < num && same_module(&places[end], &places[i]);)
            end++;
        r = symbolize_module(self, storage, &places[i], end - i, &w);
    }
    self->result.modules_broken = orma_symbolizer_broken(self->symbolizer);
    orma_buf_fini(&w.out);
    orma_buf_fini(&buf);
    return r;
}

/* ---- short names ---- */

int orma_deobfuscate_file(const char *map, struct orma_buf *out, struct orma_buf *error)
{
    const char *equals = strchr(map, '='), *path = equals ? equals + 1 : map;
    struct orma_str package = {map, equals ? (size_t)(equals - map) : 0};
    struct orma_buf text = {0};
    unsigned line = 0;
    int r = orma_fd_read_file(AT_FDCWD, path, MAP_BYTES_MAX, &text);

    if (r < 0 && error)
        orma_buf_printf(error, "%s: %s", path, strerror(-r));
    if (r == 0) {
        r = orma_proguard_packets(orma_buf_str(&text), package, out, &line);
        if (r == -EBADMSG && error)
            orma_buf_printf(error, "%s:%u: not a line of a ProGuard mapping", path, line);
        else if (r < 0 && error)
            orma_buf_printf(error, "%s: %s", path, strerror(-r));
    }
    orma_buf_fini(&text);
    return r;
}

int orma_deobfuscate_packets(const char *maps, struct orma_buf *out, struct orma_buf *error)
{
    char *list = strdup(maps), *rest = list, *map;
    int r = list ? 0 : -ENOMEM;

    while (r == 0 && (map = strsep(&rest, ":"))) {
        if (*map)
            r = orma_deobfuscate_file(map, out, error);
    }
    free(list);
    return r;
}

/* ---- into the tables ---- */

static void frames_and_symbols(struct orma_import *imp, const struct orma_pb_field *f)
{
    if (f->id == ORMA_PB_TRACE_PACKET_MODULE_SYMBOLS)
        imp->ports.profile.symbols(imp->ports.profile.room, 0, orma_pb_str(f));
    else if (f->id == ORMA_PB_TRACE_PACKET_DEOBFUSCATION_MAPPING)
        imp->ports.profile.deobfuscate(imp->ports.profile.room, orma_pb_str(f));
}

static void heap_graphs(struct orma_import *imp, const struct orma_pb_field *f)
{
    if (f->id == ORMA_PB_TRACE_PACKET_DEOBFUSCATION_MAPPING)
        imp->ports.profile.heap_names(imp->ports.profile.room, orma_pb_str(f));
}

static void each_field(struct orma_import *imp, const struct orma_buf *packets,
                       void (*take)(struct orma_import *, const struct orma_pb_field *))
{
    struct orma_pb_reader r = orma_pb_reader(packets->data, packets->len);
    struct orma_pb_field packet, f;

    while (orma_pb_next(&r, &packet)) {
        struct orma_pb_reader sub = orma_pb_sub(&packet);

        while (packet.id == ORMA_PB_TRACE_PACKET && orma_pb_next(&sub, &f))
            take(imp, &f);
    }
}

void orma_symbolize_announce(struct orma_import *imp, const struct orma_buf *packets)
{
    each_field(imp, packets, heap_graphs);
}

void orma_symbolize_apply(struct orma_import *imp, const struct orma_buf *packets)
{
    each_field(imp, packets, frames_and_symbols);
}
