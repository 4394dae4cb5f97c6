/* Counts of events of a CPU's buffer, as the kernel prints them ("overrun: 5"). */
#include "processor/import/formats/tracedat.h"
#include "processor/model/sched.h"

void orma_tracedat_read_counts(struct orma_str text, struct orma_tracedat_counts *all)
{
    static const struct {
        const char *name;
        uint8_t field;
    } lines[] = {
        {"entries", ORMA_PB_FTRACE_CPU_STATS_ENTRIES},
        {"overrun", ORMA_PB_FTRACE_CPU_STATS_OVERRUN},
        {"commit overrun", ORMA_PB_FTRACE_CPU_STATS_COMMIT_OVERRUN},
        {"bytes", ORMA_PB_FTRACE_CPU_STATS_BYTES_READ},
        {"dropped events", ORMA_PB_FTRACE_CPU_STATS_DROPPED_EVENTS},
        {"read events", ORMA_PB_FTRACE_CPU_STATS_READ_EVENTS},
    };
    struct orma_tracedat_counts *cpu = NULL;
    struct orma_str line, name;
    uint64_t val;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        if (!orma_str_cut(&line, ':', &name) || !orma_str_to_u64(orma_str_trim(line), &val))
            continue;
        name = orma_str_trim(name);
        if (orma_str_eq_c(name, "CPU")) {
            cpu = val < ORMA_CPUS_MAX ? &all[val] : NULL;
            if (cpu)
                cpu->known = true;
        }
        for (unsigned i = 0; cpu && i < ORMA_ARRAY_LEN(lines); i++)
            if (orma_str_eq_c(name, lines[i].name))
                cpu->vals[lines[i].field] += val;
    }
}
