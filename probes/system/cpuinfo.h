/*
 * /proc/cpuinfo and /proc/interrupts, parsed.
 */
#ifndef ORMA_PROBES_CPUINFO_H
#define ORMA_PROBES_CPUINFO_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/str.h"

#define ORMA_SYSTEM_CPUINFO_MAX 4096

/* Bits of CpuInfo.Cpu.features. */
enum orma_system_cpu_feature {
    ORMA_SYSTEM_CPU_FEATURE_MTE = 1 << 0,
    ORMA_SYSTEM_CPU_FEATURE_MTE3 = 1 << 1,
};

struct orma_system_cpu {
    bool present;
    struct orma_str name; /* points into the text */
    bool has_arm;
    uint32_t implementer, architecture, variant, part, revision;
    uint64_t features; /* enum orma_system_cpu_feature */
};

struct orma_system_cpuinfo {
    struct orma_system_cpu *cpus; /* by number; absent ones are holes */
    uint32_t num;
};

/* -EBADMSG: no processor in it. -ENOMEM. */
int orma_system_cpuinfo_parse(struct orma_str text, struct orma_system_cpuinfo *ret);
void orma_system_cpuinfo_fini(struct orma_system_cpuinfo *self);

/* A line of /proc/interrupts. False: not one of a numbered interrupt with a name. */
bool orma_system_interrupt_parse(struct orma_str line, uint32_t *ret_irq,
                                 struct orma_str *ret_name);
#endif
