/*
 * linux.sysfs_power: charge, current and voltage of each battery, from
 * /sys/class/power_supply, one packet per battery and period.
 *
 * The period is android_power_config.battery_poll_ms.
 */
#include "probes/system/sources.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "probes/core/entries.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_writer.h"

#define FOLDER "class/power_supply"
#define PERIOD_DEFAULT_MS 1000u
#define PERIOD_MIN_MS 250u
#define PERIOD_MAX_MS 3600000u
#define TEXT_MAX 64
#define WHY_SIZE 300

struct sysfs_power {
    struct orma_source source;
    uint32_t period_ms;
    int sys_fd;
    struct event *timer;
    struct orma_buf packet, text;
};

static const struct {
    const char *file;
    uint8_t field;
} counters[] = {
    {"charge_counter", ORMA_PB_BATTERY_COUNTERS_CHARGE_COUNTER_UAH},
    {"charge_now", ORMA_PB_BATTERY_COUNTERS_CHARGE_COUNTER_UAH},
    {"current_now", ORMA_PB_BATTERY_COUNTERS_CURRENT_UA},
    {"current_avg", ORMA_PB_BATTERY_COUNTERS_CURRENT_AVG_UA},
    {"energy_now", ORMA_PB_BATTERY_COUNTERS_ENERGY_COUNTER_UWH},
    {"voltage_now", ORMA_PB_BATTERY_COUNTERS_VOLTAGE_UV},
};

static struct sysfs_power *power_of(struct orma_source *source)
{
    return ORMA_CONTAINER_OF(source, struct sysfs_power, source);
}

static bool read_number(struct sysfs_power *self, const char *supply, const char *file,
                        int64_t *ret)
{
    char path[400];

    (void)snprintf(path, sizeof(path), FOLDER "/%s/%s", supply, file); /* fits: NAME_MAX is 255 */
    orma_buf_clear(&self->text);
    return orma_fd_read_file(self->sys_fd, path, TEXT_MAX, &self->text) == 0 &&
           !self->text.failed && self->text.len &&
           orma_str_to_i64(orma_str_trim(orma_buf_str(&self->text)), ret);
}

static bool has_file(int sys_fd, const char *supply, const char *file)
{
    char path[400];

    (void)snprintf(path, sizeof(path), FOLDER "/%s/%s", supply, file); /* fits: NAME_MAX is 255 */
    return faccessat(sys_fd, path, R_OK, 0) == 0;
}

/* A supply of which anything can be read that is recorded. */
static bool has_battery(int sys_fd)
{
    struct dirent **entries = NULL;
    int num = orma_entries_list(sys_fd, FOLDER, &entries, NULL, NULL);
    bool ret = false;

    for (int i = 0; i < num; i++) {
        const char *name = entries[i]->d_name;

        for (size_t j = 0; name[0] != '.' && j < ORMA_ARRAY_LEN(counters); j++)
            ret |= has_file(sys_fd, name, counters[j].file);
        ret |= name[0] != '.' && has_file(sys_fd, name, "capacity");
        free(entries[i]);
    }
    free(entries);
    return ret;
}

static bool power_usable(const struct orma_source_env *env, char *why, size_t why_size)
{
    ORMA_AUTO(orma_fd_close) int fd = open(env->sys_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (has_battery(fd))
        return true;
    (void)snprintf(why, why_size, "this machine has no battery (nothing in %s/" FOLDER ")",
                   env->sys_root); /* cut: fine */
    return false;
}

/* Mains and chargers have none of the counters, and are left out. True if it is a battery. */
static bool put_supply(struct sysfs_power *self, const char *name)
{
    struct orma_buf *out = &self->packet;
    uint32_t written = 0;
    int64_t val;

    orma_buf_clear(out);
    orma_source_put_time(out, orma_clock_boottime());
    size_t begun = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_BATTERY);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(counters); i++) {
        if (written >> counters[i].field & 1 || !read_number(self, name, counters[i].file, &val))
            continue;
        orma_pb_put_i64(out, counters[i].field, val);
        written |= 1u << counters[i].field;
    }
    if (read_number(self, name, "capacity", &val)) {
        orma_pb_put_float(out, ORMA_PB_BATTERY_COUNTERS_CAPACITY_PERCENT, (float)val);
        written |= 1;
    }
    if (!written)
        return false;
    orma_pb_put_cstr(out, ORMA_PB_BATTERY_COUNTERS_NAME, name);
    orma_pb_end(out, begun);
    (void)orma_source_sink_put_buf(self->source.sink, out); /* lost: the writer counts it */
    return true;
}

/* Returns how many batteries there are. */
static unsigned put_all(struct sysfs_power *self)
{
    struct dirent **entries = NULL;
    int num = orma_entries_list(self->sys_fd, FOLDER, &entries, NULL, orma_entries_by_name);
    unsigned ret = 0;

    for (int i = 0; i < num; i++) {
        if (entries[i]->d_name[0] != '.')
            ret += put_supply(self, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return ret;
}

/* Batteries may come later, so it looks again even where there is none. */
static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct sysfs_power *self = arg;
    const struct timeval tv = {.tv_sec = self->period_ms / 1000,
                               .tv_usec = (suseconds_t)(self->period_ms % 1000) * 1000};

    (void)fd;
    (void)what;
    (void)put_all(self);
    (void)evtimer_add(self->timer, &tv); /* fails for bad arguments only */
}

static void power_free(struct orma_source *source)
{
    struct sysfs_power *self = power_of(source);

    if (self->timer)
        event_free(self->timer);
    orma_fd_close(&self->sys_fd);
    orma_buf_fini(&self->packet);
    orma_buf_fini(&self->text);
    free(self);
}

static int power_create(struct orma_source_env *env,
                        const Perfetto__Protos__DataSourceConfig *config,
                        struct orma_source_sink *sink, struct orma_source **ret)
{
    struct sysfs_power *self = calloc(1, sizeof(*self));
    uint32_t ms = config->android_power_config ? config->android_power_config->battery_poll_ms : 0;

    if (!self)
        return -ENOMEM;
    self->source =
        (struct orma_source){.type = &orma_system_power_source, .env = env, .sink = sink};
    self->period_ms =
        !ms ? PERIOD_DEFAULT_MS : ORMA_MIN(ORMA_MAX(ms, PERIOD_MIN_MS), PERIOD_MAX_MS);
    self->sys_fd = open(env->sys_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    self->timer = evtimer_new(env->base, on_timer, self);
    if (!self->timer) {
        power_free(&self->source);
        return -ENOMEM;
    }
    *ret = &self->source;
    return 0;
}

/* The first values at once. */
static void power_start(struct orma_source *source)
{
    struct sysfs_power *self = power_of(source);
    char why[WHY_SIZE];

    if (!power_usable(source->env, why, sizeof(why)))
        orma_log_warn("linux.sysfs_power: %s", why);
    on_timer(-1, 0, self);
}

static void power_stop(struct orma_source *source)
{
    (void)evtimer_del(power_of(source)->timer); /* fails for bad arguments only */
    orma_source_stopped(source);
}

const struct orma_source_type orma_system_power_source = {
    .name = "linux.sysfs_power",
    .usable = power_usable,
    .create = power_create,
    .start = power_start,
    .stop = power_stop,
    .free = power_free,
};
