/*
 * What a recording of the kernel costs: one run of `orma record`, whose service and probes are
 * threads of it. While it runs its threads are looked at every now and then; what they used after
 * the last look is counted with the start, the end and the client.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "tests/bench/real/made.h"

#define LOOK_US 20000

static const char kernel_config[] =
    "buffers { size_kb: 65536 }\nwrite_into_file: true\nfile_write_period_ms: 500\n"
    "data_sources { config { name: \"linux.ftrace\" ftrace_config { buffer_size_kb: 16384 "
    "drain_period_ms: 100 ftrace_events: \"sched/*\" ftrace_events: \"irq/*\" "
    "ftrace_events: \"raw_syscalls/*\" compact_sched { enabled: %s } } } }\nduration_ms: %u\n";

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool write_config(const char *path, bool compact, double seconds)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return false;
    fprintf(f, kernel_config, compact ? "true" : "false", (unsigned)(seconds * 1000));
    return fclose(f) == 0;
}

/* The first line of a file of a thread; false: it is gone. */
static bool thread_line(const char *task, const char *tid, const char *name, char line[64])
{
    char path[400];

    snprintf(path, sizeof(path), "%s/%s/%s", task, tid, name);
    FILE *f = fopen(path, "r");
    bool good = f && fgets(line, 64, f);
    if (f)
        fclose(f);
    return good;
}

static void look_at_threads(pid_t pid, struct real_recording *ret)
{
    static const char *const names[] = {[REAL_PROBES] = "orma-probes\n",
                                        [REAL_SERVICE] = "orma-service\n",
                                        [REAL_FILE] = "orma-file\n"};
    char task[64], comm[64], times[64];

    snprintf(task, sizeof(task), "/proc/%d/task", (int)pid);
    DIR *dir = opendir(task);
    for (struct dirent *d; dir && (d = readdir(dir));) {
        if (d->d_name[0] == '.' || !thread_line(task, d->d_name, "comm", comm) ||
            !thread_line(task, d->d_name, "schedstat", times))
            continue;
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++) {
            if (!strcmp(comm, names[i]))
                ret->threads_s[i] = (double)strtoull(times, NULL, 10) / 1e9;
        }
    }
    if (dir)
        closedir(dir);
}

const char *real_record_kernel(const struct real_made *made, bool compact, double seconds,
                               struct real_recording *ret)
{
    char config[REAL_PATH_MAX + 32];
    struct rusage usage;
    int status;
    pid_t done = -1;

    if (geteuid() != 0)
        return "needs root, and tracefs";
    *ret = (struct real_recording){0};
    snprintf(config, sizeof(config), "%s/kernel.config", made->folder);
    snprintf(ret->path, sizeof(ret->path), "%s/cost.pftrace", made->folder);
    if (!write_config(config, compact, seconds))
        return "cannot write into the folder";
    double begun = now();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execl(made->orma, "orma", "record", "--private", "-q", "-f", "-o", ret->path, "-c", config,
              (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && (done = wait4(pid, &status, WNOHANG, &usage)) == 0) {
        look_at_threads(pid, ret);
        usleep(LOOK_US);
    }
    if (pid < 0 || done < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
        return "orma record failed";
    ret->wall_s = now() - begun;
    ret->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    ret->threads_s[REAL_REST] = ret->cpu_s;
    for (unsigned i = 0; i < REAL_REST; i++)
        ret->threads_s[REAL_REST] -= ret->threads_s[i];
    return NULL;
}
