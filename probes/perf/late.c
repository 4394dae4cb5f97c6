#include "probes/perf/late.h"

#include <string.h>

#include "protos/fields/profiling.h"
#include "sdk/wire/pb_writer.h"

#define PLACES_MAX 65536u

struct place {
    uint64_t pc, rel_pc;
    const struct orma_perf_file *file;
};

void orma_perf_late_id(const struct orma_perf_process *process,
                       uint8_t ret[ORMA_PERF_LATE_ID_BYTES])
{
    const uint64_t id[2] = {process->pid, process->start};

    memcpy(ret, id, sizeof(id));
}

void orma_perf_late_add(struct orma_perf_process *process, const struct orma_perf_file *file,
                        uint64_t pc, uint64_t rel_pc)
{
    const struct place place = {pc, rel_pc, file};

    if (process->nameless.len < PLACES_MAX * sizeof(place))
        orma_buf_put(&process->nameless, &place, sizeof(place));
}

/* As readers put its parts together. */
static void put_path(struct orma_buf *out, const char *path)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str rest = orma_str_from(path), part;

    while (rest.len && orma_str_cut(&rest, '/', &part)) {
        if (part.len && !(part.data == path && *path == '['))
            orma_buf_put_byte(&text, '/');
        orma_buf_put(&text, part.data, part.len);
    }
    orma_pb_put_str(out, ORMA_PB_MODULE_SYMBOLS_PATH, orma_buf_str(&text));
}

static void put_name(struct orma_buf *out, uint64_t rel_pc, struct orma_str name)
{
    size_t address = orma_pb_begin(out, ORMA_PB_MODULE_SYMBOLS_ADDRESS_SYMBOLS);

    orma_pb_put_u64(out, ORMA_PB_ADDRESS_SYMBOLS_ADDRESS, rel_pc);
    size_t line = orma_pb_begin(out, ORMA_PB_ADDRESS_SYMBOLS_LINES);
    orma_pb_put_str(out, ORMA_PB_LINE_FUNCTION_NAME, name);
    orma_pb_end(out, line);
    orma_pb_end(out, address);
}

bool orma_perf_late_take(struct orma_perf_processes *self, struct orma_perf_process *process,
                         struct orma_buf *ret)
{
    struct place *all = (void *)process->nameless.data;
    size_t num = process->nameless.len / sizeof(*all), left = 0, found = 0;
    uint8_t id[ORMA_PERF_LATE_ID_BYTES];

    orma_buf_clear(ret);
    if (!num)
        return false;
    const struct orma_perf_file *file = all[0].file;
    orma_perf_late_id(process, id);
    put_path(ret, file->path);
    orma_pb_put_bytes(ret, ORMA_PB_MODULE_SYMBOLS_BUILD_ID, id, sizeof(id));
    for (size_t i = 0; i < num; i++) {
        if (all[i].file != file) {
            all[left++] = all[i];
            continue;
        }
        struct orma_str name = orma_perf_process_jit_late(self, process, all[i].pc);
        if (name.len)
            put_name(ret, all[i].rel_pc, name);
        found += name.len > 0;
    }
    process->nameless.len = left * sizeof(*all);
    if (!found)
        orma_buf_clear(ret);
    return true;
}
