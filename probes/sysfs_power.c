/*
 * linux.sysfs_power: charge, current and voltage of each battery, from
 * /sys/class/power_supply, one packet per battery and period.
 *
 * The period is android_power_config.battery_poll_ms, whose message is not
 * among those that this build has a schema of; that one field is read by hand.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "probes/source.h"
#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define FOLDER "class/power_supply"
#define PERIOD_DEFAULT_MS 1000u
#define PERIOD_MIN_MS 250u
#define FIELD_BATTERY_POLL_MS 1
#define TEXT_MAX 64

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

/* Mains and chargers have none of the counters, and are left out. */
static void put_supply(struct sysfs_power *self, const char *name)
{
    struct orma_buf *out = &self->packet;
    uint32_t written = 0;
    int64_t val;

    orma_buf_clear(out);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, orma_clock_boottime());
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
        return;
    orma_pb_put_cstr(out, ORMA_PB_BATTERY_COUNTERS_NAME, name);
    orma_pb_end(out, begun);
    (void)orma_sink_put_buf(self->source.sink, out); /* lost: the writer counts it */
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct sysfs_power *self = arg;
    const struct timeval tv = {.tv_sec = self->period_ms / 1000,
                               .tv_usec = (suseconds_t)(self->period_ms % 1000) * 1000};
    struct dirent **entries = NULL;
    int num = scandirat(self->sys_fd, FOLDER, &entries, NULL, alphasort);

    (void)fd;
    (void)what;
    for (int i = 0; i < num; i++) {
        if (entries[i]->d_name[0] != '.')
            put_supply(self, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (num < 0) {
        orma_log_info("linux.sysfs_power: no power supplies on this machine");
        return; /* and none will come */
    }
    (void)evtimer_add(self->timer, &tv); /* fails for bad arguments only */
}

/* android_power_config.battery_poll_ms; 0: not said. */
static uint64_t poll_ms(const Perfetto__Protos__DataSourceConfig *config)
{
    uint64_t ret = 0;

    for (unsigned i = 0; i < config->base.n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *u = &config->base.unknown_fields[i];
        struct orma_pb_reader r = orma_pb_reader(u->data, u->len);
        struct orma_pb_field f;
        uint64_t len;

        if (u->tag != ORMA_PB_DATA_SOURCE_CONFIG_ANDROID_POWER_CONFIG ||
            !orma_pb_varint_at(&r.pos, r.end, &len)) /* the length is part of the data */
            continue;
        while (orma_pb_next(&r, &f)) {
            if (f.id == FIELD_BATTERY_POLL_MS)
                ret = f.num;
        }
    }
    return ret;
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

static int power_create(struct orma_env *env, const Perfetto__Protos__DataSourceConfig *config,
                        struct orma_sink *sink, struct orma_source **ret)
{
    struct sysfs_power *self = calloc(1, sizeof(*self));
    uint64_t ms = poll_ms(config);

    if (!self)
        return -ENOMEM;
    self->source = (struct orma_source){.type = &orma_sysfs_power_source, .env = env, .sink = sink};
    self->period_ms =
        !ms ? PERIOD_DEFAULT_MS : (uint32_t)ORMA_MIN(ORMA_MAX(ms, PERIOD_MIN_MS), 3600000);
    self->sys_fd = open(env->sys_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    self->timer = evtimer_new(env->base, on_timer, self);
    if (!self->timer) {
        power_free(&self->source);
        return -ENOMEM;
    }
    *ret = &self->source;
    return 0;
}

static void power_start(struct orma_source *source)
{
    on_timer(-1, 0, power_of(source)); /* the first values at once */
}

static void power_stop(struct orma_source *source)
{
    (void)evtimer_del(power_of(source)->timer); /* fails for bad arguments only */
    orma_source_stopped(source);
}

const struct orma_source_type orma_sysfs_power_source = {
    .name = "linux.sysfs_power",
    .create = power_create,
    .start = power_start,
    .stop = power_stop,
    .free = power_free,
};
