/*
 * Each function walks the folders of one class below /sys (cpus, thermal zones, devices),
 * reads one small file of each and appends a field. Folders that vary by driver are tried
 * in turn.
 */
#include "probes/system/stats_sysfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/core/entries.h"
#include "probes/core/proc_parse.h"
#include "protos/fields/sys_stats.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_writer.h"

#define TEXT_MAX (64 * 1024)
#define CPUS_MAX 4096
#define STATES_MAX 64

/* The trimmed text of a file; false if there is none. */
ORMA_PRINTF(3, 4)
static bool read_text(int sys_fd, struct orma_buf *ret, const char *fmt, ...)
{
    char path[512];
    va_list args;

    va_start(args, fmt);
    int len = vsnprintf(path, sizeof(path), fmt, args);
    va_end(args);
    orma_buf_clear(ret);
    if (len < 0 || (size_t)len >= sizeof(path) ||
        orma_fd_read_file(sys_fd, path, TEXT_MAX, ret) < 0 || ret->failed)
        return false;
    ret->len = orma_str_trim(orma_buf_str(ret)).len; /* such texts begin with no blank */
    return ret->len > 0;
}

static bool number_of(const struct orma_buf *text, uint64_t *ret)
{
    return orma_str_to_u64(orma_buf_str(text), ret);
}

/* The biggest N of entries "cpuN", plus one. */
static uint32_t count_cpus(int sys_fd)
{
    int fd = openat(sys_fd, "devices/system/cpu", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    uint32_t num = 0;
    uint64_t cpu;

    if (!dir) {
        orma_fd_close(&fd);
        return 0;
    }
    while ((entry = readdir(dir))) {
        if (!strncmp(entry->d_name, "cpu", 3) &&
            orma_str_to_u64(orma_str_from(entry->d_name + 3), &cpu) && cpu < CPUS_MAX)
            num = ORMA_MAX(num, (uint32_t)cpu + 1);
    }
    (void)closedir(dir); /* read only */
    return num;
}

/* The format has no number of the cpu: entry N is cpu N, 0 where there is none. */
unsigned orma_system_put_cpufreq(struct orma_buf *out, int sys_fd)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    uint32_t num = count_cpus(sys_fd);
    size_t before = out->len;
    unsigned found = 0;

    for (uint32_t cpu = 0; cpu < num; cpu++) {
        uint64_t khz = 0;

        if (read_text(sys_fd, &text, "devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu))
            found += number_of(&text, &khz);
        orma_pb_put_u64(out, ORMA_PB_SYS_STATS_CPUFREQ_KHZ, (uint32_t)khz);
    }
    if (!found)
        out->len = before;
    return found;
}

static unsigned put_idle_states(struct orma_buf *out, int sys_fd, uint32_t cpu)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0}, time = {0};
    uint64_t us;
    unsigned num = 0;

    for (unsigned state = 0; state < STATES_MAX; state++) {
        if (!read_text(sys_fd, &name, "devices/system/cpu/cpu%u/cpuidle/state%u/name", cpu, state))
            break;
        if (!read_text(sys_fd, &time, "devices/system/cpu/cpu%u/cpuidle/state%u/time", cpu,
                       state) ||
            !number_of(&time, &us))
            continue;
        size_t begun = orma_pb_begin(out, ORMA_PB_SYS_STATS_CPU_IDLE_STATE_CPUIDLE_STATE_ENTRY);
        orma_pb_put_str(out, ORMA_PB_SYS_STATS_CPU_IDLE_STATE_ENTRY_STATE, orma_buf_str(&name));
        orma_pb_put_u64(out, ORMA_PB_SYS_STATS_CPU_IDLE_STATE_ENTRY_DURATION_US, us);
        orma_pb_end(out, begun);
        num++;
    }
    return num;
}

unsigned orma_system_put_cpuidle(struct orma_buf *out, int sys_fd)
{
    uint32_t cpus = count_cpus(sys_fd);
    unsigned num = 0;

    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        size_t before = out->len, begun = orma_pb_begin(out, ORMA_PB_SYS_STATS_CPUIDLE_STATE);

        orma_pb_put_u64(out, ORMA_PB_SYS_STATS_CPU_IDLE_STATE_CPU_ID, cpu);
        unsigned states = put_idle_states(out, sys_fd, cpu);
        orma_pb_end(out, begun);
        if (!states && !out->failed)
            out->len = before;
        num += states;
    }
    return num;
}

