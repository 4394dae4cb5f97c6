/* Any text as one of the files of /proc and tracefs that the probes read; the first byte says
 * which. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "probes/core/proc_parse.h"
#include "probes/ftrace/elf.h"
#include "probes/inodes/file_map.h"
#include "probes/journal/entry.h"
#include "probes/kernel/tracefs.h"
#include "probes/system/cpuinfo.h"
#include "probes/system/stats_parse.h"
#include "sdk/base/fd.h"
#include "sdk/ftrace/kallsyms.h"
#include "sdk/ftrace/printk.h"
#include "sdk/wire/pb_reader.h"

static const orma_system_put_fn counters[] = {orma_system_put_meminfo,   orma_system_put_vmstat,
                                              orma_system_put_stat,      orma_system_put_buddyinfo,
                                              orma_system_put_diskstats, orma_system_put_slabinfo};

/* What was written must be fields. */
static void check(const struct orma_buf *out)
{
    struct orma_pb_reader r = orma_pb_reader(out->data, out->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
    }
    if (r.failed)
        abort();
}

static void counter_files(unsigned which, struct orma_str text)
{
    const struct orma_system_wanted all = {.all = true};
    struct orma_buf out = {0};

    if (which < ORMA_ARRAY_LEN(counters))
        counters[which](&out, text, &all);
    else
        orma_system_put_pressure(&out, text, 1, 2);
    check(&out);
    orma_buf_fini(&out);
}

static void process_files(struct orma_str text)
{
    struct orma_proc_status status;
    struct orma_proc_smaps smaps;
    struct orma_proc_stat stat;

    if (orma_proc_parse_status(text, &status) && status.nspid_num > ORMA_PROC_NS_MAX)
        abort();
    (void)orma_proc_parse_stat(text, &stat);
    (void)orma_proc_parse_smaps(text, &smaps);
    (void)orma_proc_parse_cgroup(text);
}

static void lines(struct orma_str text)
{
    struct orma_str line, name;
    struct orma_system_cpuinfo info;
    uint32_t irq;

    if (orma_system_cpuinfo_parse(text, &info) == 0)
        orma_system_cpuinfo_fini(&info);
    while (text.len && orma_str_cut(&text, '\n', &line))
        (void)orma_system_interrupt_parse(line, &irq, &name);
}

/* Parsers that change the text. */
static void own_copy(struct orma_str text)
{
    char *copy = orma_str_dup(text), *rest = copy;
    struct orma_journal_entry entry;
    struct orma_buf out = {0};
    struct orma_str path;
    size_t len = text.len;
    uint64_t dev;

    if (!copy)
        return;
    while (orma_journal_kmsg_next(&rest, &len, &entry)) {
        orma_journal_put(&out, &entry);
        check(&out);
        orma_buf_clear(&out);
    }
    free(copy);
    copy = orma_str_dup(text);
    if (copy && orma_inode_mountinfo_parse(copy, text.len, &dev, &path) && path.len > text.len)
        abort();
    free(copy);
    orma_buf_fini(&out);
}

/* A file in memory, since this one is read in pieces. */
static void kernel_symbols(struct orma_str text)
{
    struct orma_kallsyms *symbols = NULL;
    int fd = memfd_create("kallsyms", MFD_CLOEXEC);
    char path[40];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (fd >= 0 && orma_fd_write_all(fd, text.data, text.len) == 0 &&
        orma_kallsyms_read(AT_FDCWD, path, &symbols) == 0)
        (void)orma_kallsyms_find(symbols, 0xffffffff81000010u);
    orma_kallsyms_free(symbols);
    orma_fd_close(&fd);
}

static void kernel_files(struct orma_str text)
{
    struct orma_arena arena = {0};
    struct orma_map printk = {0};
    struct orma_tracefs_page_layout layout;
    struct orma_tracefs_cpu_stats stats;

    (void)orma_ftrace_printk_parse(&arena, text, &printk);
    kernel_symbols(text);
    (void)orma_tracefs_parse_cpu_stats(text, &stats);
    if (orma_tracefs_parse_header_page(text, &layout) && layout.commit_size != 4 &&
        layout.commit_size != 8)
        abort();
    orma_map_fini(&printk);
    orma_arena_fini(&arena);
}

static void probe_arguments(struct orma_str text)
{
    struct orma_buf out = {0};

    (void)orma_ftrace_usdt_put_args(&out, text, "x86_64");
    (void)orma_ftrace_usdt_put_args(&out, text, "aarch64");
    orma_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    const struct orma_str text = {(const char *)data + 1, size - 1};
    unsigned which = data[0] % 16;

    if (which < 8)
        counter_files(which, text);
    else if (which < 10)
        process_files(text);
    else if (which < 12)
        lines(text);
    else if (which < 13)
        own_copy(text);
    else if (which < 14)
        probe_arguments(text);
    else
        kernel_files(text);
    return 0;
}
