#include <criterion/criterion.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "probes/inodes/file_map.h"
#include "probes/process/stats.h"
#include "protos/fields/process.h"
#include "tests/support/leaks.h"
#include "tests/unit/probes/ftrace_fx.h"

Test(mountinfo, reads_lines)
{
    static const struct {
        const char *line, *path;
        unsigned major, minor;
    } cases[] = {
        {"23 27 0:22 / /sys rw,relatime - sysfs sysfs rw", "/sys", 0, 22},
        {"1 2 8:300 /sub /my\\040disk rw", "/my disk", 8, 300},
        {"1 2 8:1 / /a\\04 rw", "/a\\04", 8, 1},
        {"1 2 8:x / /a rw", NULL, 0, 0},
        {"1 2 8 / /a rw", NULL, 0, 0},
        {"1 2 8:1 /", NULL, 0, 0},
        {"1 2 8:1 / a rw", NULL, 0, 0},
        {"", NULL, 0, 0},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        char line[128];
        struct orma_str path;
        uint64_t dev;
        size_t len = strlen(cases[i].line);

        memcpy(line, cases[i].line, len + 1);
        bool ok = orma_inode_mountinfo_parse(line, len, &dev, &path);
        cr_expect_eq(ok, cases[i].path != NULL, "%s", cases[i].line);
        if (!ok || !cases[i].path)
            continue;
        cr_expect(orma_str_eq_c(path, cases[i].path), "%.*s", ORMA_STR_ARG(path));
        cr_expect_eq(dev, makedev(cases[i].major, cases[i].minor));
    }
    orma_assert_no_leaks();
}

/* What the packets say. */
struct found {
    unsigned entries, folders;
    uint64_t dev, inode;
    struct orma_str path;
};

static struct found look(const struct pf *pf)
{
    struct found ret = {0};

    for (size_t i = 0; i < pf->packets_num; i++) {
        struct orma_pb_reader r = orma_pb_reader(pf->packets[i].data, pf->packets[i].len);
        struct orma_pb_field p, m, e;

        while (orma_pb_next(&r, &p)) {
            if (p.id != ORMA_PB_TRACE_PACKET_INODE_FILE_MAP)
                continue;
            struct orma_pb_reader map = orma_pb_sub(&p);
            while (orma_pb_next(&map, &m)) {
                struct orma_pb_reader entry = orma_pb_sub(&m);

                if (m.id == ORMA_PB_INODE_FILE_MAP_BLOCK_DEVICE_ID)
                    ret.dev = m.num;
                if (m.id != ORMA_PB_INODE_FILE_MAP_ENTRIES)
                    continue;
                ret.entries++;
                while (orma_pb_next(&entry, &e)) {
                    if (e.id == ORMA_PB_INODE_FILE_MAP_ENTRY_INODE_NUMBER)
                        ret.inode = e.num;
                    if (e.id == ORMA_PB_INODE_FILE_MAP_ENTRY_PATHS)
                        ret.path = (struct orma_str){(const char *)e.data, e.len};
                    ret.folders += e.id == ORMA_PB_INODE_FILE_MAP_ENTRY_TYPE &&
                                   e.num == ORMA_PB_INODE_FILE_MAP_ENTRY_DIRECTORY;
                }
            }
        }
    }
    return ret;
}

static bool has_entry(struct pf *pf)
{
    return look(pf).entries > 0;
}

static struct pf pf;

/* A machine whose only disk is our scratch folder. Gives the inode of disk/a/b/file. */
static struct stat make_disk(struct pf *self)
{
    char mountinfo[400];
    struct stat st;

    pf_file(self, "disk/a/b/file", "x");
    pf_file(self, "disk/other", "x");
    cr_assert_eq(stat(pf_path(self, "disk/a/b/file"), &st), 0);
    snprintf(mountinfo, sizeof(mountinfo), "1 0 0:9999 / /proc rw\n2 0 %u:%u / %s rw - x x rw\n",
             major(st.st_dev), minor(st.st_dev), pf_path(self, "disk"));
    pf_file(self, "proc/self/mountinfo", mountinfo);
    return st;
}

