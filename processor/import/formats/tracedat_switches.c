/* Whether events tell of all switches: of each CPU, the task that one brings in must be the one
 * that the next takes off. Recordings of single processes have those of their tasks only. */
#include "processor/import/formats/tracedat.h"

static uint32_t pid_in(const struct orma_ftrace_format_field *f, struct orma_str bytes)
{
    uint32_t pid;

    memcpy(&pid, bytes.data + f->offset, sizeof(pid));
    return pid;
}

bool orma_tracedat_breaks_off(const struct orma_ftrace_format *format,
                              const struct orma_tracedat_event *list, size_t num)
{
    const struct orma_ftrace_format_field *prev = orma_ftrace_format_field(format, "prev_pid"),
                                          *next = orma_ftrace_format_field(format, "next_pid");
    uint64_t breaks = 0, all = 0;
    uint32_t running = 0;
    bool known = false;

    if (!prev || !next || prev->size != 4 || next->size != 4)
        return false;
    for (size_t i = 0; i < num; i++) {
        const struct orma_str bytes = list[i].bytes;
        uint16_t id;

        known &= i && list[i].cpu == list[i - 1].cpu;
        if (bytes.len < format->size)
            continue;
        memcpy(&id, bytes.data, sizeof(id));
        if (id != format->id)
            continue;
        if (known) {
            all++;
            breaks += pid_in(prev, bytes) != running;
        }
        running = pid_in(next, bytes);
        known = true;
    }
    return breaks * 20 > all; /* few are lost */
}
