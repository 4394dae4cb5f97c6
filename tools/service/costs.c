#include "tools/service/costs.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/buf.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/map.h"
#include "tools/base/units.h"
#include "traced/rescue/folder.h"
#include "traced/usage.h"

#define STAT_MAX 4096
#define LINE_SESSION "  %-8s %-21s %12s %12s %12s %10s\n"

/* One printing. */
struct costs {
    FILE *out;
    struct orma_map *cpu_ns; /* pid -> what it had used the time before; NULL: once only */
    uint64_t since_ns;       /* between the two */
    unsigned services;
};

/* CPU time of a process, 0: it cannot be read. */
static uint64_t read_cpu_ns(int32_t pid)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    unsigned long long user = 0, kernel = 0;
    char path[64];

    snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
    if (orma_fd_read_file(-1, path, STAT_MAX, &text) < 0)
        return 0;
    const char *rest = strrchr(orma_buf_cstr(&text), ')'); /* behind a name of any kind */
    if (!rest || sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
                        &kernel) != 2)
        return 0;
    return (user + kernel) * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void print_usage(void *ctx, const struct traced_usage *u)
{
    struct costs *self = ctx;
    char held[ORMA_UNITS_TEXT_MAX], size[ORMA_UNITS_TEXT_MAX], file[ORMA_UNITS_TEXT_MAX];
    char of[2 * ORMA_UNITS_TEXT_MAX + 4], id[24], delivered[24], overwritten[24], lost[24];

    snprintf(of, sizeof(of), "%s of %s", orma_units_format_size(u->held, held),
             orma_units_format_size(u->size, size));
    snprintf(id, sizeof(id), "%" PRIu64, u->session_id);
    snprintf(delivered, sizeof(delivered), "%" PRIu64, u->delivered);
    snprintf(overwritten, sizeof(overwritten), "%" PRIu64, u->overwritten);
    snprintf(lost, sizeof(lost), "%" PRIu64, u->lost);
    fprintf(self->out, LINE_SESSION, id, of, delivered, overwritten, lost,
            u->file_bytes ? orma_units_format_size(u->file_bytes, file) : "-");
    if (u->files)
        fprintf(self->out, "  %-8s file %" PRIu64 " of a rotating recording: %s\n", "",
                (uint64_t)u->files + 1, u->file_name);
}

static void print_service(void *ctx, const struct traced_rescue_found *found)
{
    struct costs *self = ctx;
    char cpu[ORMA_UNITS_TEXT_MAX];

    if (!found->alive || found->pid <= 0)
        return;
    uint64_t now = read_cpu_ns(found->pid);
    fprintf(self->out, "%sCOSTS of the process with pid %" PRId32 ": %s of CPU",
            self->services++ ? "\n" : "", found->pid, orma_units_format_duration(now, cpu));
    if (self->cpu_ns) {
        uint64_t before = orma_map_get(self->cpu_ns, (uint64_t)found->pid);

        if (before != ORMA_MAP_NONE && now >= before && self->since_ns)
            fprintf(self->out, ", %.1f %% now",
                    100.0 * (double)(now - before) / (double)self->since_ns);
        (void)orma_map_put(self->cpu_ns, (uint64_t)found->pid, now); /* no memory: no share */
    }
    fputs(" (of the whole process, not of one session)\n", self->out);
    fprintf(self->out, LINE_SESSION, "SESSION", "HELD", "DELIVERED", "OVERWRITTEN", "LOST", "FILE");
    if (traced_usage_each(found->path, print_usage, self) == 0)
        fputs("  no session\n", self->out);
}

unsigned orma_service_costs_print(FILE *out)
{
    struct costs costs = {.out = out};

    (void)traced_rescue_each(NULL, print_service, &costs);
    return costs.services;
}

void orma_service_costs_watch(FILE *out)
{
    struct orma_map cpu_ns = {0};
    struct costs costs = {.out = out, .cpu_ns = &cpu_ns};
    uint64_t last = 0;
    sigset_t ends;

    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    do {
        uint64_t now = orma_clock_monotonic();

        costs.since_ns = last ? now - last : 0;
        costs.services = 0;
        last = now;
        if (isatty(fileno(out)))
            fputs("\033[H\033[J", out);
        if (!traced_rescue_each(NULL, print_service, &costs) || !costs.services)
            fputs("no service whose sessions may be looked at: start one with 'traced', or "
                  "record\n",
                  out);
        if (fflush(out) == EOF)
            break; /* nobody reads it any more */
    } while (sigtimedwait(&ends, NULL, &(struct timespec){.tv_sec = 1}) < 0);
    orma_map_fini(&cpu_ns);
}