Test(inode_file_map, finds_files_by_inode)
{
    Perfetto__Protos__DataSourceConfig config = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;
    Perfetto__Protos__InodeFileConfig ic = PERFETTO__PROTOS__INODE_FILE_CONFIG__INIT;
    struct orma_map seen = {0};

    pf_init(&pf);
    struct stat st = make_disk(&pf);
    config.inode_file_config = &ic;
    ic.has_scan_delay_ms = 1;
    ic.scan_delay_ms = 1;
    struct orma_source *s = pf_source(&pf, &orma_inode_file_map_source, &config);
    s->type->start(s);
    orma_map_put(&seen, st.st_ino, st.st_dev);
    orma_map_put(&seen, UINT64_MAX / 3, st.st_dev); /* nowhere */
    orma_map_put(&seen, 5, 0);                      /* of no known device */
    s->type->inodes_seen(s, &seen);
    s->type->stop(s);
    struct found f = look(&pf);
    cr_assert_eq(f.entries, 1);
    cr_assert_eq(f.dev, st.st_dev);
    cr_assert_eq(f.inode, st.st_ino);
    cr_assert(orma_str_eq_c(f.path, pf_path(&pf, "disk/a/b/file")), "%.*s", ORMA_STR_ARG(f.path));
    cr_assert_eq(f.folders, 0);
    s->type->inodes_seen(s, &seen); /* known by now */
    s->type->stop(s);
    cr_assert_eq(look(&pf).entries, 1);
    orma_map_fini(&seen);
    pf_free_source(&pf, s);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

Test(inode_file_map, scans_after_the_delay_where_it_is_told_to)
{
    Perfetto__Protos__InodeFileConfig__MountPointMappingEntry mapping =
        PERFETTO__PROTOS__INODE_FILE_CONFIG__MOUNT_POINT_MAPPING_ENTRY__INIT;
    Perfetto__Protos__InodeFileConfig__MountPointMappingEntry *mappings[] = {&mapping};
    Perfetto__Protos__DataSourceConfig config = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;
    Perfetto__Protos__InodeFileConfig ic = PERFETTO__PROTOS__INODE_FILE_CONFIG__INIT;
    char mount[300], root[300], *roots[] = {root};
    struct orma_map seen = {0};
    struct stat other;

    pf_init(&pf);
    struct stat st = make_disk(&pf);
    snprintf(mount, sizeof(mount), "%s", pf_path(&pf, "disk"));
    snprintf(root, sizeof(root), "%s", pf_path(&pf, "disk/a"));
    cr_assert_eq(stat(pf_path(&pf, "disk/other"), &other), 0);
    config.inode_file_config = &ic;
    ic.has_scan_delay_ms = 1;
    ic.scan_delay_ms = 20;
    mapping.mountpoint = mount;
    mapping.scan_roots = roots;
    mapping.n_scan_roots = 1;
    ic.mount_point_mapping = mappings;
    ic.n_mount_point_mapping = 1;
    struct orma_source *s = pf_source(&pf, &orma_inode_file_map_source, &config);
    s->type->start(s);
    orma_map_put(&seen, st.st_ino, st.st_dev);
    orma_map_put(&seen, other.st_ino, other.st_dev);
    s->type->inodes_seen(s, &seen);
    cr_assert(pf_run(&pf, has_entry, 60000));
    s->type->stop(s);
    cr_assert_eq(look(&pf).entries, 1, "the other one is not below the root");
    orma_map_fini(&seen);
    pf_free_source(&pf, s);
    pf_fini(&pf);
    orma_assert_no_leaks();
}

/* Through linux.ftrace: events that mention inodes, calls that return descriptors. */
Test(inode_file_map, is_told_by_ftrace)
{
    Perfetto__Protos__DataSourceConfig config = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;
    Perfetto__Protos__ProcessStatsConfig ps = PERFETTO__PROTOS__PROCESS_STATS_CONFIG__INIT;
    char *events[] = {(char[]){"fs/open"}, (char[]){"raw_syscalls/sys_exit"}};
    struct page_builder b = page_begin(5000);
    struct fx f;

    fx_init(&f);
    struct stat st = make_disk(&f.pf);
    tree_event(&f.pf, "tracing", "fs", "open", 33,
               "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
               "\tfield:ino_t ino;\toffset:16;\tsize:8;\tsigned:0;\n");
    tree_event(&f.pf, "tracing", "raw_syscalls", "sys_exit", 31,
               "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
               "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n");
    pf_link(&f.pf, "proc/42/fd/7", "/etc/motd");
    config.process_stats_config = &ps;
    ps.has_resolve_process_fds = ps.resolve_process_fds = 1;
    struct orma_source *processes = pf_source(&f.pf, &orma_process_stats_source, &config);
    struct orma_source *files = pf_source(&f.pf, &orma_inode_file_map_source, NULL);
    struct orma_source *s = fx_session(&f, events, 2);
    s->type->start(s);
    struct {
        uint32_t head[2], dev, pad;
        uint64_t ino;
    } open = {{33, 42}, major(st.st_dev) << 20 | minor(st.st_dev), 0, st.st_ino};
    struct {
        uint32_t head[2];
        int64_t id, ret;
    } calls[] = {{{31, 42}, 2, 7}, {{31, 42}, 257, 7}, {{31, 42}, 56, 7}, {{31, 42}, 257, -2}};
    page_data(&b, 10, &open, sizeof(open));
    for (size_t i = 0; i < ORMA_ARRAY_LEN(calls); i++)
        page_data(&b, 10, &calls[i], sizeof(calls[i]));
    page_end(&b);
    pf_bytes(&f.pf, "tracing/per_cpu/cpu0/trace_pipe_raw", b.page, sizeof(b.page));
    s->type->flush(s, 1);
    files->type->stop(files);
    cr_assert_eq(look(&f.pf).entries, 1);
    unsigned fds = 0;
    for (size_t i = 0; i < f.pf.packets_num; i++) {
        struct orma_pb_reader r = orma_pb_reader(f.pf.packets[i].data, f.pf.packets[i].len);
        struct orma_pb_field p;

        while (orma_pb_next(&r, &p))
            fds += p.id == ORMA_PB_TRACE_PACKET_PROCESS_STATS;
    }
    cr_assert_eq(fds, 1);
    pf_free_source(&f.pf, s);
    pf_free_source(&f.pf, files);
    pf_free_source(&f.pf, processes);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}

static bool has_clock(const struct orma_str *packet)
{
    struct orma_pb_reader r = orma_pb_reader(packet->data, packet->len);
    struct orma_pb_field f, b;
    bool ret = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_TRACE_PACKET_FTRACE_EVENTS)
            continue;
        struct orma_pb_reader bundle = orma_pb_sub(&f);
        while (orma_pb_next(&bundle, &b))
            ret |= b.id == ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_CLOCK;
    }
    return ret;
}

