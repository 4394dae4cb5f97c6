/*
 * What the kernel laboratory has done while it records: a known number of known things.
 *
 *     load calls N        calls of probe_site_called(), with a static probe point in each
 *     load opens N        files /tmp/lab-0, /tmp/lab-1, ... that do not exist, opened
 *     load reads N        reads of 4 KiB from /proc/self/maps
 *     load switches N     a byte to and fro between two processes
 *     load markers N      lines "lab K" into trace_marker, on one cpu
 *     load burn MS        computes for so long in orma_lab_burn()
 *
 * Its number of threads is one; the pid of the process is printed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/integration/probes/probe_site.h"

static volatile int sink;

static int calls(int num)
{
    for (int i = 0; i < num; i++)
        sink = probe_site_called(i);
    return 0;
}

static int opens(int num)
{
    char path[64];

    for (int i = 0; i < num; i++) {
        snprintf(path, sizeof(path), "/tmp/lab-%d", i);
        if (open(path, O_RDONLY) >= 0)
            return 1;
    }
    return 0;
}

static int reads(int num)
{
    int fd = open("/proc/self/maps", O_RDONLY);
    char buf[4096];

    for (int i = 0; i < num; i++) {
        if (lseek(fd, 0, SEEK_SET) < 0 || read(fd, buf, sizeof(buf)) <= 0)
            return 1;
    }
    return 0;
}

static int switches(int num)
{
    int there[2], back[2];
    char byte = 0;

    if (pipe(there) || pipe(back))
        return 1;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < num; i++) {
            if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    for (int i = 0; i < num; i++) {
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            return 1;
    }
    return waitpid(child, NULL, 0) != child;
}

static int markers(int num)
{
    int fd = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
    cpu_set_t set;
    char line[64];

    CPU_ZERO(&set);
    CPU_SET(0, &set);
    if (fd < 0 || sched_setaffinity(0, sizeof(set), &set) < 0)
        return 1;
    for (int i = 0; i < num; i++) {
        int len = snprintf(line, sizeof(line), "lab %d\n", i);

        if (write(fd, line, (size_t)len) != len)
            return 1;
    }
    return 0;
}

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

__attribute__((noinline)) void orma_lab_burn(double until_ms)
{
    while (now_ms() < until_ms) {
        for (int i = 0; i < 100000; i++)
            sink += i;
    }
}

static int burn(int ms)
{
    orma_lab_burn(now_ms() + ms);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*fn)(int num);
    } all[] = {{"calls", calls},       {"opens", opens},     {"reads", reads},
               {"switches", switches}, {"markers", markers}, {"burn", burn}};

    for (size_t i = 0; argc == 3 && i < sizeof(all) / sizeof(all[0]); i++) {
        if (!strcmp(argv[1], all[i].name)) {
            printf("%d\n", (int)getpid());
            fflush(stdout);
            return all[i].fn(atoi(argv[2]));
        }
    }
    fprintf(stderr, "load: see its source\n");
    return 2;
}
