/*
 * linux.system_info: the processors of this machine, once at the start; and
 * the names of interrupts, if wanted.
 */
#include "probes/system/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "probes/system/cpuinfo.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_writer.h"

#define FILE_MAX (4u << 20)

struct system_info {
    struct orma_source source;
    bool irq_names;
};

static struct system_info *info_of(struct orma_source *source)
{
    return ORMA_CONTAINER_OF(source, struct system_info, source);
}

static bool read_at(const char *root, const char *name, struct orma_buf *ret)
{
    char path[512];

    orma_buf_clear(ret);
    return (size_t)snprintf(path, sizeof(path), "%s/%s", root, name) < sizeof(path) &&
           orma_fd_read_file(AT_FDCWD, path, FILE_MAX, ret) == 0;
}

static void put_frequencies(struct orma_buf *out, const char *sys_root, uint32_t cpu)
{
    static const char *const files[] = {"scaling_available_frequencies",
                                        "scaling_boost_frequencies"};
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(files); i++) {
        struct orma_str rest, word;
        uint64_t khz;
        char name[128];

        (void)snprintf(name, sizeof(name), "devices/system/cpu/cpu%u/cpufreq/%s", cpu,
                       files[i]); /* fits */
        if (!read_at(sys_root, name, &text))
            continue;
        rest = orma_str_trim(orma_buf_str(&text));
        while (rest.len && orma_str_cut(&rest, ' ', &word)) {
            if (orma_str_to_u64(orma_str_trim(word), &khz) && khz <= UINT32_MAX)
                orma_pb_put_u64(out, ORMA_PB_CPU_INFO_CPU_FREQUENCIES, khz);
        }
    }
}

static void put_capacity(struct orma_buf *out, const char *sys_root, uint32_t cpu)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    char name[128];
    uint64_t capacity;

    (void)snprintf(name, sizeof(name), "devices/system/cpu/cpu%u/cpu_capacity", cpu); /* fits */
    if (read_at(sys_root, name, &text) &&
        orma_str_to_u64(orma_str_trim(orma_buf_str(&text)), &capacity) && capacity <= UINT32_MAX)
        orma_pb_put_u64(out, ORMA_PB_CPU_INFO_CPU_CAPACITY, capacity);
}

static void put_arm(struct orma_buf *out, const struct orma_system_cpu *cpu)
{
    size_t begun;

    if (!cpu->has_arm)
        return;
    begun = orma_pb_begin(out, ORMA_PB_CPU_INFO_CPU_ARM_IDENTIFIER);
    orma_pb_put_u64(out, ORMA_PB_CPU_INFO_ARM_CPU_IDENTIFIER_IMPLEMENTER, cpu->implementer);
    orma_pb_put_u64(out, ORMA_PB_CPU_INFO_ARM_CPU_IDENTIFIER_ARCHITECTURE, cpu->architecture);
    orma_pb_put_u64(out, ORMA_PB_CPU_INFO_ARM_CPU_IDENTIFIER_VARIANT, cpu->variant);
    orma_pb_put_u64(out, ORMA_PB_CPU_INFO_ARM_CPU_IDENTIFIER_PART, cpu->part);
    orma_pb_put_u64(out, ORMA_PB_CPU_INFO_ARM_CPU_IDENTIFIER_REVISION, cpu->revision);
    orma_pb_end(out, begun);
}

/* The format has no field for the number of a cpu: entry N is cpu N. */
static void put_cpus(struct orma_buf *out, const char *sys_root,
                     const struct orma_system_cpuinfo *info)
{
    for (uint32_t i = 0; i < info->num; i++) {
        const struct orma_system_cpu *cpu = &info->cpus[i];
        size_t begun = orma_pb_begin(out, ORMA_PB_CPU_INFO_CPUS);

        if (cpu->present) {
            orma_pb_put_str(out, ORMA_PB_CPU_INFO_CPU_PROCESSOR, cpu->name);
            put_frequencies(out, sys_root, i);
            put_capacity(out, sys_root, i);
            put_arm(out, cpu);
            if (cpu->features)
                orma_pb_put_u64(out, ORMA_PB_CPU_INFO_CPU_FEATURES, cpu->features);
        }
        orma_pb_end(out, begun);
    }
}

static void put_cpu_info(struct system_info *self)
{
    const struct orma_source_env *env = self->source.env;
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0}, packet = {0};
    struct orma_system_cpuinfo info;
    size_t begun;

    if (!read_at(env->proc_root, "cpuinfo", &text) ||
        orma_system_cpuinfo_parse(orma_buf_str(&text), &info) < 0) {
        orma_log_warn("linux.system_info: cannot read %s/cpuinfo", env->proc_root);
        return;
    }
    orma_source_put_time(&packet, orma_clock_boottime());
    begun = orma_pb_begin(&packet, ORMA_PB_TRACE_PACKET_CPU_INFO);
    put_cpus(&packet, env->sys_root, &info);
    orma_pb_end(&packet, begun);
    orma_system_cpuinfo_fini(&info);
    (void)orma_source_sink_put_buf(self->source.sink, &packet); /* lost: the writer counts it */
}

/* " 42:   0  17  IR-PCI-MSI  3-edge  virtio3-tx": number, and the name behind the last counter. */
static void put_interrupts(struct system_info *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0}, packet = {0};
    struct orma_str rest, line;
    size_t begun;

    if (!read_at(self->source.env->proc_root, "interrupts", &text))
        return;
    orma_source_put_time(&packet, orma_clock_boottime());
    begun = orma_pb_begin(&packet, ORMA_PB_TRACE_PACKET_INTERRUPT_INFO);
    rest = orma_buf_str(&text);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        struct orma_str name;
        uint32_t irq;

        if (!orma_system_interrupt_parse(line, &irq, &name))
            continue;
        size_t entry = orma_pb_begin(&packet, ORMA_PB_INTERRUPT_INFO_IRQ_MAPPING);
        orma_pb_put_u64(&packet, ORMA_PB_INTERRUPT_INFO_INTERRUPT_MAPPING_IRQ_ID, irq);
        orma_pb_put_str(&packet, ORMA_PB_INTERRUPT_INFO_INTERRUPT_MAPPING_NAME, name);
        orma_pb_end(&packet, entry);
    }
    orma_pb_end(&packet, begun);
    (void)orma_source_sink_put_buf(self->source.sink, &packet); /* lost: the writer counts it */
}

static int info_create(struct orma_source_env *env,
                       const Perfetto__Protos__DataSourceConfig *config,
                       struct orma_source_sink *sink, struct orma_source **ret)
{
    struct system_info *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->source = (struct orma_source){.type = &orma_system_info_source, .env = env, .sink = sink};
    self->irq_names = config->system_info_config && config->system_info_config->has_irq_names &&
                      config->system_info_config->irq_names;
    *ret = &self->source;
    return 0;
}

static void info_start(struct orma_source *source)
{
    struct system_info *self = info_of(source);

    put_cpu_info(self);
    if (self->irq_names)
        put_interrupts(self);
}

static void info_free(struct orma_source *source)
{
    free(info_of(source));
}

const struct orma_source_type orma_system_info_source = {
    .name = "linux.system_info",
    .create = info_create,
    .start = info_start,
    .free = info_free,
};