Test(frozen_ftrace, reads_what_the_last_boot_left)
{
    Perfetto__Protos__DataSourceConfig config = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;
    Perfetto__Protos__FrozenFtraceConfig frozen = PERFETTO__PROTOS__FROZEN_FTRACE_CONFIG__INIT;
    struct orma_source *s = NULL;
    struct fx f;

    fx_init(&f);
    tree_make(&f.pf, "tracing/instances/boot");
    config.frozen_ftrace_config = &frozen;
    cr_assert_null(pf_source(&f.pf, &orma_ftrace_frozen_source, &config), "no name");
    frozen.instance_name = (char[]){"boot"};
    cr_assert_null(pf_source(&f.pf, &orma_ftrace_frozen_source, &config), "a usual ring");
    pf_file(&f.pf, "tracing/instances/boot/last_boot_info", "10d00000000 [kernel]\n");
    pf_file(&f.pf, "tracing/instances/boot/trace_clock", "local global [x86-tsc]\n");
    cr_assert_null(pf_source(&f.pf, &orma_ftrace_frozen_source, &config), "not nanoseconds");
    pf_file(&f.pf, "tracing/instances/boot/trace_clock", "[local] global x86-tsc\n");
    tree_page(&f.pf, "tracing/instances/boot/per_cpu/cpu0/trace_pipe_raw", 1000, 20, 100);
    tree_page(&f.pf, "tracing/instances/boot/per_cpu/cpu1/trace_pipe_raw", 2000, 20, 30);
    tree_page(&f.pf, "tracing/instances/boot/per_cpu/cpu1/trace_pipe_raw", 9000, 4000, 30);
    s = pf_source(&f.pf, &orma_ftrace_frozen_source, &config);
    cr_assert_not_null(s);
    s->type->start(s);
    s->type->stop(s);
    cr_assert_eq(count_events(&f), 130, "%u", count_events(&f));
    for (size_t i = 0; i < f.pf.packets_num; i++)
        cr_assert_not(has_clock(&f.pf.packets[i]), "no reader knows how it relates to this boot");
    cr_assert_eq(pf_read(&f.pf, "tracing/instances/boot/tracing_on")[0], '1', "not touched");
    pf_free_source(&f.pf, s);
    pf_fini(&f.pf);
    orma_assert_no_leaks();
}
