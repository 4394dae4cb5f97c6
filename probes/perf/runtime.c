#include "probes/perf/runtime.h"

#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/base/log.h"

/* `file`: how the name of a file begins that is mapped into such a program only. */
static const struct {
    const char *file, *what, *how;
} runtimes[] = {
    {"node", "JavaScript", "start it as 'node --perf-basic-prof-only-functions'"},
    {"libnode.so", "JavaScript", "start it as 'node --perf-basic-prof-only-functions'"},
    {"libjvm.so", "Java",
     "from JDK 17 on, run 'jcmd PID Compiler.perfmap' before the profile ends, or start it with "
     "'java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit'"},
};

static bool is_mapped(const struct orma_perf_process *process, const char *file)
{
    const size_t len = strlen(file);

    for (size_t i = 0; i < process->mappings_num; i++) {
        const char *slash = strrchr(process->mappings[i].file->path, '/');

        if (slash && !strncmp(slash + 1, file, len) &&
            (slash[1 + len] == '\0' || strstr(file, ".so")))
            return true;
    }
    return false;
}

/* A file of names may leave some out; but there is one. */
static bool has_names(const struct orma_perf_process *process)
{
    return (process->jit && process->jit->functions.len) ||
           (process->jit_dump && process->jit_dump->functions.len);
}

void orma_perf_runtime_tell(const struct orma_perf_process *process, unsigned *told)
{
    if (!process->has_nameless || has_names(process))
        return;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(runtimes); i++) {
        if (*told & 1u << i || !is_mapped(process, runtimes[i].file))
            continue;
        *told |= 1u << i;
        orma_log_warn("linux.perf: functions of %s in process %u have no names: %s",
                      runtimes[i].what, process->pid, runtimes[i].how);
        return;
    }
}