/* Entries of a folder, sorted; *ret and each entry from malloc. */
static int list_of(int sys_fd, const char *path, struct dirent ***ret)
{
    int num = orma_entries_list(sys_fd, path, ret, NULL, orma_entries_by_version);

    return num < 0 ? 0 : num;
}

static bool put_zone(struct orma_buf *out, int sys_fd, const char *name)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    int64_t millidegrees;

    if (!read_text(sys_fd, &text, "class/thermal/%s/temp", name) ||
        !orma_str_to_i64(orma_buf_str(&text), &millidegrees))
        return false;
    size_t begun = orma_pb_begin(out, ORMA_PB_SYS_STATS_THERMAL_ZONE);
    orma_pb_put_cstr(out, ORMA_PB_SYS_STATS_THERMAL_ZONE_NAME, name);
    orma_pb_put_u64(out, ORMA_PB_SYS_STATS_THERMAL_ZONE_TEMP, (uint64_t)(millidegrees / 1000));
    if (read_text(sys_fd, &text, "class/thermal/%s/type", name))
        orma_pb_put_str(out, ORMA_PB_SYS_STATS_THERMAL_ZONE_TYPE, orma_buf_str(&text));
    orma_pb_end(out, begun);
    return true;
}

unsigned orma_system_put_thermal(struct orma_buf *out, int sys_fd)
{
    struct dirent **entries = NULL;
    int num = list_of(sys_fd, "class/thermal", &entries);
    unsigned found = 0;

    for (int i = 0; i < num; i++) {
        if (!strncmp(entries[i]->d_name, "thermal_zone", 12))
            found += put_zone(out, sys_fd, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return found;
}

unsigned orma_system_put_devfreq(struct orma_buf *out, int sys_fd)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct dirent **entries = NULL;
    int num = list_of(sys_fd, "class/devfreq", &entries);
    unsigned found = 0;
    uint64_t freq;

    for (int i = 0; i < num; i++) {
        if (entries[i]->d_name[0] != '.' &&
            read_text(sys_fd, &text, "class/devfreq/%s/cur_freq", entries[i]->d_name) &&
            number_of(&text, &freq)) {
            size_t begun = orma_pb_begin(out, ORMA_PB_SYS_STATS_DEVFREQ);
            orma_pb_put_cstr(out, ORMA_PB_SYS_STATS_DEVFREQ_VALUE_KEY, entries[i]->d_name);
            orma_pb_put_u64(out, ORMA_PB_SYS_STATS_DEVFREQ_VALUE_VALUE, freq);
            orma_pb_end(out, begun);
            found++;
        }
        free(entries[i]);
    }
    free(entries);
    return found;
}

/* "0: 500Mhz\n1: 800Mhz *": the line with the star. */
static bool starred_mhz(struct orma_str text, uint64_t *ret)
{
    struct orma_str line, level;

    while (text.len && orma_str_cut(&text, '\n', &line)) {
        size_t digits = 0;

        if (!orma_str_find(line, ORMA_STR("*")) || !orma_str_cut(&line, ':', &level))
            continue;
        line = orma_str_trim(line);
        while (digits < line.len && line.data[digits] >= '0' && line.data[digits] <= '9')
            digits++;
        return orma_str_to_u64((struct orma_str){line.data, digits}, ret);
    }
    return false;
}

unsigned orma_system_put_gpufreq(struct orma_buf *out, int sys_fd)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    uint64_t val;
    bool found = false;

    if (read_text(sys_fd, &text, "class/kgsl/kgsl-3d0/devfreq/cur_freq")) {
        found = number_of(&text, &val);
        val /= 1000000;
    } else if (read_text(sys_fd, &text, "class/drm/card0/gt_act_freq_mhz")) {
        found = number_of(&text, &val);
    } else if (read_text(sys_fd, &text, "class/drm/card0/device/pp_dpm_sclk")) {
        found = starred_mhz(orma_buf_str(&text), &val);
    }
    if (found)
        orma_pb_put_u64(out, ORMA_PB_SYS_STATS_GPUFREQ_MHZ, val);
    return found;
}
