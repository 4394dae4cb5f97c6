/*
 * For tests: ordinary files that look like a small tracefs with two cpus.
 */
#ifndef ORMA_TESTS_UNIT_PROBES_TRACEFS_TREE_H
#define ORMA_TESTS_UNIT_PROBES_TRACEFS_TREE_H
#include <stdio.h>

#include "tests/support/page_builder.h"
#include "tests/support/probes_fixture.h"

#define TREE_COMMON                                                                                \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                 \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static inline void tree_event(struct pf *pf, const char *dir, const char *group, const char *name,
                              unsigned id, const char *fields)
{
    char path[256], text[4096];

    snprintf(path, sizeof(path), "%s/events/%s/%s/format", dir, group, name);
    snprintf(text, sizeof(text), "name: %s\nID: %u\nformat:\n" TREE_COMMON "%s", name, id, fields);
    pf_file(pf, path, text);
    snprintf(path, sizeof(path), "%s/events/%s/%s/enable", dir, group, name);
    pf_file(pf, path, "0");
}

/* `dir` is "tracing" for the top level. */
static inline void tree_make(struct pf *pf, const char *dir)
{
    static const struct {
        const char *name, *text;
    } files[] = {
        {"trace", "old content\n"},
        {"tracing_on", "1\n"},
        {"trace_clock", "[local] global boot mono_raw\n"},
        {"current_tracer", "nop\n"},
        {"buffer_size_kb", "7 (expanded: 1408)\n"},
        {"buffer_percent", "50\n"},
        {"tracing_cpumask", "3\n"},
        {"set_event", ""},
        {"set_event_pid", "no pid\n"},
        {"printk_formats", "0xffffffff82000010 : \"idle\"\n"},
        {"available_events", "sched:sched_switch\nfoo:thing\n"},
        {"options/overwrite", "1\n"},
        {"options/markers", "1\n"},
        {"events/enable", "0\n"},
        {"events/header_page", "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                               "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n"},
    };
    char path[256];

    for (size_t i = 0; i < ORMA_ARRAY_LEN(files); i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, files[i].name);
        pf_file(pf, path, files[i].text);
    }
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", dir, cpu);
        pf_file(pf, path,
                "entries: 5\noverrun: 1\nbytes: 100\nnow ts: 99999.000000\nread events: 2\n");
        snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", dir, cpu);
        pf_file(pf, path, "");
    }
    tree_event(pf, dir, "foo", "thing", 20, "\tfield:int val;\toffset:8;\tsize:4;\tsigned:1;\n");
    tree_event(pf, dir, "foo", "other", 21, "\tfield:int val;\toffset:8;\tsize:4;\tsigned:1;\n");
    tree_event(pf, dir, "task", "task_rename", 22,
               "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
               "\tfield:char oldcomm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
               "\tfield:char newcomm[16];\toffset:28;\tsize:16;\tsigned:0;\n");
}

/* Appends a page with `num` events foo/thing, val 0, 1, ... */
static inline void tree_page(struct pf *pf, const char *path, uint64_t ts, unsigned id,
                             unsigned num)
{
    struct page_builder b = page_begin(ts);

    for (unsigned i = 0; i < num; i++) {
        uint32_t ev[3] = {id, 42, i};

        page_data(&b, 10, ev, sizeof(ev));
    }
    page_end(&b);
    FILE *f = fopen(pf_path(pf, path), "ab");
    if (!f || fwrite(b.page, sizeof(b.page), 1, f) != 1)
        abort();
    fclose(f);
}
#endif
