#include "tools/record/kernel_loss.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_reader.h"

#define CPUS_MAX 1024
#define TRACE_PACKET 1 /* Trace.packet */

struct sums {
    uint64_t first[CPUS_MAX], last[CPUS_MAX];
    bool seen[CPUS_MAX];
};

static void read_cpu(struct sums *s, struct orma_pb_reader r, bool at_start)
{
    struct orma_pb_field f;
    uint64_t cpu = 0, lost = 0;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_FTRACE_CPU_STATS_CPU:
            cpu = f.num;
            break;
        case ORMA_PB_FTRACE_CPU_STATS_OVERRUN:
        case ORMA_PB_FTRACE_CPU_STATS_DROPPED_EVENTS:
            lost += f.num;
            break;
        }
    }
    if (cpu >= CPUS_MAX)
        return;
    if (at_start && !s->seen[cpu])
        s->first[cpu] = lost;
    s->seen[cpu] = true;
    s->last[cpu] = lost;
}

static void read_stats(struct sums *s, struct orma_pb_reader r)
{
    struct orma_pb_reader again = r;
    struct orma_pb_field f;
    bool at_start = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_STATS_PHASE)
            at_start = f.num == ORMA_PB_FTRACE_STATS_START_OF_TRACE;
    }
    while (orma_pb_next(&again, &f)) {
        if (f.id == ORMA_PB_FTRACE_STATS_CPU_STATS)
            read_cpu(s, orma_pb_sub(&f), at_start);
    }
}

static uint64_t scan(const void *data, size_t len)
{
    struct orma_pb_reader trace = orma_pb_reader(data, len);
    struct orma_pb_field packet, f;
    struct sums s;
    uint64_t lost = 0;

    memset(&s, 0, sizeof(s));
    while (orma_pb_next(&trace, &packet)) {
        if (packet.id != TRACE_PACKET)
            continue;
        struct orma_pb_reader r = orma_pb_sub(&packet);
        while (orma_pb_next(&r, &f)) {
            if (f.id == ORMA_PB_TRACE_PACKET_FTRACE_STATS)
                read_stats(&s, orma_pb_sub(&f));
        }
    }
    for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
        lost += s.last[cpu] > s.first[cpu] ? s.last[cpu] - s.first[cpu] : 0;
    return lost;
}

uint64_t orma_kernel_loss(int fd)
{
    struct stat st;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= 0)
        return 0;
    void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return 0;
    uint64_t lost = scan(data, (size_t)st.st_size);
    munmap(data, (size_t)st.st_size);
    return lost;
}
